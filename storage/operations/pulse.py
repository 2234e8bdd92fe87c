"""The pulse of a consumer: a heartbeat in the database, for readiness, and a touched file, for its supervisor.

The two say different things. A row is written only while the consumer takes work. The file is also touched while
nothing but a missing server keeps the consumer from it: a restart would not help then, and it would end running jobs.
"""

import logging
import time
from collections.abc import Sequence

from sqlalchemy import Connection

from storage.logs import log_failure
from storage.operations import consumers
from storage.settings import Settings

_LOGGER = logging.getLogger(__name__)


class Pulse:
    """The heartbeats of one consumer."""

    def __init__(self, kind: str, queues: Sequence[str], settings: Settings) -> None:
        self.id = consumers.new_id(kind)
        self.queues = tuple(queues)
        self._file = settings.beat_file
        self._consumed: dict[str, float] = {}

    def consumed(self, queue: str) -> None:
        """Something was taken from a queue."""
        self._consumed[queue] = time.monotonic()

    def touch(self) -> None:
        """Show the supervisor that the process works."""
        if self._file is not None:
            try:
                self._file.touch()
            except OSError as error:
                log_failure(_LOGGER, "no sign of life", error)

    def beat(self, c: Connection) -> None:
        """Show everyone that the consumer takes work."""
        now = time.monotonic()
        idle = {queue: now - self._consumed[queue] if queue in self._consumed else None for queue in self.queues}
        consumers.beat(c, self.id, idle)

    def leave(self, c: Connection) -> None:
        """Record an orderly end."""
        consumers.leave(c, self.id)
