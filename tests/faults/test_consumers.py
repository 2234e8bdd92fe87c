"""Servers that go away while every kind of consumer has work in hand.

Workers of small datasets, of large ones and of questions, the courier and the sweeper run as processes of their own.
Nothing may be lost, done twice, or wait longer than `LIMIT` after the fault. Seconds are those of the harness, whose
leases and intervals are short.
"""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import redis

from tests.courier.portals.little_ckan import LittleCkan, little_ckan
from tests.courier.receivers import Heard, Receiver, receiving
from tests.faults import proof
from tests.faults.harness import CANARY, World, people
from tests.faults.test_questions import DECLARED, ended, projected
from tests.faults.test_trials import stored
from tests.patience import RECOVERY, patience, wait_for
from tests.service.samples import ABOUT

long = pytest.mark.long
LIMIT = 60.0
"""Seconds after the end of a fault within which everything that waited must be done."""
STOPPED_SECONDS = 20.0
PRICE = 100_000


@dataclass
class Load:
    """Everything that was in hand when the fault came."""

    job_ids: dict[str, str] = field(default_factory=dict)
    """Job → the status that it must end with."""
    questions: list[str] = field(default_factory=list)
    webhook_id: str = ""
    portal_id: str = ""
    pushes: int = 0


def consumers(rig: World) -> set[str]:
    """Queues with a live consumer."""
    return {row[0] for row in rig.ask("SELECT queue FROM consumers WHERE beat_at > now() - interval '5 seconds'")}


# --- the faults ------------------------------------------------------------------------------------------------------


def broker_killed_and_emptied(rig: World) -> None:
    rig.redis.kill()
    time.sleep(1)
    rig.redis.restart()


def broker_killed_with_its_messages(rig: World) -> None:
    """Restarted from its file, as `antifaz up` and the containers do."""
    rig.redis.kill()
    time.sleep(1)
    rig.redis.restart()


def broker_stopped(rig: World) -> None:
    os.kill(rig.redis.pid, signal.SIGSTOP)
    try:
        time.sleep(STOPPED_SECONDS)
    finally:
        os.kill(rig.redis.pid, signal.SIGCONT)


def postgres_killed(rig: World) -> None:
    rig.postgres.kill()
    rig.postgres.restart()


FAULTS: dict[str, Callable[[World], None]] = {
    "broker killed, empty afterwards": broker_killed_and_emptied,
    "broker killed, messages kept": broker_killed_with_its_messages,
    "broker stopped for 20 s": broker_stopped,
    "PostgreSQL killed": postgres_killed,
}


@long
@pytest.mark.every_kind
@pytest.mark.parametrize("fault", FAULTS)
def test_with_everything_in_hand(rig: World, fault: str, record_property: Callable[[str, object], None]) -> None:
    """Jobs, questions, trials, pushes and webhooks of all consumers: each done once, within 60 s of the fault's end."""
    wait_for(lambda: consumers(rig) >= {"small", "large", "fast", "deliveries", "upkeep"}, "all consumers", RECOVERY)
    with durable(rig, fault == "broker killed, messages kept"), receiving() as receiver, little_ckan() as portal:
        work = give_work(rig, receiver, portal)
        struck = time.monotonic()
        with going_on(rig, work) if fault.startswith("broker") else nullcontext():
            FAULTS[fault](rig)
        over = time.monotonic()
        while unfinished(rig, work):
            assert time.monotonic() - over < LIMIT, f"{unfinished(rig, work)} still wait\n{rig.stack.said()}"
            time.sleep(0.05)
        record_property(proof.BACK, (round(time.monotonic() - struck, 1), round(time.monotonic() - over, 1)))
        each_once(rig, work, receiver, portal)
        with rig.stack.client("admin") as admin:
            assert admin.delete(f"/v1/webhooks/{work.webhook_id}").status_code == 204


def test_the_broker_killed_while_questions_run(rig: World) -> None:
    """The worker whose acknowledgement failed takes messages again: every question is answered, also later ones."""
    rig.stack.stop("worker-second")
    dataset_id = declared(rig)
    rig.arm("protected:sleep=2")
    asked = [ask(rig, dataset_id, number) for number in range(3)]
    rig.fired()
    rig.redis.kill()
    failed = rig.said_so_often("Couldn't ack")
    wait_for(lambda: rig.said_so_often("Couldn't ack") > failed, "the failed acknowledgement", RECOVERY)
    rig.redis.restart()
    asked.append(ask(rig, dataset_id, 3))
    wait_for(lambda: {rig.job(job_id)["status"] for job_id in asked} == {"done"}, "the answers", LIMIT)
    assert [rig.charges_of(job_id) for job_id in asked] == [[PRICE + number] for number in range(4)]


