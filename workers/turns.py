"""Turns: of several processes that need the same kernel at the same time, one compiles it and the others load it.

A kernel has a lock file beside the compiled ones. The lock goes with the process that holds it, whatever ends it, and
numba puts a compiled kernel into its place in one step: nobody can find half of one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antifaz.kernels import compiled


def take_turns() -> None:
    """Let this process wait for others that compile what it needs."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder:
        compiled.taking_turns = lambda kernel: _turn(Path(folder) / f"{kernel}.lock")


@contextmanager
def _turn(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
