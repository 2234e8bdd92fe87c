"""The watch of a job: heartbeat, lease, progress, cancellation and time budget.

A thread sends heartbeats while the job runs, so that a long compiled loop does not lose its lease. The engine's watch
only reads the thread's results: it raises `Cancelled` if the job was cancelled or the lease is lost. If the work does
not check its watch for long after that, the thread ends the process: no input can make a job run forever.
"""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self
from uuid import UUID

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from antifaz.errors import Cancelled
from storage.jobs import jobs
from storage.settings import Settings

_LOGGER = logging.getLogger(__name__)

STAGES = ("load", "check", "protect", "seal", "verify", "measure", "publish")
_SHARE = {"load": 0.10, "check": 0.15, "protect": 0.50, "seal": 0.60, "verify": 0.75, "measure": 0.95, "publish": 1.0}


class LostLease(Cancelled):
    """Another worker may hold the job now: write nothing more."""


class JobWatch:
    """Sends heartbeats for one claimed job and tells the engine whether to continue."""

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        job_id: UUID,
        fence: int,
        last_resort: Callable[["JobWatch"], None] | None = None,
    ) -> None:
        self.job_id = job_id
        self.fence = fence
        self.stage = STAGES[0]
        self.fraction = 0.0
        self.timing: dict[str, float] = {}
        self.cpu: dict[str, float] = {}
        self._engine = engine
        self._settings = settings
        self._started = time.monotonic()
        self._stage_started = (time.perf_counter(), time.process_time())
        self._lease_end = time.monotonic() + settings.lease_seconds
        self._lost = False
        self._cancelled = False
        self._last_resort = last_resort
        self._looked = time.monotonic()
        self._unwanted_since: float | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat_for_ever, name="beat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(timeout=self._settings.lease_seconds)

    def enter(self, stage: str) -> None:
        """Begin a stage: record the time of the last one and write the change immediately."""
        self._note_time()
        self.stage, self.fraction = stage, 0.0
        self._beat()
        self(0.0)

    def finish_timing(self) -> None:
        """Record the time of the last stage."""
        self._note_time()

    def __call__(self, fraction: float) -> bool:
        """The engine's watch: record the progress; raise if the work is no longer wanted; True if the time is up."""
        self.fraction = max(self.fraction, min(fraction, 1.0))
        self._looked = time.monotonic()
        if self._lost or time.monotonic() > self._lease_end:
            raise LostLease("the lease was lost")
        if self._cancelled:
            raise Cancelled("the job was cancelled")
        return time.monotonic() - self._started > self._settings.job_budget_seconds

    def stay(self) -> None:
        """The watch of work without progress: raise if it is no longer wanted."""
        self(self.fraction)

    @property
    def progress(self) -> float:
        """Progress of the whole job."""
        position = STAGES.index(self.stage)
        start = _SHARE[STAGES[position - 1]] if position else 0.0
        return round(start + (_SHARE[self.stage] - start) * self.fraction, 4)

    def _note_time(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.timing[self.stage] = round(self.timing.get(self.stage, 0.0) + wall - self._stage_started[0], 4)
        self.cpu[self.stage] = round(self.cpu.get(self.stage, 0.0) + cpu - self._stage_started[1], 4)
        self._stage_started = (wall, cpu)

    def _beat_for_ever(self) -> None:
        while not self._stop.wait(self._settings.beat_seconds):
            try:
                self._beat()
            except SQLAlchemyError as error:
                # The lease is still valid: the next beat may succeed before it ends.
                _LOGGER.warning("a beat failed", extra={"fields": {"class": type(error).__name__}})
            if self._last_resort is not None and self.unheard:
                self._last_resort(self)

    @property
    def cancelled(self) -> bool:
        """Whether the job was cancelled and is still held by this worker."""
        return self._cancelled and not self._lost

    @property
    def unheard(self) -> bool:
        """Whether unwanted work has not checked its watch for long, counted from the first call that noticed it."""
        now = time.monotonic()
        if not (self._lost or self._cancelled or now > self._lease_end):
            return False
        # A process that was stopped for a while checks its watch when it resumes: give it the time.
        self._unwanted_since = self._unwanted_since or now
        return now - max(self._unwanted_since, self._looked) > self._settings.unheard_seconds

    def _beat(self) -> None:
        before = time.monotonic()
        status = "verifying" if self.stage in ("verify", "measure", "publish") else "running"
        with self._engine.begin() as connection:
            beat = jobs.beat(
                connection, self.job_id, self.fence, self._settings.lease_seconds, self.stage, self.progress, status
            )
        self._cancelled = self._cancelled or beat.cancel_requested
        if beat.held:
            self._lease_end = before + self._settings.lease_seconds
        else:
            self._lost = True
