"""Questions during faults: one charge, one answer, and the same answer if asked again."""

from typing import Any

import httpx
import pytest
import redis

from tests.faults.harness import CANARY, World, wake
from tests.patience import RECOVERY, wait_for

long = pytest.mark.long
WORKER = ("claimed", "charged", "protected", "publishing")
API = ("upload_stored", "submit_committed", "submit_rung")
WORKERS = ("worker", "worker-second")
LOST = "the lease was lost"
PRICE = 100_000
ROWS = 60
DECLARED = {
    "columns": {"age": {"type": "integer", "bounds": [0, 120]}, "sex": {"type": "text", "keys": ["F", "M"]}},
    "budget": {"epsilon": 1},
}


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "protected" else long) for p in WORKER])
def test_a_worker_killed_on_a_question(rig: World, place: str) -> None:
    """Another worker answers it; one charge, and the same answer when the question is repeated."""
    dataset_id = declared(rig)
    rig.arm(f"{place}:kill")
    asked = ask(rig, dataset_id)
    rig.fired()
    assert rig.end_of(asked["id"]) == "done"
    assert rig.job(asked["id"])["attempt"] == 2
    answered_once(rig, dataset_id, asked["id"])


@long
def test_a_question_that_kills_every_worker(rig: World) -> None:
    """Failed after three attempts, without an answer; its charge stays, and asking again costs again."""
    dataset_id = declared(rig)
    rig.arm("protected:kill")
    asked = ask(rig, dataset_id)
    for _ in range(2):
        rig.fired()
        rig.arm("protected:kill")
    assert rig.end_of(asked["id"]) == "failed"
    assert rig.charges_of(asked["id"]) == [PRICE]
    assert rig.ask("SELECT count(*) FROM query_answers WHERE job_id = %s", asked["id"]) == [(0,)]
    rig.failpoint.unlink(missing_ok=True)
    again = ask(rig, dataset_id)
    assert again["id"] != asked["id"]
    assert again["remaining"] == pytest.approx(0.8)
    assert rig.end_of(again["id"]) == "done"


@long
@pytest.mark.parametrize("place", WORKER[:3])
def test_a_worker_stopped_on_a_question_and_woken_after_another_has_answered(rig: World, place: str) -> None:
    """The other worker's answer is kept; the first draw is never visible."""
    dataset_id, confessed = declared(rig), rig.said_so_often(LOST)
    rig.arm(f"{place}:stop")
    asked = ask(rig, dataset_id)
    zombie = rig.fired()
    assert rig.end_of(asked["id"]) == "done"
    first = answered_once(rig, dataset_id, asked["id"])
    wake(zombie)
    wait_for(lambda: rig.said_so_often(LOST) > confessed, "the zombie's confession", RECOVERY)
    assert answered_once(rig, dataset_id, asked["id"]) == first


@long
@pytest.mark.parametrize("place", WORKER[1:])
def test_an_error_on_a_question(rig: World, place: str) -> None:
    """Failed with a message that discloses nothing; the charge stays, and there is no answer."""
    dataset_id = declared(rig)
    rig.arm(f"{place}:raise")
    asked = ask(rig, dataset_id)
    rig.fired()
    assert rig.end_of(asked["id"]) == "failed"
    assert rig.job(asked["id"])["error"]["rule"] == "internal"
    assert rig.charges_of(asked["id"]) == [PRICE]
    assert rig.ask("SELECT count(*) FROM query_answers WHERE job_id = %s", asked["id"]) == [(0,)]


@long
@pytest.mark.parametrize("place", API)
def test_the_api_killed_on_a_question(rig: World, place: str) -> None:
    """A retry with the same key finds or creates one question; one charge."""
    dataset_id = declared(rig)
    rig.arm(f"{place}:kill")
    # The wake-up message is sent in parallel with the answer, which may be out before the process ends.
    assert sent(rig, dataset_id, "once") in ((0, 202) if place == "submit_rung" else (0,))
    rig.fired()
    rig.ensure("api")
    wait_for(lambda: sent(rig, dataset_id, "once") in (200, 202), "an answer", RECOVERY)
    asked = ask(rig, dataset_id, key="once")
    assert rig.end_of(asked["id"]) == "done"
    answered_once(rig, dataset_id, asked["id"])


@long
@pytest.mark.parametrize("place", WORKER)
def test_postgres_killed_on_a_question(rig: World, place: str) -> None:
    """Resumed after the restart; one charge, one answer."""
    dataset_id = declared(rig)
    rig.arm(f"{place}:stop")
    asked = ask(rig, dataset_id)
    worker = rig.fired()
    rig.postgres.kill()
    rig.postgres.restart()
    wake(worker)
    assert rig.end_of(asked["id"]) == "done"
    answered_once(rig, dataset_id, asked["id"])


