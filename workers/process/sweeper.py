"""The sweeper: every few seconds, announce jobs that no worker knows of, re-queue jobs that lost their lease, and fail
jobs that were tried too often.

Any number may run at the same time: every step is one conditional statement, and rows are taken with SKIP LOCKED.
"""

import logging
import signal
import threading
from collections.abc import Callable
from uuid import UUID

from celery import Celery
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from storage.accounts import anchors as ledger_anchors
from storage.audit import audit
from storage.blobs import blobs, keyring
from storage.crypto.heads import HeadSigner
from storage.crypto.keys import load_audit_keys, required
from storage.database.session import keyring_engine, main_engine
from storage.jobs import outbox
from storage.jobs.protocol import QUEUES, TASK, UPKEEP
from storage.logs import log
from storage.memory import leave_no_image
from storage.operations import consumers, sweeping
from storage.operations.pulse import Pulse
from storage.releases import releases
from storage.settings import Settings, settings
from storage.tenancy import idempotency
from workers.process.app import create_celery
from workers.run.logs import configure_logging

_LOGGER = logging.getLogger(__name__)

_BATCH = 500


def sweep_once(main: Engine, keys: Engine, celery: Celery, chosen: Settings, signer: HeadSigner) -> bool:
    """One round: settle leases, announce jobs, delete leftovers and destroyed releases, anchor chains and ledger.

    A step whose server is missing stops no other step; returns whether all of them succeeded.
    """
    steps: tuple[Callable[[], None], ...] = (
        lambda: settle(main, chosen),
        lambda: announce(main, celery, chosen),
        lambda: clear(main),
        lambda: anchor(main, keys, signer),
    )
    outcomes = [_succeeds(step) for step in steps]
    return all(outcomes)


def _succeeds(step: Callable[[], None]) -> bool:
    try:
        step()
    except (SQLAlchemyError, BrokerError, RedisError, OSError) as error:
        _LOGGER.error("a sweep failed", exc_info=error)
        return False
    return True


def settle(main: Engine, chosen: Settings) -> None:
    """Settle the leases that ended."""
    with main.begin() as connection:
        swept = sweeping.sweep(connection, chosen.max_attempts)
    if swept.requeued or swept.failed or swept.cancelled:
        log(_LOGGER, "swept", requeued=len(swept.requeued), failed=len(swept.failed), cancelled=len(swept.cancelled))


def clear(main: Engine) -> None:
    """Delete leftovers and destroyed releases."""
    with main.begin() as connection:
        blobs.delete_leftovers(connection)
        releases.destroy_marked(connection)


def anchor(main: Engine, keys: Engine, signer: HeadSigner) -> None:
    """Anchor the audit chains and the ledger."""
    with main.begin() as connection, keys.begin() as anchors:
        audit.anchor_heads(connection, anchors, signer)
        ledger_anchors.anchor_accounts(connection, anchors, signer)


def announce(main: Engine, celery: Celery, chosen: Settings) -> None:
    """Announce the jobs in the outbox and those that have waited for too long."""
    waiting = messages_waiting(celery)
    with main.begin() as connection:
        outbox.send_again(connection, chosen.rering_seconds, waiting)
    send_all(main, celery)


def messages_waiting(celery: Celery) -> dict[str, int]:
    """The number of messages in each queue of the broker."""
    with celery.connection_for_write() as connection, connection.channel() as channel:
        return {queue: channel.queue_declare(queue).message_count for queue in QUEUES}


def send_all(main: Engine, celery: Celery) -> int:
    """Announce every job in the outbox; a row is removed only once the broker has the message."""
    sent = 0
    while True:
        with main.begin() as connection:
            messages = outbox.take_messages(connection, _BATCH)
            for job_id, queue in messages:
                send(celery, job_id, queue)
        sent += len(messages)
        if len(messages) < _BATCH:
            return sent


def send(celery: Celery, job_id: UUID, queue: str) -> None:
    """Send the id of a job to its queue."""
    celery.send_task(TASK, args=[str(job_id)], queue=queue, retry=False, ignore_result=True)


def tidy(main: Engine, keys: Engine, chosen: Settings) -> None:
    """Remove old idempotency keys, blobs that never became a release, and keys without a blob."""
    with main.begin() as connection:
        consumers.forget_old(connection)
        idempotency.forget_old(connection, chosen.idempotency_hours)
        blobs.delete_unpublished(connection, older_than_hours=24)
    with main.begin() as connection, keys.begin() as orphans:
        keyring.sweep_orphans(connection, orphans)


def sweep_for_ever(stop: threading.Event, chosen: Settings) -> None:
    """Sweep until stopped; an unavailable database or broker is tried again in the next round."""
    signer = HeadSigner(load_audit_keys(required(chosen.audit_key_file, "ANTIFAZ_AUDIT_KEY_FILE")))
    main, keys, celery = main_engine(chosen), keyring_engine(chosen), create_celery(chosen)
    pulse = Pulse("sweeper", [UPKEEP], chosen)
    rounds = 0
    while not stop.is_set():
        if rounds % 720 == 0:
            _succeeds(lambda: tidy(main, keys, chosen))
        if sweep_once(main, keys, celery, chosen, signer):
            pulse.consumed(UPKEEP)
            _succeeds(lambda: _record(main, pulse.beat))
        pulse.touch()
        rounds += 1
        stop.wait(chosen.sweep_seconds)
    _succeeds(lambda: _record(main, pulse.leave))


def _record(main: Engine, change: Callable[[Connection], None]) -> None:
    with main.begin() as connection:
        change(connection)


def main() -> None:
    """Run until SIGTERM or SIGINT."""
    leave_no_image()
    configure_logging("sweeper")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    sweep_for_ever(stop, settings())


if __name__ == "__main__":
    main()
