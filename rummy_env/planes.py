"""Sets of cards written out as zeros and ones, eight cards at a time."""

import numpy as np

from rummy_env.jit import kernel

#: The eight bits of a byte. Indices are unsigned where eight cards must be one move: an index that could be
#: negative is tested for each element.
_BITS = np.array([[b >> k & 1 for k in range(8)] for b in range(256)], dtype=np.int8)
_FLOATS = _BITS.astype(np.float32)
_8, _255 = np.uint64(8), np.uint64(255)


@kernel
def write_plane(out, start, cards):
    """Writes 52 cards as zeros and ones into ``out[start:start + 52]``, float32."""
    at = np.uint64(start)
    for _ in range(6):
        for k in range(8):
            out[at + np.uint64(k)] = _FLOATS[cards & _255, np.uint64(k)]
        cards >>= _8
        at += _8
    for k in range(4):
        out[at + np.uint64(k)] = _FLOATS[cards & _255, np.uint64(k)]


@kernel
def write_flags(out, start, cards):
    """Writes 56 bits as zeros and ones into ``out[start:start + 56]``, int8."""
    at = np.uint64(start)
    for _ in range(7):
        for k in range(8):
            out[at + np.uint64(k)] = _BITS[cards & _255, np.uint64(k)]
        cards >>= _8
        at += _8
