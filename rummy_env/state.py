"""The state of many tables at once: a record array with one record per table, whose fields each game names in ``TABLE``.

``state.hands`` is a field of all tables, ``state[i]`` is one table, and ``state[i].hands`` its hands. Kernels take one table,
``t``, which costs them a pointer. The deck's generator is keyed by (seed, table, deal) and nothing else draws from it, so
that a deal's cards do not depend on batch size, thread count, call order or on what anybody did before.

Every game has the fields ``key deck dice scores wins match_deals deal points turn phase to_act starter closer ending stock
stock_at stock_end``, and its first phase, 0, is where a deal begins.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rummy_env.jit import INTERPRETED

NO_CARD = 255
NO_SEAT = 255
NOT_ENDED = 0  # the ending of a deal in play

#: A record array of a game's TABLE, shape [N].
State: TypeAlias = "np.recarray[Any, Any]"


def new_records(n: int, dtype: np.dtype[Any]) -> State:
    """``n`` records, all zero, as a record array."""
    return np.zeros(n, dtype).view(np.recarray)


def plain(records: State, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The same records as an array whose dtype is ``dtype`` itself: numba knows it at sight, other dtypes it compares.

    Interpreted kernels get the record array, as only its records have their fields as attributes.
    """
    return records if INTERPRETED else records.view(dtype, np.ndarray)
