"""Hearing: whether a process still shows signs of life, which are changes of a file's time.

A process can exist and do nothing: stopped, deadlocked, or with a connection that nobody notices is lost.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path

FIRST_SECONDS = 900.0
"""Time until the first sign: a start compiles kernels and waits for servers."""
_OWN_ABSENCE = 5.0
"""If we did not look for so long, we were stopped or suspended ourselves, and silence proves nothing."""


@dataclass
class Hearing:
    """Listens for one process."""

    file: Path
    """Touched by the process (ANTIFAZ_BEAT_FILE)."""
    limit: float
    """Seconds of silence after which the process counts as dead."""
    _mark: int | None = field(default=None, repr=False)
    _heard_at: float = field(default_factory=time.monotonic, repr=False)
    _looked_at: float = field(default_factory=time.monotonic, repr=False)

    def begin(self) -> None:
        """Listen for a process that is about to start."""
        self.file.unlink(missing_ok=True)
        self._mark = None
        self._heard_at = self._looked_at = time.monotonic()

    def is_silent(self) -> bool:
        """Whether there was no sign for too long."""
        now = time.monotonic()
        mark = self.file.stat().st_mtime_ns if self.file.exists() else None
        if mark != self._mark or now - self._looked_at > _OWN_ABSENCE:
            self._mark, self._heard_at = mark, now
        self._looked_at = now
        return now - self._heard_at > (FIRST_SECONDS if self._mark is None else self.limit)
