"""The harness of the fault tests: their own servers, wires and processes, and a record of all requests.

Every upload has a unique name, so that the databases can be compared with the requests and their answers.
"""

import csv
import io
import os
import random
import secrets
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from stack.servers import databases as installation
from stack.servers.broker import RedisServer
from stack.servers.postgres import PostgresServer
from tests.conftest import Databases
from tests.faults.wires import Wire, wires
from tests.patience import RECOVERY, patience, wait_for
from tests.system.conftest import Stack, is_ready, make_stack
from tests.system.samples import DISEASES

PROCESSES = ("api", "worker", "worker-second", "sweeper")
EVERY_KIND = ("api", "small", "large", "questions", "sweeper", "courier")
"""Each kind of consumer as a process of its own."""
LARGE_BYTES = 80_000
"""Uploads above this size go to the queue of large datasets."""
CANARY = f"cnry_{secrets.token_hex(12)}"
"""Part of every secret of every upload: names, the file's name, and a label that no release contains."""


def people(rows: int, seed: int) -> bytes:
    """Invented patients, each with a canary as the name."""
    chance = random.Random(seed)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", "age", "zip", "sex", "disease"])
    for number in range(rows):
        zip_code = f"{chance.randint(0, 52):02d}{chance.randint(0, 999):03d}"
        row = [f"{CANARY}{number}", chance.randint(18, 90), zip_code, chance.choice("FM"), chance.choice(DISEASES)]
        writer.writerow(row)
    return out.getvalue().encode()


def policy(k: int = 3) -> dict[str, Any]:
    """A policy for `people`, with a hierarchy label that must not be disclosed."""
    return {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "type": "integer", "recoding": "range"},
            "zip": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "mask"}},
            "sex": {
                "role": "quasi_identifier",
                "hierarchy": {"kind": "levels", "rows": [["F", "*"], ["M", "*"], [f"{CANARY}unused", "*"]]},
            },
            "disease": {"role": "sensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": k}],
        "method": {"name": "mondrian"},
    }


def private_policy(epsilon: float = 0.5) -> dict[str, Any]:
    """A policy for `people` that promises differential privacy."""
    hidden = {name: {"role": "identifier"} for name in ("name", "age", "zip", "sex")}
    return {
        "kind": "table",
        "attributes": {**hidden, "disease": {"role": "sensitive"}},
        "guarantees": [{"model": "local_differential_privacy", "epsilon": epsilon}],
        "method": {"name": "randomized_response", "values": {"disease": list(DISEASES)}},
    }


def meetings(length: int = 3) -> bytes:
    """Invented people who meet in a ring, each time at another distance; their names are canaries."""
    rows = [(u, (u + t + 1) % 12, t) for t in range(length) for u in range(12)]
    return ("source,target,time\n" + "".join(f"{CANARY}{u},{CANARY}{v},{t}\n" for u, v, t in rows)).encode()


def noisy_meetings(epsilon: float) -> dict[str, Any]:
    """A policy for `meetings`, with one snapshot per charge."""
    guarantee = {"model": "edge_local_dp", "epsilon": epsilon, "density": {"declared": 0.18}, "snapshots": 3}
    report = {"utility": [], "attacks": []}
    return {"kind": "temporal_graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp"}, "report": report}


@dataclass
class Request:
    """One upload with a policy, and all attempts to send it."""

    name: str
    content: bytes
    policy: dict[str, Any]
    key: str | None
    budget: float | None = None
    about: dict[str, Any] = field(default_factory=dict)
    """The metadata of the file."""
    job_ids: set[str] = field(default_factory=set)
    """Ids of jobs in answers of status 202."""


@dataclass
class WatchedStack(Stack):
    """A stack that records every answer."""

    answers: list[httpx.Response] = field(default_factory=list)
    timeout: float = 60.0

    def client(self, role: str | None = "steward") -> httpx.Client:
        client = super().client(role)
        client.timeout = httpx.Timeout(self.timeout)
        client.event_hooks = {"response": [self._keep]}
        return client

    def _keep(self, answer: httpx.Response) -> None:
        answer.read()
        self.answers.append(answer)