@long
def test_the_broker_emptied_while_questions_wait(rig: World) -> None:
    """Their messages are sent again to a consumer that lives all the time."""
    rig.stack.stop("worker-second")
    dataset_id = declared(rig)
    rig.arm("protected:sleep=3")
    asked = [ask(rig, dataset_id, number) for number in range(5)]
    rig.fired()
    with redis.Redis.from_url(rig.redis.url) as client:
        client.flushall()
    wait_for(lambda: {rig.job(job_id)["status"] for job_id in asked} == {"done"}, "the answers", LIMIT)


@long
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_connection_that_is_silent_for_ever(rig: World, busy: bool) -> None:
    """A worker notices that the broker does not answer on its connection, and opens another."""
    rig.stack.stop("worker-second")
    dataset_id = declared(rig)
    if busy:
        rig.arm("protected:sleep=3")
        ask(rig, dataset_id, 9)
        rig.fired()
    rig.wires["worker-redis"].hush()
    asked = [ask(rig, dataset_id, number) for number in range(3)]
    wait_for(lambda: {rig.job(job_id)["status"] for job_id in asked} == {"done"}, "the answers", LIMIT)


@long
def test_a_stopped_process_of_a_worker_is_replaced(rig: World) -> None:
    """The only process that answers questions is stopped for ever, its main process is not: nothing waits for hours."""
    rig.stack.stop("worker-second")
    dataset_id = declared(rig)
    rig.restart("worker", ANTIFAZ_STALLED_SECONDS="3", ANTIFAZ_UNHEARD_SECONDS="3")
    rig.arm("protected:stop")
    asked = [ask(rig, dataset_id, 0)]
    stopped = rig.fired()
    asked.append(ask(rig, dataset_id, 1))
    wait_for(lambda: {rig.job(job_id)["status"] for job_id in asked} == {"done"}, "the answers", LIMIT)
    assert [rig.charges_of(job_id) for job_id in asked] == [[PRICE], [PRICE + 1]]
    with pytest.raises(ProcessLookupError):
        os.kill(stopped, 0)
    rig.restart("worker")


@long
def test_a_worker_that_is_stopped_is_not_a_consumer(rig: World) -> None:
    """Readiness names the queue while work waits in it, and not before; a busy worker counts."""
    rig.stack.stop("worker-second")
    dataset_id = declared(rig)
    rig.arm("protected:sleep=9")
    busy = ask(rig, dataset_id, 0)
    waiting = ask(rig, dataset_id, 1)
    rig.fired()
    until = time.monotonic() + 7
    while time.monotonic() < until:
        assert rig.job(waiting)["status"] == "queued"
        assert queues_of(rig) == (200, "ok")
    assert rig.end_of(busy) == rig.end_of(waiting) == "done"
    os.kill(rig.stack.processes["worker"].pid, signal.SIGSTOP)
    time.sleep(7)
    assert queues_of(rig) == (200, "ok")
    asked = ask(rig, dataset_id, 2)
    wait_for(lambda: queues_of(rig) == (503, "work waits without a live consumer: fast"), "the finding", RECOVERY)
    rig.stack.kill("worker")
    rig.ensure("worker")
    assert rig.end_of(asked) == "done"
    wait_for(lambda: queues_of(rig) == (200, "ok"), "readiness", RECOVERY)


def queues_of(rig: World) -> tuple[int, str]:
    answer = httpx.get(f"{rig.stack.address}/readyz", timeout=patience(RECOVERY))
    return answer.status_code, answer.json()["checks"]["queues"]


# --- the work --------------------------------------------------------------------------------------------------------


def give_work(rig: World, receiver: Receiver, portal: LittleCkan) -> Load:
    """Jobs for every consumer, until each of them has one in hand."""
    made = Load()
    receiver.usual = slowly((204, b""))
    portal.receiver.usual = slowly(portal.answer)
    with rig.stack.client("admin") as admin:
        made.webhook_id = created(
            admin, "/v1/webhooks", {"url": receiver.url, "events": ["job.released", "release.published"]}
        )
        body = {"kind": "ckan", "name": "little", "url": portal.url, "token": portal.key}
        made.portal_id = created(admin, "/v1/portals", body)
    dataset_id = declared(rig)
    first = publish(rig, made, 60)
    # Its calls are under way, each of them slow, when the fault comes.
    wait_for(lambda: rig.job(first)["finished"], "the first release", RECOVERY)
    for rows in (700, 700, 2_000, 2_000):
        publish(rig, made, rows)
    try_out(rig, made)
    wait_for(lambda: at_work(rig) >= {"small", "large"}, "work of both kinds", RECOVERY, pause=0.02)
    for number in range(5):
        made.questions.append(ask(rig, dataset_id, number))
    wait_for(lambda: at_work(rig) >= {"fast"}, "a question", RECOVERY, pause=0.01)
    return made


def slowly(answer: Any) -> Callable[[Heard], Any]:
    def respond(heard: Heard) -> Any:
        time.sleep(0.7)
        return answer(heard) if callable(answer) else answer

    return respond


def at_work(rig: World) -> set[str]:
    held = "SELECT queue FROM jobs WHERE finished_at IS NULL AND status IN ('running','verifying')"
    return {row[0] for row in rig.ask(held)}


