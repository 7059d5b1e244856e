"""What a seat may believe of the other hands: every world that its history allows, alike."""

from rummy_env.jit import kernel
from rummy_env.rum500.play import resample


@kernel
def imagine(rules, t, seat, first):
    """Draws a world that ``seat`` may believe in, whether it is the ``first`` at this table or not."""
    resample(rules, t, seat)