class World:
    """The servers, the wires and the processes, for many scenarios."""

    def __init__(
        self,
        folder: Path,
        postgres: PostgresServer,
        redis: RedisServer,
        databases: Databases,
        links: dict[str, Wire],
        stack: WatchedStack,
    ) -> None:
        self.folder = folder
        self.postgres = postgres
        self.redis = redis
        self.databases = databases
        self.wires = links
        self.stack = stack
        self.wanted: Sequence[str] = PROCESSES
        """The processes that run at the beginning and at the end of a scenario."""
        self.requests: list[Request] = []
        self.began = ""
        """Start of the scenario, by the database's clock."""
        self.began_here = 0.0
        """Start of the scenario, by the clock of the file system."""

    # --- start and end of a scenario ---

    def begin(self, processes: Sequence[str] = PROCESSES) -> None:
        """These processes run, nothing is armed, and no request was sent yet."""
        self.wanted = processes
        self.recover()
        self.requests.clear()
        self.stack.answers.clear()
        self.began = str(self.ask("SELECT now()")[0][0])
        self.began_here = time.time()

    def recover(self) -> None:
        """Undo every fault: servers answer, wires let through, no failpoint is armed, all processes run."""
        self.failpoint.unlink(missing_ok=True)
        for server in (self.postgres, self.redis):
            if not server.alive():
                server.restart()
        for wire in self.wires.values():
            wire.set("pass")
        for note in [*self.folder.glob("failpoint.*"), *self.folder.glob("acted.*")]:
            wake(int(note.suffix[1:]))
            note.unlink()
        for name in set(self.stack.processes) - set(self.wanted):
            self.stack.stop(name)
        for name in self.wanted:
            self.ensure(name)
        wait_for(lambda: is_ready(self.stack.address), "the API", RECOVERY)

    def ensure(self, name: str) -> None:
        """Start a process unless it runs."""
        process = self.stack.processes.get(name)
        if process is None or process.poll() is not None:
            self.stack.start(name)

    def restart(self, name: str, **extra: str) -> None:
        """Stop a process in an orderly way and start it again, perhaps with other settings."""
        if name in self.stack.processes:
            self.stack.stop(name)
        self.stack.start(name, **extra)

    def close(self) -> None:
        """End the processes."""
        for name in list(self.stack.processes):
            self.stack.kill(name)

    # --- failpoints ---

    @property
    def failpoint(self) -> Path:
        """The file that every process reads."""
        return self.folder / "failpoint"

    def arm(self, failpoint: str) -> None:
        """Arm a failpoint once: the next process that reaches it acts.

        The sweeper passes `submit_rung` too: for that failpoint it is stopped, so that the API reaches it.
        """
        if failpoint.startswith("submit_rung:"):
            self.stack.stop("sweeper")
        unfinished = self.folder / "unfinished"
        unfinished.write_text(failpoint)
        unfinished.rename(self.failpoint)

    def fired(self) -> int:
        """Wait until a process has acted; returns its number."""
        wait_for(lambda: bool(list(self.folder.glob("failpoint.*"))), "a process at the failpoint", RECOVERY)
        note = next(self.folder.glob("failpoint.*"))
        note.rename(self.folder / f"acted{note.suffix}")
        self.ensure("sweeper")
        return int(note.suffix[1:])

    # --- requests ---

    def request(self, rows: int = 60, k: int = 3, *, key: bool = True) -> Request:
        """An upload with a policy, not sent yet."""
        name = f"upload {secrets.token_hex(8)}"
        made = Request(name, people(rows, secrets.randbits(30)), policy(k), secrets.token_hex(8) if key else None)
        self.requests.append(made)
        return made

    def private_request(self, epsilon: float = 0.5, budget: float = 1.0) -> Request:
        """An upload whose policy promises differential privacy, with a budget, not sent yet."""
        made = self.request()
        made.policy, made.budget = private_policy(epsilon), budget
        return made

    def temporal_request(self, epsilon: float = 2.0, budget: float = 20.0) -> Request:
        """An upload of a temporal graph whose policy promises differential privacy in three snapshots, not sent yet."""
        made = self.request()
        made.content, made.policy, made.budget = meetings(), noisy_meetings(epsilon), budget
        made.about = {"window": "snapshot"}
        return made

    def charges_of(self, job_id: str) -> list[int]:
        """The charge of a job, in millionths."""
        return [row[0] for row in self.ask("SELECT units FROM charges WHERE job_id = %s", job_id)]

    def send(self, request: Request) -> httpx.Response | None:
        """Send a request once; None if there was no answer."""
        headers = {"Idempotency-Key": request.key} if request.key else {}
        about = request.about | ({} if request.budget is None else {"budget": {"epsilon": request.budget}})
        try:
            answer = self.stack.upload(
                request.content, request.policy, name=request.name, file_name=f"{CANARY}.csv", headers=headers, **about
            )
        except httpx.TransportError:
            return None
        if answer.status_code == 202:
            request.job_ids.add(answer.json()["job"]["id"])
        return answer

    def insist(self, request: Request) -> str:
        """Send a request until it is accepted, as a client with a key does; returns the job's id."""
        deadline = time.monotonic() + patience(RECOVERY)
        while time.monotonic() < deadline:
            answer = self.send(request)
            if answer is not None and answer.status_code == 202:
                return str(answer.json()["job"]["id"])
            assert answer is None or answer.status_code in (409, 500, 503, 507), answer.text
            time.sleep(0.3)
        raise AssertionError(f"not accepted in {patience(RECOVERY)} s\n{self.stack.said()}")

    def submit(self, rows: int = 60, k: int = 3) -> str:
        """Send a request that must be accepted the first time; returns the job's id."""
        answer = self.send(self.request(rows, k))
        assert answer is not None
        assert answer.status_code == 202, answer.text
        return str(answer.json()["job"]["id"])

    @contextmanager
    def sending(self, request: Request) -> "Iterator[list[httpx.Response | None]]":
        """Send in the background; the answer is in the list when the block ends."""
        answers: list[httpx.Response | None] = []
        thread = threading.Thread(target=lambda: answers.append(self.send(request)))
        thread.start()
        try:
            yield answers
        finally:
            thread.join(patience(RECOVERY))
            assert not thread.is_alive(), "a request was never answered"

    def end_of(self, job_id: str) -> str:
        """Wait until the database shows that a job has ended; returns its status."""
        wait_for(lambda: self.job(job_id)["finished"], f"the end of a job\n{self.stack.said()}", RECOVERY)
        return str(self.job(job_id)["status"])

    def job(self, job_id: str) -> dict[str, Any]:
        """The row of a job in the database."""
        row = self.ask(
            "SELECT status, stage, attempt, fence, error, finished_at IS NOT NULL FROM jobs WHERE id = %s", job_id
        )[0]
        return dict(zip(("status", "stage", "attempt", "fence", "error", "finished"), row, strict=True))

    def ask(self, statement: str, *values: Any, keyring: bool = False) -> list[tuple[Any, ...]]:
        """Query the main database (or the keyring) directly, bypassing every wire, as its owner."""
        name = self.databases.keyring if keyring else self.databases.main
        with self.postgres.address.connect(name) as connection:
            cursor = connection.execute(statement, values)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def said_so_often(self, sentence: str) -> int:
        """How often a text appears in the logs."""
        return sum(log.read_text(errors="replace").count(sentence) for log in self.stack.logs.glob("*.log"))


