"""The sweeper: repeats wake-up messages that no worker received, and no others."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from celery import Celery
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import SecretStr
from sqlalchemy import text

from storage.crypto.heads import HeadSigner
from storage.settings import Settings
from tests.workers.conftest import Steward
from workers.process.app import create_celery
from workers.process.sweeper import messages_waiting, send_all, sweep_once

CONTENT = b"name,age\nAna,30\n"
SIGNER = HeadSigner([Ed25519PrivateKey.generate()])
DATABASE = 9
"""A database of the Redis server that no worker listens to."""


@pytest.fixture
def chosen(steward: Steward, redis_server: Any) -> Settings:
    url = SecretStr(f"{redis_server.work_url.rsplit('/', 1)[0]}/{DATABASE}")
    return steward.context.settings.model_copy(update={"broker_url": url, "rering_seconds": 0.0})


@pytest.fixture
def celery(steward: Steward, chosen: Settings, redis_server: Any) -> Iterator[Celery]:
    """A broker without messages, before and after, and nothing that other tests left to be rung."""
    with redis.Redis.from_url(f"{redis_server.url.rsplit('/', 1)[0]}/{DATABASE}") as client:
        application = create_celery(chosen)
        send_all(steward.context.main, application)
        client.flushdb()
        yield application
        client.flushdb()


def queued(steward: Steward) -> int:
    """Jobs that wait in the queue of small ones, those that other tests left there too."""
    statement = text("SELECT count(*) FROM jobs WHERE status = 'queued' AND queue = 'small'")
    with steward.main.connect() as connection:
        return int(connection.execute(statement).scalar_one())


def test_messages_do_not_pile_up_while_jobs_wait(steward: Steward, chosen: Settings, celery: Celery) -> None:
    dataset = steward.upload(CONTENT)
    for _ in range(20):
        steward.submit(dataset, None)
    for _ in range(5):
        sweep_once(steward.context.main, steward.context.keyring, celery, chosen, SIGNER)
        assert messages_waiting(celery)["small"] == queued(steward)


def test_messages_that_the_broker_lost_are_sent_again(steward: Steward, chosen: Settings, celery: Celery) -> None:
    dataset = steward.upload(CONTENT)
    for _ in range(3):
        steward.submit(dataset, None)
    sweep_once(steward.context.main, steward.context.keyring, celery, chosen, SIGNER)
    with celery.connection_for_write() as connection, connection.channel() as channel:
        assert channel.queue_purge("small") == queued(steward)
    sweep_once(steward.context.main, steward.context.keyring, celery, chosen, SIGNER)
    assert messages_waiting(celery)["small"] == queued(steward)
