"""Turns: if several processes need the same kernel at the same time, one compiles it and the others load it.

A kernel has a lock file next to the compiled ones. The lock is released when its process ends, for whatever reason, and
numba writes a compiled kernel atomically: no process can find half of one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antifaz.kernels import compiled


def take_turns() -> None:
    """Make this process wait for others that compile a kernel that it needs."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder:
        compiled.taking_turns = lambda kernel: _turn(Path(folder) / f"{kernel}.lock")


@contextmanager
def _turn(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