def wake(process: int) -> None:
    """Send SIGCONT to a process that may be gone."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


@contextmanager
def world() -> Iterator[World]:
    """Our own servers, since the faults hit them too: Redis without a file, PostgreSQL with its defaults."""
    folder = Path(tempfile.mkdtemp(prefix="antifaz-faults-"))
    folder.chmod(0o711)
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, folder)
        postgres = PostgresServer.start(folder / "postgres", durable=False, install=True)
        closing.callback(postgres.stop)
        redis = RedisServer.start(folder / "redis", durable=False, install=True)
        closing.callback(redis.stop)
        databases = _databases(postgres)
        ports = {f"{who}-{what.name.lower()}": what.port for who in ("api", "worker") for what in (postgres, redis)}
        links = closing.enter_context(wires(ports))
        made = World(folder, postgres, redis, databases, links, _stack(databases, redis, links, folder))
        closing.callback(made.close)
        made.recover()
        for role in ("steward", "consumer", "auditor"):
            made.stack.token(role)
        yield made


def _databases(postgres: PostgresServer) -> Databases:
    passwords = {login.name: secrets.token_urlsafe(16) for login in installation.LOGINS}
    made = Databases(postgres.address, "main", "keyring", passwords)
    for name in (made.main, made.keyring):
        installation.create_database(postgres.address, name)
    installation.migrate(made.url, made.keyring_url)
    installation.grant_logins(postgres.address, passwords)
    return made


def _stack(databases: Databases, redis: RedisServer, links: dict[str, Wire], folder: Path) -> WatchedStack:
    """The processes' environments; each process has its own wires."""
    (folder / "run").mkdir()
    (folder / "temporary").mkdir()
    plain = make_stack(databases, redis.work_url, folder / "run")
    for who, environment in (("api", plain.api_environment), ("worker", plain.worker_environment)):
        for variable, server in (("DATABASE", "postgresql"), ("KEYRING", "postgresql"), ("BROKER", "redis")):
            port = databases.address.port if server == "postgresql" else redis.port
            through = links[f"{who}-{server}"].port
            url = environment[f"ANTIFAZ_{variable}_URL"]
            environment[f"ANTIFAZ_{variable}_URL"] = url.replace(f":{port}/", f":{through}/")
        environment["ANTIFAZ_FAILPOINT"] = f"@{folder / 'failpoint'}"
        environment["TMPDIR"] = str(folder / "temporary")
        environment["ANTIFAZ_LARGE_BYTES"] = str(LARGE_BYTES)
    plain.courier_environment |= {name: environment[name] for name in ("ANTIFAZ_FAILPOINT", "TMPDIR")}
    return WatchedStack(**vars(plain))
