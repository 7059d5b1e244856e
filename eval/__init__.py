"""The evaluation lab: arena, reports, benchmark."""