def created(client: httpx.Client, path: str, body: dict[str, Any]) -> str:
    answer = client.post(path, json=body)
    assert answer.status_code in (201, 202), answer.text
    return str(answer.json()["id"])


def publish(rig: World, made: Load, rows: int) -> str:
    """A job whose release is announced to the webhook and pushed to the portal."""
    request = rig.request()
    request.content = people(rows, int.from_bytes(os.urandom(3)))
    request.about = {"then": [{"publish": {"portal": made.portal_id}}], "about": ABOUT}
    job_id = rig.insist(request)
    made.job_ids[job_id] = "released"
    made.pushes += 1
    return job_id


def try_out(rig: World, made: Load) -> None:
    """A trial and a comparison."""
    dataset_id, chosen = stored(rig)
    with rig.stack.client() as steward:
        trial = {"dataset_id": dataset_id, "policy": chosen, "trial": True}
        made.job_ids[created(steward, "/v1/jobs", trial)] = "assessed"
        comparison = {"dataset_id": dataset_id, "policy": chosen, "vary": {"/guarantees/0/k": [2, 3]}, "repeats": 2}
        made.job_ids[created(steward, "/v1/comparisons", comparison)] = "assessed"


def declared(rig: World) -> str:
    """A dataset that accepts questions."""
    request = rig.request(60)
    answer = rig.stack.upload(request.content, name=request.name, file_name=f"{CANARY}.csv")
    assert answer.status_code == 201, answer.text
    dataset_id = str(answer.json()["id"])
    wait_for(lambda: ended(rig, dataset_id, "profile"), "the profile", RECOVERY)
    with rig.stack.client() as steward:
        answer = steward.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARED | {"budget": {"epsilon": 3}})
    assert answer.status_code == 200, answer.text
    wait_for(lambda: projected(rig, dataset_id), "the columns", RECOVERY)
    return dataset_id


def ask(rig: World, dataset_id: str, number: int) -> str:
    """A question that nobody asked before: each has its own price."""
    body = {"select": [{"count": {}}], "epsilon": (PRICE + number) / 1_000_000}
    with rig.stack.client() as steward:
        answer = steward.post(f"/v1/datasets/{dataset_id}/queries", json=body)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


# --- what must hold --------------------------------------------------------------------------------------------------


@contextmanager
def going_on(rig: World, made: Load) -> Iterator[None]:
    """Without a broker, a job is accepted and can be read, and nobody waits for the broker."""
    accepted: list[str] = []

    def submit_and_read() -> None:
        time.sleep(0.3)
        began = time.monotonic()
        job_id = rig.submit()
        with rig.stack.client() as steward:
            assert steward.get(f"/v1/jobs/{job_id}").status_code == 200
        assert time.monotonic() - began < 15
        accepted.append(job_id)

    # The servers are children of the main thread: they would end with another one.
    meanwhile = threading.Thread(target=submit_and_read)
    meanwhile.start()
    yield
    meanwhile.join(patience(RECOVERY))
    assert accepted, "a submission or a read failed without a broker"
    made.job_ids[accepted[0]] = "released"


def unfinished(rig: World, made: Load) -> list[str]:
    """What still waits."""
    try:
        jobs = [
            f"{task} {status}" for task, status in rig.ask("SELECT task, status FROM jobs WHERE finished_at IS NULL")
        ]
        pushes = rig.ask("SELECT state FROM publications WHERE state NOT IN ('published','failed')")
        calls = rig.ask("SELECT state FROM deliveries WHERE webhook_id = %s AND state = 'pending'", made.webhook_id)
    except OSError:
        return ["PostgreSQL"]
    return [row[0] for row in jobs] + [f"push {row[0]}" for row in pushes] + [f"call {row[0]}" for row in calls]


def each_once(rig: World, made: Load, receiver: Receiver, portal: LittleCkan) -> None:
    """Every job ended as it should, every question was charged and answered once, every call and push arrived once."""
    assert {job_id: rig.job(job_id)["status"] for job_id in made.job_ids} == made.job_ids
    for number, job_id in enumerate(made.questions):
        assert rig.job(job_id)["status"] == "done"
        assert rig.charges_of(job_id) == [PRICE + number]
        assert rig.ask("SELECT count(*) FROM query_answers WHERE job_id = %s", job_id) == [(1,)]
    calls = receiver.of_type("job.released")
    told = {request.headers["webhook-id"]: request.document["data"]["job_id"] for request in calls}
    assert Counter(told.values()) == Counter(job for job, end in made.job_ids.items() if end == "released")
    assert len({package["name"] for package in portal.live}) == len(portal.live) == made.pushes


@contextmanager
def durable(rig: World, wanted: bool) -> Iterator[None]:
    """A broker that keeps its messages in a file, if wanted."""
    if not wanted:
        yield
        return
    rig.redis.durable = True
    rig.redis.restart()
    try:
        yield
    finally:
        rig.redis.durable = False
