"""Training: MaskablePPO on the batch engine, self-play and scripted opponents, runs that resume."""
