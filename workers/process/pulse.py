"""The pulse of a worker: proof, from the consumer's own loop, that it takes messages.

A worker's process can live while its consumer is dead. The known way: the broker ends while a message is held. Its
acknowledgement then fails, and the transport counts the message as held for ever; with every place held, it does not
even look at its connection any more. So the loop compares the messages that the transport holds with the jobs that
the worker knows, and reconnects if the transport holds more.

Other ways may exist. Therefore a consumer counts as dead, whatever it says of itself, if its loop does not turn
although the broker answers, or if work and its messages wait in its queues while it has nothing to do and takes
nothing. A dead consumer has no heartbeat, so that readiness reports its queue and its supervisor replaces it. A busy
one is alive.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import redis
from celery import bootsteps
from celery.worker import state
from celery.worker.consumer import Consumer
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from storage.database.session import main_engine
from storage.logs import log, log_failure
from storage.operations.consumers import longest_wait
from storage.operations.pulse import Pulse
from storage.settings import Settings, settings

_LOGGER = logging.getLogger(__name__)
_TICK_SECONDS = 1.0
_PING_SECONDS = 2.0


class LostPlaces(ConnectionError):
    """The transport holds messages that no job belongs to; a new connection has all its places."""


class Loop:
    """What the consumer's loop shows of itself."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self._suspected = False
        self.ticked_at = time.monotonic()
        self.idle_since: float | None = None
        """Since when it has had a free place and taken nothing."""
        self.stalled = False
        """Whether work waits all the same."""

    def tick(self, consumer: Any) -> None:
        """Called by the loop every second."""
        held, known = places_held(consumer), len(state.reserved_requests)
        # Twice in a row: a message is held a moment before its job is known.
        if held > known and self._suspected:
            self._suspected = False
            log(_LOGGER, "messages are held that no job belongs to: reconnecting", held=held, known=known)
            raise LostPlaces
        self._suspected = held > known
        now = self.ticked_at = time.monotonic()
        if held >= consumer.qos.value:
            self.idle_since = None
        elif self.idle_since is None:
            self.idle_since = now
        if not self.stalled:
            self._pulse.touch()

    def took(self, queue: str) -> None:
        """A message was taken from a queue."""
        self._pulse.consumed(queue)
        self.idle_since = None


def places_held(consumer: Any) -> int:
    """Messages that the transport has delivered and not yet acknowledged, as it counts them itself."""
    qos = consumer.task_consumer.channel.qos
    return len(qos._delivered) - len(qos._dirty)


class Heart(threading.Thread):
    """Beats while the loop takes messages; a thread of its own, so that no database and no broker delays the loop."""

    def __init__(
        self, loop: Loop, pulse: Pulse, chosen: Settings, silent: Callable[[float], Collection[int]] | None = None
    ) -> None:
        super().__init__(name="heart", daemon=True)
        self._loop = loop
        self._pulse = pulse
        self._silent = silent or (lambda _: ())
        """The processes of this worker without a sign of life for this number of seconds."""
        self._settings = chosen
        self._main: Engine = main_engine(chosen, "pulse")
        self._stopped = threading.Event()
        self._waits_since: float | None = None

    def run(self) -> None:
        """Beat until stopped, then record the orderly end."""
        while not self._stopped.wait(self._settings.beat_seconds):
            try:
                self.beat()
            except Exception as error:  # noqa: BLE001 - one failure must not end the heart of a worker that works
                log_failure(_LOGGER, "a heartbeat failed", error)
        try:
            with self._main.begin() as connection:
                self._pulse.leave(connection)
        except SQLAlchemyError as error:
            log_failure(_LOGGER, "the end was not written", error)

    def beat(self) -> None:
        """One heartbeat, if the consumer deserves it."""
        # If the broker is away, a loop that waits for it is not at fault.
        if not self._turns():
            if not self._broker_answers():
                self._pulse.touch()
            return
        try:
            with self._main.begin() as connection:
                self._look(longest_wait(connection, self._pulse.queues))
                if not self._loop.stalled:
                    self._pulse.beat(connection)
            self._end_silent()
        except SQLAlchemyError as error:
            log_failure(_LOGGER, "no heartbeat was written", error)

    def finish(self) -> None:
        """Stop; called by the handler of a signal, which must not wait."""
        self._stopped.set()

    def _turns(self) -> bool:
        return time.monotonic() - self._loop.ticked_at < self._settings.consumer_seconds / 2

    def _look(self, waiting: float | None) -> None:
        """Notice whether work has waited for long, and all that time the loop had a free place and took nothing."""
        now, idle_since = time.monotonic(), self._loop.idle_since
        limit = self._settings.stalled_seconds
        if waiting is None or waiting < limit / 2 or idle_since is None:
            self._waits_since = None
        elif self._waits_since is None:
            self._waits_since = now
        since = max(self._waits_since or now, idle_since or now)
        # Without a message it is not this consumer that fails: the sweeper has not sent it again.
        self._loop.stalled = now - since > limit and self._messages_wait()
        if self._loop.stalled:
            log(_LOGGER, "work waits and nothing is taken", seconds=round(now - since))

    def _end_silent(self) -> None:
        """Kill the processes that are stopped or hang, after their leases have ended; the pool replaces them."""
        limit = max(self._settings.stalled_seconds, self._settings.lease_seconds + self._settings.unheard_seconds)
        for process in self._silent(limit):
            log(_LOGGER, "a process gives no sign of life: ending it", process=process)
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _broker_answers(self) -> bool:
        try:
            with self._broker() as client:
                return bool(client.ping())
        except (RedisError, OSError):
            return False

    def _messages_wait(self) -> bool:
        try:
            with self._broker() as client:
                return any(client.llen(queue) for queue in self._pulse.queues)
        except (RedisError, OSError):
            return False

    def _broker(self) -> redis.Redis:
        """A connection of its own, whose calls do not wait for long."""
        url, once = self._settings.broker_url.get_secret_value(), Retry(NoBackoff(), 0)
        return redis.Redis.from_url(url, socket_timeout=_PING_SECONDS, socket_connect_timeout=_PING_SECONDS, retry=once)


class PulseStep(bootsteps.StartStopStep):  # type: ignore[misc]
    """Makes the loop of this process show that it turns; celery starts it with every new connection."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    loop: Loop

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:
        """Called by celery before the loop turns."""
        hub.call_repeatedly(_TICK_SECONDS, self.loop.tick, consumer)


def make_heart(queues: Sequence[str], silent: Callable[[float], Collection[int]]) -> Heart:
    """The heart of this worker, which does not beat yet."""
    chosen = settings()
    pulse = Pulse("worker", queues, chosen)
    PulseStep.loop = Loop(pulse)
    return Heart(PulseStep.loop, pulse, chosen, silent)


class PatientConsumer(Consumer):  # type: ignore[misc]
    """A consumer that tries to reconnect every few seconds for ever, however long the broker is away."""

    def ensure_connected(self, conn: Any) -> Any:
        """Celery would wait up to 30 seconds between two attempts, while work waits."""
        conn.ensure_connection = partial(conn.ensure_connection, interval_start=1, interval_step=1, interval_max=3)
        return super().ensure_connected(conn)
