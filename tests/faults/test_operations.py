"""Operations on a running service: restart, migration, restore; and a long series of accidents."""

import random
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis

from stack.servers import databases as installation
from tests.faults.harness import PROCESSES, Request, World
from tests.faults.test_servers import terminate
from tests.patience import RECOVERY, patience


@pytest.mark.long
def test_a_rolling_restart_under_load(rig: World) -> None:
    """Nothing is lost; a stopping process drains in its 30 s."""
    with load(rig) as sent:
        for name in ("worker", "worker-second", "sweeper", "api"):
            process = rig.stack.processes[name]
            process.terminate()
            assert process.wait(patience(RECOVERY)) is not None
            rig.ensure(name)
    assert len(sent) >= 4
    assert {rig.end_of(rig.insist(request)) for request in sent} == {"released"}


@pytest.mark.long
def test_migrations_run_again_under_load(rig: World) -> None:
    """No request fails; the schema is unchanged."""
    before = rig.ask("SELECT version_num FROM alembic_version")
    with load(rig) as sent:
        for _ in range(3):
            installation.migrate(rig.databases.url, rig.databases.keyring_url)
    assert rig.ask("SELECT version_num FROM alembic_version") == before
    assert all(answer.status_code < 400 for answer in rig.stack.answers)
    assert {rig.end_of(rig.insist(request)) for request in sent} == {"released"}


@pytest.mark.long
def test_a_backup_restored(rig: World) -> None:
    """Every job, release and event is restored, and the service continues, waiting jobs included."""
    job_ids = [rig.submit() for _ in range(10)]
    assert {rig.end_of(job_id) for job_id in job_ids} == {"released"}
    rig.stack.stop("worker")
    rig.stack.stop("worker-second")
    waiting = rig.submit()
    for name in ("api", "sweeper"):
        rig.stack.stop(name)
    counted = {table: rig.ask(f"SELECT count(*) FROM {table}") for table in ("jobs", "releases", "audit_events")}
    dump = rig.folder / "main.dump"
    tool(rig, "pg_dump", "--format=custom", f"--file={dump}", rig.databases.main)
    installation.drop_database(rig.postgres.address, rig.databases.main)
    installation.create_database(rig.postgres.address, rig.databases.main)
    tool(rig, "pg_restore", "--exit-on-error", f"--dbname={rig.databases.main}", str(dump))
    dump.unlink()
    assert {table: rig.ask(f"SELECT count(*) FROM {table}") for table in counted} == counted
    rig.recover()
    assert rig.end_of(waiting) == "released"
    assert rig.end_of(rig.submit()) == "released"


@pytest.mark.long
def test_accidents_at_random(rig: World) -> None:
    """Thirty seconds of one fault after another under load; every accepted job ends."""
    chance = random.SystemRandom()
    with load(rig) as sent:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            chance.choice(ACCIDENTS)(rig)
            time.sleep(2)
            for name in PROCESSES:
                rig.ensure(name)
    rig.recover()
    ends = [rig.end_of(rig.insist(request)) for request in sent]
    assert set(ends) <= {"released", "failed"}
    exhausted = [rig.job(job_id)["error"] for request in sent for job_id in request.job_ids]
    assert all(error is None or error["type"].endswith("attempts-exhausted") for error in exhausted)


def _kill_a_worker(rig: World) -> None:
    rig.stack.kill("worker")


def _kill_the_api(rig: World) -> None:
    rig.stack.kill("api")


def _empty_redis(rig: World) -> None:
    with redis.Redis.from_url(rig.redis.url) as client:
        client.flushall()


def _cut_wires(rig: World) -> None:
    for name in ("api-postgresql", "worker-postgresql", "worker-redis"):
        rig.wires[name].set("cut")
        rig.wires[name].set("pass")


def _terminate_connections(rig: World) -> None:
    terminate(rig, "antifaz_work")


ACCIDENTS = (_kill_a_worker, _kill_the_api, _empty_redis, _cut_wires, _terminate_connections)


@contextmanager
def load(rig: World) -> "Iterator[list[Request]]":
    """Keep sending requests until the block ends; each is sent until it is accepted."""
    sent: list[Request] = []
    failures: list[BaseException] = []
    stop = threading.Event()

    def client() -> None:
        try:
            while not stop.is_set():
                request = rig.request()
                sent.append(request)
                rig.insist(request)
                stop.wait(0.3)
        except BaseException as failure:  # noqa: BLE001 - reported below, in the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=client) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield sent
    finally:
        stop.set()
        for thread in threads:
            thread.join(patience(RECOVERY))
    assert not failures, failures[0]


def tool(rig: World, name: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs against the server."""
    address = rig.postgres.address
    where: dict[str, Any] = {
        "PGHOST": address.host,
        "PGPORT": str(address.port),
        "PGUSER": address.admin,
        "PGPASSWORD": address.password,
    }
    program = rig.postgres.programs.companion(name)
    done = subprocess.run(
        [program, *arguments], env=where, capture_output=True, text=True, timeout=patience(RECOVERY), check=False
    )
    assert done.returncode == 0, done.stderr