@long
def test_redis_flushed_with_a_question_in_it(rig: World) -> None:
    """The sweeper sends the message again; one charge, one answer."""
    dataset_id = declared(rig)
    for name in WORKERS:
        rig.stack.kill(name)
    asked = ask(rig, dataset_id)
    with redis.Redis.from_url(rig.redis.url) as client:
        client.flushall()
    for name in WORKERS:
        rig.ensure(name)
    assert rig.end_of(asked["id"]) == "done"
    answered_once(rig, dataset_id, asked["id"])


@long
def test_a_dataset_deleted_while_a_question_is_answered(rig: World) -> None:
    """Answered only from columns already read: the sealed ones are destroyed with the original; the charge stays."""
    dataset_id = declared(rig)
    rig.arm("charged:stop")
    asked = ask(rig, dataset_id)
    worker = rig.fired()
    with rig.stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{dataset_id}").status_code == 204
    wake(worker)
    assert rig.end_of(asked["id"]) in ("done", "failed", "cancelled")
    assert rig.charges_of(asked["id"]) == [PRICE]
    mine = "SELECT blob_id FROM projections WHERE dataset_id = %s"
    assert rig.ask(f"SELECT count(*) FROM original_chunks WHERE blob_id IN ({mine})", dataset_id) == [(0,)]


@long
def test_a_worker_killed_while_it_seals_columns(rig: World) -> None:
    """Another worker seals them; each column once."""
    dataset_id = declared(rig, wait=False, failpoint="projecting:kill")
    rig.fired()
    wait_for(lambda: projected(rig, dataset_id), "the columns", RECOVERY)
    assert rig.ask("SELECT count(*) FROM projections WHERE dataset_id = %s", dataset_id) == [(4,)]
    unused = "SELECT count(*) FROM original_chunks c WHERE NOT EXISTS (SELECT FROM blobs b WHERE b.id = c.blob_id)"
    assert rig.ask(unused) == [(0,)]


def declared(rig: World, wait: bool = True, failpoint: str | None = None) -> str:
    """A dataset that accepts questions. By default its columns are already sealed, so that only the question reaches a
    failpoint."""
    request = rig.request(ROWS)
    answer = rig.stack.upload(request.content, name=request.name, file_name=f"{CANARY}.csv")
    assert answer.status_code == 201, answer.text
    dataset_id = str(answer.json()["id"])
    wait_for(lambda: ended(rig, dataset_id, "profile"), "the profile", RECOVERY)
    if failpoint is not None:
        rig.arm(failpoint)
    with rig.stack.client() as steward:
        answer = steward.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARED)
    assert answer.status_code == 200, answer.text
    if wait:
        wait_for(lambda: projected(rig, dataset_id), "the columns", RECOVERY)
    return dataset_id


def ended(rig: World, dataset_id: str, task: str) -> bool:
    done = "SELECT count(*) FROM jobs WHERE dataset_id = %s AND task = %s AND finished_at IS NOT NULL"
    return rig.ask(done, dataset_id, task) == [(1,)]


def projected(rig: World, dataset_id: str) -> bool:
    return ended(rig, dataset_id, "project")


def post(rig: World, dataset_id: str, key: str | None) -> httpx.Response:
    body = {"select": [{"count": {}}], "epsilon": 0.1}
    headers = {} if key is None else {"Idempotency-Key": f"{dataset_id} {key}"}
    with rig.stack.client() as steward:
        return steward.post(f"/v1/datasets/{dataset_id}/queries", json=body, headers=headers)


def ask(rig: World, dataset_id: str, key: str | None = None) -> dict[str, Any]:
    """Ask a question that must be accepted, or was answered before."""
    answer = post(rig, dataset_id, key)
    assert answer.status_code in (200, 202), answer.text
    found: dict[str, Any] = answer.json()
    return found


def sent(rig: World, dataset_id: str, key: str) -> int:
    """The status of an answer; 0 if there was none."""
    try:
        return post(rig, dataset_id, key).status_code
    except httpx.TransportError:
        return 0


def answered_once(rig: World, dataset_id: str, job_id: str) -> Any:
    """The only answer, for one charge; asking again returns the same."""
    assert rig.charges_of(job_id) == [PRICE]
    assert rig.ask("SELECT count(*) FROM query_answers WHERE job_id = %s", job_id) == [(1,)]
    again = ask(rig, dataset_id)
    assert (again["id"], again["remaining"]) == (job_id, 0.9)
    cell = again["answers"][0]["cells"][0]
    # With noise of scale 10, a value is farther off with a probability of e^-50.
    assert abs(cell["value"] - ROWS) <= 500
    return cell["value"]
