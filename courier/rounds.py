"""Rounds: claim due work, send each item separately, repeat.

Every call is its own task, so that a slow receiver does not delay the others. One webhook has at most four running
calls and one portal has one, so that a slow receiver cannot take all places either.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from courier.context import Context
from courier.publications import carry
from courier.webhooks import deliver
from storage.jobs.protocol import DELIVERIES
from storage.logs import log_failure
from storage.operations.pulse import Pulse
from storage.outbound import deliveries, publications

_LOGGER = logging.getLogger(__name__)
_OF_ONE_WEBHOOK = 4
_PORTALS_AT_ONCE = 8
_TIDY_SECONDS = 3_600.0


class Rounds:
    """The courier's loop and its running calls."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tasks: set[asyncio.Task[None]] = set()
        self._webhooks: Counter[UUID] = Counter()
        self._portals: set[UUID] = set()
        self._tidied_at: float | None = None
        self._beaten_at: float | None = None
        self._pulse = Pulse("courier", [DELIVERIES], context.settings)

    async def run(self, stop: asyncio.Event) -> None:
        """Run rounds until stopped; an unavailable database is tried again in the next round."""
        while not stop.is_set():
            try:
                # A database that is silent must not keep the loop from showing that it turns: a restart would not help
                # and would end running calls.
                async with asyncio.timeout(self._context.settings.consumer_seconds):
                    await self._tidy()
                    more = await self.take()
                    await self._beat(more)
            except (SQLAlchemyError, OSError) as error:
                log_failure(_LOGGER, "a round failed", error)
                more = False
            self._pulse.touch()
            if not more:
                await _pause(stop, self._context.settings.courier_poll_seconds)
        await self.finish()
        await self._leave()

    async def take(self) -> bool:
        """Claim due work and begin to send it; False if there was none."""
        parcels = await self._take_parcels()
        errands = await self._take_errands()
        return bool(parcels or errands)

    async def finish(self) -> None:
        """Wait for running calls."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _take_parcels(self) -> int:
        free = self._context.settings.courier_at_once - self._webhooks.total()
        if free <= 0:
            return 0
        # A webhook with the most running calls gets no more: it waits for its own responses only.
        busy = [webhook_id for webhook_id, count in self._webhooks.items() if count >= _OF_ONE_WEBHOOK]
        lease = self._context.settings.courier_lease_seconds
        parcels = await self._context.transact(deliveries.claim, lease, free, 1, busy)
        for parcel in parcels:
            webhook_id = parcel.webhook.id
            self._webhooks[webhook_id] += 1
            self._start(deliver(self._context, parcel), webhook_id)
        return len(parcels)

    async def _take_errands(self) -> int:
        free = _PORTALS_AT_ONCE - len(self._portals)
        if free <= 0:
            return 0
        lease = self._context.settings.courier_lease_seconds
        errands = await self._context.transact(publications.claim, lease, free, list(self._portals))
        for errand in errands:
            self._portals.add(errand.portal.id)
            self._start(carry(self._context, errand), errand.portal.id)
        return len(errands)

    def _start(self, work: Awaitable[None], owner: UUID) -> None:
        task = asyncio.create_task(self._guarded(work, owner))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Awaitable[None], owner: UUID) -> None:
        """Log any error without its message; the work is tried again when its lease expires."""
        try:
            with self._context.metrics.under_way.track_inprogress():
                await work
        except Exception as error:  # noqa: BLE001 - one failure must not stop the others
            log_failure(_LOGGER, "sending failed", error)
        finally:
            self._portals.discard(owner)
            self._webhooks[owner] -= 1
            if self._webhooks[owner] <= 0:
                del self._webhooks[owner]

    async def _leave(self) -> None:
        try:
            await self._context.transact(self._pulse.leave)
        except (SQLAlchemyError, OSError) as error:
            log_failure(_LOGGER, "the end was not written", error)

    async def _beat(self, took: bool) -> None:
        """Show that rounds are made: every few seconds, not in every round."""
        if took:
            self._pulse.consumed(DELIVERIES)
        now = time.monotonic()
        if self._beaten_at is None or now - self._beaten_at > self._context.settings.beat_seconds:
            self._beaten_at = now
            await self._context.transact(self._pulse.beat)

    async def _tidy(self) -> None:
        now = time.monotonic()
        if self._tidied_at is None or now - self._tidied_at > _TIDY_SECONDS:
            self._tidied_at = now
            await self._context.transact(deliveries.forget_old)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
