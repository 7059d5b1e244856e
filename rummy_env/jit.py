"""The one decorator every compiled function uses, and where its compiled code is kept.

Compiled code lives in a folder named after the sources it came from, so that editing any kernel can never
leave a stale caller behind (numba keys a cached function by its own file only), and it lives outside the
installed package, so that a read-only install works and an uninstall leaves nothing in site-packages.

``RUMMY_ENV_CACHE`` names another folder. Where none is writable, functions compile in memory with one warning.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
_CONFIG: Any = numba.config  # its attributes are made at run time
#: Sources without kernels whose values go into them.
_CONSTANTS = ("jit.py", "scratch.py", "cards.py", "games.py", "state.py", "actions.py", "spec.py")

#: A kernel works on arrays it is given and makes none. So arrays are not counted (``_nrt``), which every call that
#: passes one would pay for; one that makes an array does not compile.
KERNEL_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "error_model": "numpy"}


def source_digest() -> str:
    """Twelve hex digits over the sources of kernels and their constants, and the versions that compile them."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if path.name in _CONSTANTS or path.parent.name == "rules" or b"@kernel" in source:
            digest.update(path.name.encode() + source)
    return digest.hexdigest()[:12]


def cache_folder() -> Path | None:
    """The writable folder for compiled code, or None (with a warning) if there is none."""
    named = os.environ.get("RUMMY_ENV_CACHE")
    bases = [Path(named)] if named else []
    with contextlib.suppress(RuntimeError):  # no home folder is known
        bases.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rummy-env")
    bases.append(Path(tempfile.gettempdir()) / f"rummy-env-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
    for base in bases:
        folder = base / source_digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    warnings.warn(
        "rummy_env found no writable folder for compiled code (set RUMMY_ENV_CACHE); kernels compile anew in every process",
        stacklevel=2,
    )
    return None


_FOLDER = cache_folder()

#: Whether kernels run as plain Python (``NUMBA_DISABLE_JIT=1``).
INTERPRETED = bool(_CONFIG.DISABLE_JIT)

if INTERPRETED:  # compiled uint64 arithmetic wraps around in silence; so must the interpreted one
    np.seterr(over="ignore")


def is_cold(game: str) -> bool:
    """True if a game's engine of these sources has not been compiled and stored yet, so that its first use takes a while.

    What is looked for is a kernel that every environment calls, not any: the solver alone compiles in a few seconds.
    """
    if INTERPRETED:
        return False
    return _FOLDER is None or not any(_FOLDER.glob(f"{game}_*/observe.observe-*.nbi"))


_announced: set[str] = set()


def announce_compiling(game: str) -> None:
    """Says on stderr, once a process, that a game's engine is about to be compiled, if it is."""
    if game not in _announced and is_cold(game):
        print(f"rummy_env: compiling the engine of {game}, a minute or two, once", file=sys.stderr, flush=True)
    _announced.add(game)


def kernel(function: F) -> F:
    """Compile ``function`` with numba: cached, without the GIL, C semantics for uint64."""
    options = KERNEL_OPTIONS | {"no_cfunc_wrapper": True}
    if _FOLDER is None:
        return cast(F, njit(**options)(function))
    before = _CONFIG.CACHE_DIR
    _CONFIG.CACHE_DIR = str(_FOLDER)  # read when the function is decorated
    try:
        return cast(F, njit(cache=True, **options)(function))
    finally:
        _CONFIG.CACHE_DIR = before
