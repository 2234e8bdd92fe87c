"""Signs of life of a worker's processes: which of them is stopped or hangs, so that it can be replaced.

The main process of a worker passes messages on; its child processes do the work. A child that was stopped, or hangs in
code that lets no other thread run, would keep its message and its place in the pool until the job's hard limit, while
its main process is alive and seems busy. So a thread of each child writes the time into memory that all of them share.
"""

import mmap
import os
import struct
import threading
import time
from collections.abc import Collection

_SIGN = struct.Struct("=qd")
"""The number of a process, and the time of its last sign on the clock that all processes of a machine share."""
_SIGN_SECONDS = 1.0


class Signs:
    """Memory with a place for each process of the pool; created before the pool, whose processes inherit it."""

    def __init__(self, places: int) -> None:
        self._memory = mmap.mmap(-1, places * _SIGN.size)
        self._suspected: set[int] = set()

    def give(self, place: int) -> None:
        """Give signs from now on; called in a child with its place in the pool."""
        self._write(place)
        threading.Thread(target=self._give_for_ever, args=(place,), name="signs", daemon=True).start()

    def silent(self, processes: Collection[int], seconds: float) -> list[int]:
        """The processes without a sign for so long, now and when last asked; one that never gave any is not judged.

        A single look would condemn children that were stopped together with their main process and have just resumed.
        """
        now = time.monotonic()
        given = dict(_SIGN.iter_unpack(self._memory[:]))
        late = {process for process in processes if process in given and now - given[process] > seconds}
        known, self._suspected = self._suspected, late
        return sorted(late & known)

    def _give_for_ever(self, place: int) -> None:
        while True:
            time.sleep(_SIGN_SECONDS)
            self._write(place)

    def _write(self, place: int) -> None:
        _SIGN.pack_into(self._memory, place * _SIGN.size, os.getpid(), time.monotonic())
