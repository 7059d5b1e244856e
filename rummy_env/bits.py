"""Bit operations on 64-bit card sets, and the counter-based random generator, as kernels.

Every mask and shift stays ``np.uint64``: in compiled code ``uint64 + int`` would become a float.
The generator is splitmix64 (Steele, Lea and Flood 2014): its state is one uint64 per table.
"""

import numpy as np

from rummy_env.jit import kernel

U0 = np.uint64(0)
U1 = np.uint64(1)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_S2 = np.uint64(2)
_S4 = np.uint64(4)
_S56 = np.uint64(56)

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)


@kernel
def bit(c):
    """The set holding only card ``c``."""
    return U1 << np.uint64(c)


@kernel
def has(mask, c):
    """Whether card ``c`` is in the set."""
    return (mask >> np.uint64(c)) & U1 != U0


@kernel
def popcount(mask):
    """How many cards a set holds."""
    x = mask - ((mask >> U1) & _M1)
    x = (x & _M2) + ((x >> _S2) & _M2)
    x = (x + (x >> _S4)) & _M4
    return np.int64((x * _H01) >> _S56)


@kernel
def lowest(mask):
    """The lowest card id in a set that is not empty."""
    return popcount((mask & (~mask + U1)) - U1)


@kernel
def nth(mask, n):
    """The card id with ``n`` lower cards in the set; ``n`` < popcount(mask)."""
    for _ in range(n):
        mask &= mask - U1
    return lowest(mask)


@kernel
def mix(x):
    """A 64-bit finaliser: every input bit reaches every output bit."""
    x = (x ^ (x >> _S30)) * _MIX1
    x = (x ^ (x >> _S27)) * _MIX2
    return x ^ (x >> _S31)


@kernel
def stream(seed, index):
    """The start state of stream ``index`` under ``seed`` (both uint64): streams do not overlap in practice."""
    return mix(mix(seed + GAMMA) ^ (index * _MIX2 + GAMMA))


@kernel
def scale(bits, n):
    """64 random bits as a uniform int in ``range(n)``, n < 2**31."""
    return np.int64(((bits >> _S32) * np.uint64(n)) >> _S32)


@kernel
def roll(t):
    """64 random bits from the dice of table ``t``, which advance."""
    t.dice += GAMMA
    return mix(t.dice)


@kernel
def roll_below(t, n):
    """A uniform int in ``range(n)`` from the dice of table ``t``."""
    return scale(roll(t), n)
