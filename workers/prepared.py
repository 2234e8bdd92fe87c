"""Prepared columns: what questions look at, kept in memory between them.

A dataset is decrypted and read once, and only the declared columns stay, as whole numbers. They are dropped when they
take too much memory, when nobody asked for a while, and when the dataset's key is gone: who deletes a dataset need not
know which worker holds what.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from uuid import UUID

from antifaz.questions.columns import AskedTable

Name = tuple[UUID, int]
"""A dataset's blob, and the version of the declarations by which it was prepared."""


class Prepared:
    """The tables that a process keeps, those that were asked about last."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._tables: OrderedDict[Name, tuple[AskedTable, float]] = OrderedDict()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def table(self, name: Name, read: Callable[[], AskedTable]) -> AskedTable:
        """A table that is kept, or is read now and kept if there is room for it."""
        with self._lock:
            self._forget_idle()
            kept = self._tables.pop(name, None)
        table = read() if kept is None else kept[0]
        with self._lock:
            self._tables[name] = (table, time.monotonic())
            while self._tables and sum(each.nbytes for each, _ in self._tables.values()) > self._most_bytes:
                self._tables.popitem(last=False)
            self._wake_later()
        return table

    def forget(self, blob_id: UUID) -> None:
        """Drop all that was prepared of a dataset."""
        with self._lock:
            for name in [name for name in self._tables if name[0] == blob_id]:
                del self._tables[name]

    def __len__(self) -> int:
        return len(self._tables)

    def _forget_idle(self) -> None:
        oldest = time.monotonic() - self._seconds
        for name in [name for name, (_, used) in self._tables.items() if used <= oldest]:
            del self._tables[name]

    def _wake_later(self) -> None:
        """Look again when the newest is idle, whether or not another question comes."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(self._seconds + 1.0, self._wake)
        self._timer.daemon = True
        self._timer.start()

    def _wake(self) -> None:
        with self._lock:
            self._forget_idle()
