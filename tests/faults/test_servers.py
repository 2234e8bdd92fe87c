"""PostgreSQL and Redis killed, emptied and restarted while our processes use them."""

import pytest
import redis

from tests.faults.harness import World, wake
from tests.patience import wait_for

long = pytest.mark.long
WORKER = ("claimed", "decrypted", "protected", "sealing", "verified", "publishing", "published")
API = ("upload_stored", "submit_committed", "submit_rung")
WORKERS = ("worker", "worker-second")


@pytest.mark.long
@pytest.mark.parametrize("place", WORKER)
def test_postgres_killed_while_a_worker_is_at(rig: World, place: str) -> None:
    """Requests get 503 in the meantime; the job is resumed after the restart; one release."""
    rig.arm(f"{place}:stop")
    job_id = rig.submit()
    worker = rig.fired()
    rig.postgres.kill()
    refused = rig.send(rig.request())
    assert refused is not None
    assert refused.status_code == 503
    rig.postgres.restart()
    wake(worker)
    assert rig.end_of(job_id) == "released"


@pytest.mark.long
@pytest.mark.parametrize("place", API)
def test_postgres_killed_while_the_api_is_at(rig: World, place: str) -> None:
    """No 202 without a durable row; a retry with the same key finds or creates one job."""
    request = rig.request()
    rig.arm(f"{place}:stop")
    with rig.sending(request) as answers:
        api = rig.fired()
        rig.postgres.kill()
        rig.postgres.restart()
        wake(api)
    if place == "upload_stored":
        assert answers[0] is not None
        assert answers[0].status_code == 503
        assert rig.ask("SELECT count(*) FROM datasets WHERE name = %s", request.name) == [(0,)]
    assert rig.end_of(rig.insist(request)) == "released"


def test_every_job_survives_a_killed_postgres(rig: World) -> None:
    """All jobs accepted before are finished afterwards, running and waiting ones."""
    job_ids = [rig.submit() for _ in range(3)]
    rig.postgres.kill()
    rig.postgres.restart()
    assert [rig.end_of(job_id) for job_id in job_ids] == ["released"] * 3


@pytest.mark.long
@pytest.mark.parametrize("place", WORKER)
def test_a_workers_connections_terminated_at(rig: World, place: str) -> None:
    """The transaction is lost, the job is not; one release."""
    rig.arm(f"{place}:stop")
    job_id = rig.submit()
    worker = rig.fired()
    assert terminate(rig, "antifaz_work") > 0
    wake(worker)
    assert rig.end_of(job_id) == "released"


@pytest.mark.long
@pytest.mark.parametrize("place", API)
def test_the_apis_connections_terminated_at(rig: World, place: str) -> None:
    """503 or an accepted job; a retry with the same key finds or creates it."""
    request = rig.request()
    rig.arm(f"{place}:stop")
    with rig.sending(request) as answers:
        api = rig.fired()
        assert terminate(rig, "antifaz_api") > 0
        wake(api)
    assert answers[0] is not None
    assert answers[0].status_code == (503 if place == "upload_stored" else 202)
    assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.parametrize("state", ["running", pytest.param("queued", marks=long)])
@pytest.mark.parametrize("fault", ["emptied", pytest.param("killed", marks=long)])
def test_redis(rig: World, fault: str, state: str) -> None:
    """POST still answers 202 and reads continue; the sweeper gets every job finished."""
    if state == "queued":
        for name in WORKERS:
            rig.stack.stop(name)
    else:
        rig.arm("protected:sleep=3")
    job_ids = [rig.submit() for _ in range(3)]
    if state == "running":
        rig.fired()
    if fault == "emptied":
        with redis.Redis.from_url(rig.redis.url) as client:
            client.flushall()
    else:
        rig.redis.kill()
    job_ids.append(rig.submit())
    with rig.stack.client() as steward:
        assert steward.get(f"/v1/jobs/{job_ids[0]}").status_code == 200
    if fault == "killed":
        rig.redis.restart()
    for name in WORKERS:
        rig.ensure(name)
    assert [rig.end_of(job_id) for job_id in job_ids] == ["released"] * 4


def terminate(rig: World, login: str) -> int:
    """End every connection of a login, and wait until they are gone; returns their number."""
    ended = rig.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", login)
    wait_for(
        lambda: (
            rig.ask("SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND state LIKE 'idle in trans%%'", login)
            == [(0,)]
        ),
        "the end of the connections",
    )
    return len(ended)
