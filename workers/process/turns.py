"""Turns: if several processes need the same kernel at the same time, one compiles it and the others load it.

A kernel has a lock file next to the compiled ones. The lock is released when its process ends, for whatever reason, and
numba writes a compiled kernel atomically: no process can find half of one. A process that holds the lock for too long
was stopped or hangs; the others then compile the kernel themselves.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from antifaz.kernels.numba import compiled

_LONGEST_WAIT = 180.0
_PAUSE = 0.05


def take_turns() -> None:
    """Make this process wait for others that compile a kernel that it needs."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder:
        compiled.taking_turns = lambda kernel: _turn(Path(folder) / f"{kernel}.lock")


@contextmanager
def _turn(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        _wait_for(file)
        yield


def _wait_for(lock: IO[str]) -> None:
    """Wait for the lock, but not for ever."""
    until = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < until:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return
