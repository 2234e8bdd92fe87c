"""Announcing committed jobs to the broker."""

import asyncio
import json
import time

import pytest
import redis
from kombu.exceptions import KombuError
from sqlalchemy import text

from service.runtime.dispatch import Announcer, sender
from service.runtime.metrics import Metrics
from stack.servers.ports import free_port
from storage.database.session import async_main_engine
from storage.jobs import jobs
from storage.settings import Settings
from tests.patience import patience
from tests.service.samples import table_policy


def announce(settings: Settings, times: int = 1) -> list[bool]:
    """Announce as from a separate process."""

    async def run() -> list[bool]:
        engine = async_main_engine(settings)
        try:
            announcer = Announcer(engine, sender(settings), Metrics())
            return [await announcer.announce() for _ in range(times)]
        finally:
            await engine.dispose()

    return asyncio.run(run())


def until_it_fails(settings: Settings) -> None:
    """The API's own announcer may hold the message while it tries in vain; then there is nothing for us to announce."""
    deadline = time.monotonic() + patience()
    while time.monotonic() < deadline:
        try:
            announce(settings)
        except KombuError:
            return
        time.sleep(0.05)
    pytest.fail("a broker that is not there took a message")


@pytest.fixture
def unrung(make_api):
    """A job whose wake-up message was not sent: the API that accepted it has no broker."""
    lonely = make_api(broker_url=f"redis://127.0.0.1:{free_port()}/0")
    job_id = lonely.upload(policy=table_policy()).json()["job"]["id"]
    return lonely, job_id


def waiting(api, job_id: str) -> int:
    with api.owner.connect() as connection:
        found = connection.execute(text("SELECT count(*) FROM outbox WHERE job_id = :id"), {"id": job_id})
        return int(found.scalar_one())


def test_a_message_stays_until_it_is_sent_and_is_the_id_alone(unrung, redis_server):
    api, job_id = unrung
    until_it_fails(api.settings)
    assert waiting(api, job_id) == 1
    reachable = api.settings.model_copy(update={"broker_url": type(api.settings.broker_url)(redis_server.url)})
    assert announce(reachable, 2) == [False, False]
    assert waiting(api, job_id) == 0
    sent = messages(redis_server.url)
    mine = [message for message in sent if job_id in json.dumps(message["headers"])]
    assert len(mine) == 1
    assert mine[0]["content-type"] == "application/json"
    assert "person" not in json.dumps(sent)


def messages(url: str) -> list[dict]:
    with redis.Redis.from_url(url) as client:
        return [json.loads(message) for message in client.lrange("small", 0, -1)]


def test_a_large_dataset_goes_to_the_queue_of_large_ones(make_api):
    api = make_api(large_bytes=100)
    job_id = api.upload(policy=table_policy()).json()["job"]["id"]
    with api.worker.connect() as connection:
        tenant = connection.execute(text("SELECT tenant_id FROM jobs WHERE id = :id"), {"id": job_id}).scalar_one()
        job = jobs.get_job(connection, tenant, job_id)
    assert job is not None
    assert job.queue == "large"
