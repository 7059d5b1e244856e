"""What bad input raises, beside CardError and RulesError: every one is a ValueError that names what is wrong."""


class ActionError(ValueError):
    """An action that does not exist or is not legal now."""


class PolicyError(ValueError):
    """A policy or parameter that is unknown or out of range."""


class RecordError(ValueError):
    """A text of a position or of a game that is malformed, contradicts itself, or does not replay as it says."""
