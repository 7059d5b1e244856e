"""Memory of a kernel's own, on its stack: a record to work in, and a copy of a table to try things on.

Kernels may not make arrays. ``words = on_stack(DTYPE)`` at module level gives a function that kernels call for a record of that
dtype, not initialised, which lives until the calling kernel returns and is the same memory at every call there.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from rummy_env.jit import INTERPRETED


def on_stack(dtype: np.dtype[Any]) -> Any:
    """A function that gives a kernel an uninitialised record of ``dtype``."""
    if INTERPRETED:
        return lambda: np.zeros(1, dtype).view(np.recarray)[0]
    record = numba.from_dtype(dtype)

    @intrinsic
    def make(context):
        def build(context, builder, signature, arguments):
            memory = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), (dtype.itemsize + 7) // 8))
            return builder.bitcast(memory, context.get_value_type(record))

        return record(), build

    return make


def _copy_interpreted(target: Any, source: Any) -> None:
    for name in source.dtype.names:
        target[name] = source[name]


@intrinsic
def _copy_compiled(context, target, source):
    def build(context, builder, signature, arguments):
        cgutils.raw_memcpy(builder, *arguments, context.get_constant(types.intp, source.size), 1)
        return context.get_dummy_value()

    return types.void(target, source), build


#: ``copy_record(target, source)`` makes one record equal to another of the same dtype.
copy_record: Any = _copy_interpreted if INTERPRETED else _copy_compiled
