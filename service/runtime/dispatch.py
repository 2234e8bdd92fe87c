"""Dispatch: announce committed jobs to the broker.

A job and its outbox row are written in one transaction. After the commit, one task of this process sends a wake-up
message for every row in the outbox. A broker that does not answer does not fail the request: the row stays, and the
next wake-up or the sweeper announces it. The message contains only the job's id.
"""

import asyncio

from celery import Celery
from kombu.messaging import Producer
from sqlalchemy.ext.asyncio import AsyncEngine

from service.runtime.logs import log_failure
from service.runtime.metrics import Metrics
from storage import failpoints
from storage.jobs import outbox
from storage.jobs.outbox import Message
from storage.jobs.protocol import TASK
from storage.settings import Settings

_BATCH = 50
_PAUSE_SECONDS = 1.0
_BREATH_SECONDS = 0.05
"""Pause between two rounds: in a burst of jobs, the first is announced immediately and the others together."""
_SOCKET = {"socket_timeout": 2.0, "socket_connect_timeout": 2.0, "retry_on_timeout": False}


def sender(settings: Settings) -> Celery:
    """A Celery application that only sends."""
    application = Celery("antifaz-service", broker=settings.broker_url.get_secret_value(), set_as_current=False)
    application.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        broker_connection_retry=False,
        broker_transport_options=_SOCKET | {"max_retries": 0},
        broker_connection_timeout=2.0,
        task_publish_retry=False,
    )
    return application


class Announcer:
    """Sends the broker a wake-up message for every row of the outbox."""

    def __init__(self, engine: AsyncEngine, celery: Celery, metrics: Metrics) -> None:
        self._engine = engine
        self._celery = celery
        self._metrics = metrics
        self._wanted = asyncio.Event()
        self._producer: Producer | None = None
        """Kept open: opening a connection costs more than many messages."""

    def wake(self) -> None:
        """Signal that something was committed."""
        failpoints.reach("submit_committed")
        self._wanted.set()

    async def work(self) -> None:
        """Announce until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                while await self.announce():
                    pass
                await asyncio.sleep(_BREATH_SECONDS)
            except Exception as error:  # noqa: BLE001 - on any error the row stays and this task continues
                self._metrics.unrung.inc()
                log_failure("announcing failed", error)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def announce(self) -> bool:
        """Announce one batch; returns whether there may be more. A row is deleted only once its message is sent."""
        async with self._engine.begin() as connection:
            messages = await connection.run_sync(outbox.take_messages, _BATCH)
            if not messages:
                return False
            await asyncio.to_thread(self._send, messages)
            failpoints.reach("submit_rung")
        self._metrics.rung.inc(len(messages))
        return len(messages) == _BATCH

    def _send(self, messages: list[Message]) -> None:
        try:
            if self._producer is None:
                self._producer = self._celery.amqp.Producer(self._celery.connection_for_write())
            for job_id, queue in messages:
                self._celery.send_task(TASK, args=[str(job_id)], queue=queue, producer=self._producer, retry=False)
        except Exception:
            self.hang_up()
            raise

    def hang_up(self) -> None:
        """Close the connection to the broker; the next message opens another."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.connection.release()
