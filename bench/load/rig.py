"""The rig: the stack under load, the tenants that load it, and their invented data."""

import json
import os
import platform
import random
import statistics
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench import wire
from bench.load.comparing import Comparison
from bench.stack import ADMIN, UNLIMITED, Stack, finished
from bench.wire import Tally, request

CONNECTIONS = 8
LATE = 64
"""Connections for scheduled requests: enough that none waits for another."""
TENANTS = 8
HELLO = request("GET", "/hello")
DISEASES = ("asthma", "cancer", "flu", "hepatitis")


@dataclass(frozen=True)
class Sample:
    """A dataset with a finished job."""

    token: str
    dataset_id: str
    job_id: str
    release_id: str

    def get(self, etag: str | None = None) -> bytes:
        """A request for the job; with an ETag, a conditional one."""
        headers = {} if etag is None else {"If-None-Match": etag}
        return request("GET", f"/v1/jobs/{self.job_id}", self.token, headers=headers)

    def post(self) -> bytes:
        """A request that submits the same job again."""
        return request("POST", "/v1/jobs", self.token, {"dataset_id": self.dataset_id, "policy": table_policy()})


@dataclass
class Bench:
    """The stack under load, and the tenants that load it."""

    stack: Stack
    generator: ProcessPoolExecutor
    rounds: int
    seconds: float
    soak_minutes: float = 0.0
    command: str = ""
    """The command of the run."""
    loads: list[float] = field(default_factory=list)
    """Load averages measured so far in this part."""

    @cached_property
    def sample(self) -> Sample:
        """A small dataset whose job has ended, in the first tenant."""
        return self.publish(ADMIN, patients(200))

    def publish(self, token: str, content: bytes) -> Sample:
        """Upload with a policy and wait for the release."""
        self.stack.ensure("api", **UNLIMITED)
        self.stack.ensure("worker")
        job = finished(self.stack, self.submit(token, content)["id"], token)
        if job["release_id"] is None:
            raise RuntimeError(f"the sample job ended {job['status']}")
        return Sample(token, job["dataset_id"], job["id"], job["release_id"])

    def submit(self, token: str, content: bytes) -> dict[str, Any]:
        """Upload with a policy, and return the job."""
        form = [
            ("metadata", (None, json.dumps({"name": "load", "kind": "table"}), "application/json")),
            ("policy", (None, json.dumps(table_policy()), "application/json")),
            ("file", ("load.csv", content)),
        ]
        with self.stack.client(token) as client:
            answer = client.post("/v1/datasets", files=form)
            answer.raise_for_status()
            job: dict[str, Any] = answer.json()["job"]
        return job

    def flood(self, port: int, requests: Sequence[bytes], connections: int = CONNECTIONS) -> Tally:
        """Send requests as fast as they are answered."""
        self.loads.append(os.getloadavg()[0])
        return self.generator.submit(wire.flood, port, requests, connections, self.seconds).result()

    def pace(self, port: int, requests: Sequence[bytes], rate: float, seconds: float, connections: int = LATE) -> Tally:
        """Send requests on a schedule."""
        return self.pacing(port, requests, rate, seconds, connections).result()

    def pacing(
        self, port: int, requests: Sequence[bytes], rate: float, seconds: float, connections: int = LATE
    ) -> "Future[Tally]":
        """The same, while the caller does something else."""
        self.loads.append(os.getloadavg()[0])
        return self.generator.submit(wire.pace, port, requests, connections, seconds, rate)

    def rates(self, requests: Sequence[bytes], connections: int, *expected: int) -> tuple[Comparison, list[Tally]]:
        """Measure hello and the API in turns, each with requests as fast as it answers."""
        hello, own = [], []
        for _ in range(self.rounds):
            hello.append(self.flood(self.stack.hello_port, [HELLO], connections))
            own.append(self.flood(self.stack.port, requests, connections))
            refuse_others(own[-1], *expected)
        return Comparison([tally.rate for tally in hello], [tally.rate for tally in own]), own

    def circumstances(self, *more: str) -> list[str]:
        """The notes below a section's figures."""
        loads, self.loads = self.loads or [os.getloadavg()[0]], []
        seen = f"load average {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores"
        when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        return [*more, f"{when}, `{self.command}`, {seen}; {machine()}; {self.stack.versions()}."]


def refuse_others(tally: Tally, *expected: int) -> None:
    if tally.others(*expected):
        raise RuntimeError(f"unexpected answers: {dict(tally.statuses)}, {tally.broken} without an answer")


def serve(bench: Bench, *, limited: bool = False) -> None:
    """Ensure that hello and the API run, with or without limits on requests."""
    bench.stack.ensure("hello")
    bench.stack.ensure("api", **({} if limited else UNLIMITED))


def tenants(bench: Bench) -> list[Sample]:
    """A sample of each of several tenants."""
    first = bench.sample
    with bench.stack.client() as client:
        names = [f"load {uuid4()}" for _ in range(TENANTS - 1)]
        tokens = [client.post("/v1/tenants", json={"name": name}).json()["token"]["token"] for name in names]
    return [first, *(bench.publish(token, patients(200)) for token in tokens)]


def etag(bench: Bench, sample: Sample) -> str:
    with bench.stack.client(sample.token) as client:
        return str(client.get(f"/v1/jobs/{sample.job_id}").headers["ETag"])


def rates_seen(bench: Bench, found: Comparison) -> str:
    hello, own = statistics.median(found.yardstick), statistics.median(found.own)
    return (
        f"hello {hello:.0f} and the API {own:.0f} answers a second, medians of {bench.rounds} rounds of "
        f"{bench.seconds:g} s; hello varied by {found.variation:.0%}."
    )


def patients(rows: int, seed: int = 1) -> bytes:
    """A CSV of invented patients."""
    chance = random.Random(seed)
    lines = ["name,age,zip,sex,disease"]
    for number in range(rows):
        zip_code = f"{chance.randrange(53):02d}{chance.randrange(1000):03d}"
        person = (f"Person {number}", chance.randint(18, 90), zip_code, chance.choice("FM"), chance.choice(DISEASES))
        lines.append(",".join(str(value) for value in person))
    return "\n".join([*lines, ""]).encode()


def table_policy() -> dict[str, Any]:
    """A policy for `patients`."""
    return {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "type": "integer", "recoding": "range"},
            "zip": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "mask"}},
            "sex": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 5}],
        "method": {"name": "mondrian"},
    }


def machine() -> str:
    """Processor, memory and system of the machine."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{models[0] if models else platform.machine()}, {memory:.0f} GiB, {platform.system()}"
