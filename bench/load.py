"""Load: what the service bears, measured against a bare hello on the same machine at the same time.

The whole stack is started (PostgreSQL, Redis, API, worker, sweeper) and beside it `bench.hello`. Rates on a shared
machine mean nothing by themselves, so every figure is a ratio of measurements taken in turns, A B A B, and the median
of the rounds counts; if hello itself varied by more than 30 %, the part is void. Requests come from another process
over the loopback address.

    python -m bench.load                          every part but the soak; about twelve minutes
    python -m bench.load --only get,post          these parts; the others keep their place on the page
    python -m bench.load --only soak --soak-minutes 60
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import platform
import random
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
from sqlalchemy import create_engine, insert, select, update

from bench import wire
from bench.page import Figure, Section, merged, rendered
from bench.stack import ADMIN, UNLIMITED, WORKERS, Stack, finished, running_stack
from bench.wire import Tally, request
from cli.embedded import databases
from storage.blobs import write_release_blob
from storage.keys import load_release_key
from storage.orm import Artifact, Release
from storage.releases import ArtifactRecord, bind, get_release

PAGE = Path(__file__).with_name("RESULTS-load.md")
MEBIBYTE = 1 << 20
MOST_VARIATION = 0.30
CONNECTIONS = 8
POLLERS = 200
LATE = 64
"""Connections of a timetable: enough that none waits for another."""
TENANTS = 8
UPLOAD_BYTES = 500 * 10**6
SMALL_DOWNLOAD_BYTES = 10 * 10**6
WARM_SHARE = 0.2
"""Share of a soak that counts as warming up."""
SAMPLE_SECONDS = 10.0
SAMPLES_OF_A_RATE = 30
"""After so many samples a soak finds out anew how much half the load is."""
OVERLOADED = (429, 503)

PREFACE = """
Written by `python -m bench.load`, which says how everything is measured; each section by the run that it names. A
ratio compares the API with a bare FastAPI application, both one process of uvicorn on the same machine, measured in
turns: the median of the rounds counts. A part during which hello itself varied by more than 30 % is void. Limits on
requests are those of production unless a section says that they are off: they are off only where something else is
measured.
"""


@dataclass(frozen=True)
class Comparison:
    """Rounds of two measurements in turns."""

    yardstick: list[float]
    own: list[float]

    @property
    def ratio(self) -> float:
        """Median over the rounds of ours by the yardstick."""
        return statistics.median(own / other for own, other in zip(self.own, self.yardstick, strict=True))

    @property
    def variation(self) -> float:
        """How far the yardstick itself wandered, as a share of its median."""
        return variation(self.yardstick)

    @property
    def void(self) -> str | None:
        """Why the comparison proves nothing, if it does not."""
        return unsteady("hello", self.yardstick)


def variation(values: Sequence[float]) -> float:
    """The distance of the extremes as a share of the median."""
    return (max(values) - min(values)) / statistics.median(values)


def unsteady(name: str, values: Sequence[float]) -> str | None:
    """What to say of a yardstick that wandered too far to measure by; None if it did not."""
    if variation(values) <= MOST_VARIATION:
        return None
    return f"{name} varied by {variation(values):.0%}, more than {MOST_VARIATION:.0%}"


@dataclass(frozen=True)
class Sample:
    """A dataset with a finished job."""

    token: str
    dataset_id: str
    job_id: str
    release_id: str

    def get(self, etag: str | None = None) -> bytes:
        """A request for the job; with an ETag, one for whatever changed since."""
        headers = {} if etag is None else {"If-None-Match": etag}
        return request("GET", f"/v1/jobs/{self.job_id}", self.token, headers=headers)

    def post(self) -> bytes:
        """A request that submits the same job again."""
        return request("POST", "/v1/jobs", self.token, {"dataset_id": self.dataset_id, "policy": table_policy()})


HELLO = request("GET", "/hello")


@dataclass
class Bench:
    """The stack under load, and who loads it."""

    stack: Stack
    generator: ProcessPoolExecutor
    rounds: int
    seconds: float
    soak_minutes: float = 0.0
    command: str = ""
    """How the run was called."""
    loads: list[float] = field(default_factory=list)
    """Load averages seen so far in this part."""

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
        """Upload with a policy; the job."""
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
        """Ask as fast as answers come."""
        self.loads.append(os.getloadavg()[0])
        return self.generator.submit(wire.flood, port, requests, connections, self.seconds).result()

    def pace(self, port: int, requests: Sequence[bytes], rate: float, seconds: float, connections: int = LATE) -> Tally:
        """Ask by a timetable."""
        return self.pacing(port, requests, rate, seconds, connections).result()

    def pacing(
        self, port: int, requests: Sequence[bytes], rate: float, seconds: float, connections: int = LATE
    ) -> "Future[Tally]":
        """The same, while something else goes on here."""
        self.loads.append(os.getloadavg()[0])
        return self.generator.submit(wire.pace, port, requests, connections, seconds, rate)

    def rates(self, requests: Sequence[bytes], connections: int, *expected: int) -> tuple[Comparison, list[Tally]]:
        """Hello and the API in turns, each asked as fast as it answers."""
        hello, own = [], []
        for _ in range(self.rounds):
            hello.append(self.flood(self.stack.hello_port, [HELLO], connections))
            own.append(self.flood(self.stack.port, requests, connections))
            _refuse_others(own[-1], *expected)
        return Comparison([tally.rate for tally in hello], [tally.rate for tally in own]), own

    def circumstances(self, *more: str) -> list[str]:
        """What stands below a section's figures."""
        loads, self.loads = self.loads or [os.getloadavg()[0]], []
        seen = f"load average {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores"
        when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        return [*more, f"{when}, `{self.command}`, {seen}; {machine()}; {self.stack.versions()}."]


def _refuse_others(tally: Tally, *expected: int) -> None:
    if tally.others(*expected):
        raise RuntimeError(f"unexpected answers: {dict(tally.statuses)}, {tally.broken} without an answer")


def get(bench: Bench) -> Section:
    """Reading a job."""
    sample = bench.sample
    bench.stack.stop("worker")
    _serve(bench)
    found, _ = bench.rates([sample.get()], CONNECTIONS, 200)
    figure = Figure("`GET /v1/jobs/{id}`", f"{found.ratio:.2f} × hello", "≥ 0.30 × hello", found.ratio >= 0.30)
    about = f"One token reads a job over {CONNECTIONS} connections. Limits on requests are off."
    return Section("get", about, [figure], bench.circumstances(_rates(bench, found)), found.void)


def post(bench: Bench) -> Section:
    """Submitting a small job."""
    samples = _tenants(bench)
    bench.stack.stop("worker")
    _serve(bench)
    found, _ = bench.rates([sample.post() for sample in samples], CONNECTIONS, 202)
    bench.stack.forget_queue()
    figure = Figure("`POST /v1/jobs`", f"{found.ratio:.3f} × hello", "≥ 0.06 × hello", found.ratio >= 0.06)
    about = (
        f"{TENANTS} tenants submit small jobs over {CONNECTIONS} connections: authenticated, checked, sealed, stored, "
        "noted in the audit trail and announced to the broker; no worker takes them. Limits on requests are off."
    )
    return Section("post", about, [figure], bench.circumstances(_rates(bench, found)), found.void)


def latency(bench: Bench) -> Section:
    """The slowest answers at a moderate load."""
    sample = bench.sample
    bench.stack.stop("worker")
    _serve(bench)
    loads = [(bench.stack.hello_port, HELLO), (bench.stack.port, sample.get())]
    hello, own = ([bench.flood(port, [asked]).rate for _ in range(2)] for port, asked in loads)
    most = [max(hello), max(own)]
    slowest: list[list[float]] = [[], []]
    for _ in range(bench.rounds):
        for place, (port, asked) in enumerate(loads):
            tally = bench.pace(port, [asked], 0.6 * most[place], bench.seconds)
            _refuse_others(tally, 200)
            slowest[place].append(tally.percentile(0.99))
    hello.append(bench.flood(bench.stack.hello_port, [HELLO]).rate)
    found = Comparison(*slowest)
    figure = Figure("p99 of `GET /v1/jobs/{id}`", f"{found.ratio:.1f} × hello's", "≤ 8 × hello's", found.ratio <= 8)
    about = (
        "Both are asked by a timetable at 60 % of the rate that each reaches at most; an answer counts from the moment "
        "its request was due. Limits on requests are off."
    )
    times = " and ".join(f"{1000 * statistics.median(part):.1f} ms" for part in slowest)
    rates = f"p99 of hello and API {times} at {0.6 * most[0]:.0f} and {0.6 * most[1]:.0f} requests a second."
    return Section("latency", about, [figure], bench.circumstances(rates), unsteady("hello's rate", hello))


def polling(bench: Bench) -> Section:
    """Two hundred clients that wait for one job."""
    sample = bench.sample
    _serve(bench)
    asked = [sample.get(_etag(bench, sample))]
    bench.stack.stop("worker")
    found, _ = bench.rates(asked, POLLERS, 304)
    rate = Figure("304 to their ETag", f"{found.ratio:.2f} × hello", "≥ 0.40 × hello", found.ratio >= 0.40)
    alone, watched = _job_times(bench, asked)
    slower = statistics.median(watched) / statistics.median(alone)
    figure = Figure("time of a running job", f"{slower:.2f} × without them", "≤ 1.5 × without", slower <= 1.5)
    about = (
        f"{POLLERS} clients ask for a job that does not change: as fast as they are answered (against hello, asked "
        "over as many connections), and once a second each while another job runs. Limits on requests are off."
    )
    times = f"The job took {statistics.median(alone):.1f} s alone and {statistics.median(watched):.1f} s with them."
    return Section("polling", about, [rate, figure], bench.circumstances(_rates(bench, found), times), found.void)


def _job_times(bench: Bench, asked: list[bytes]) -> tuple[list[float], list[float]]:
    """Seconds of a job without and with pollers, in turns."""
    bench.stack.ensure("worker")
    content = patients(LARGE_ROWS)
    _job_seconds(bench, content)
    alone, watched = [], []
    for _ in range(3):
        alone.append(_job_seconds(bench, content))
        pollers = bench.pacing(bench.stack.port, asked, float(POLLERS), 3 * alone[-1] + 2, POLLERS)
        time.sleep(1)
        watched.append(_job_seconds(bench, content))
        _refuse_others(pollers.result(), 304)
    return alone, watched


LARGE_ROWS = 60_000
"""Rows of a job that keeps a worker busy for some seconds."""


def _job_seconds(bench: Bench, content: bytes) -> float:
    job = finished(bench.stack, bench.submit(ADMIN, content)["id"])
    began, ended = (datetime.fromisoformat(job[moment]) for moment in ("started_at", "finished_at"))
    return (ended - began).total_seconds()


def busy(bench: Bench) -> Section:
    """Reads while the workers compute."""
    sample = bench.sample
    _serve(bench)
    bench.stack.ensure("worker")
    content = patients(LARGE_ROWS)
    jobs = [bench.submit(ADMIN, content)["id"] for _ in range(BUSY_JOBS)]
    _until_running(bench, jobs[0])
    idle, working = [], []
    try:
        for _ in range(bench.rounds):
            bench.stack.signal("worker", signal.SIGSTOP)
            idle.append(bench.flood(bench.stack.port, [sample.get()]))
            bench.stack.signal("worker", signal.SIGCONT)
            working.append(bench.flood(bench.stack.port, [sample.get()]))
    finally:
        bench.stack.signal("worker", signal.SIGCONT)
    left = _unfinished(bench, jobs)
    bench.stack.forget_queue()
    bench.stack.restart("worker")
    found = Comparison([tally.rate for tally in idle], [tally.rate for tally in working])
    errors = sum(tally.others(200) for tally in [*idle, *working])
    figures = [
        Figure("reads with busy workers", f"{found.ratio:.2f} × idle", "≥ 0.50 × idle", found.ratio >= 0.5),
        Figure("reads that failed", str(errors), "0", errors == 0),
    ]
    about = (
        f"A token reads a job over {CONNECTIONS} connections while {WORKERS} worker processes have jobs to compute, in "
        "turns with the same while the workers are halted. Limits on requests are off."
    )
    rates = f"{statistics.median(found.yardstick):.0f} reads a second with idle workers; {left} jobs were left over."
    void = unsteady("idle reads", found.yardstick) if left >= WORKERS else "the workers ran out of jobs"
    return Section("busy", about, figures, bench.circumstances(rates), void)


BUSY_JOBS = 60


def _until_running(bench: Bench, job_id: str) -> None:
    with bench.stack.client() as client:
        while client.get(f"/v1/jobs/{job_id}").json()["status"] == "queued":
            time.sleep(0.05)


def _unfinished(bench: Bench, jobs: Sequence[str]) -> int:
    with bench.stack.client() as client:
        return sum(client.get(f"/v1/jobs/{job_id}").json()["finished_at"] is None for job_id in jobs)


def overload(bench: Bench) -> Section:
    """Three times as many jobs as the service can take."""
    samples = _tenants(bench)
    bench.stack.stop("worker")
    _serve(bench, limited=True)
    asked, port = [sample.post() for sample in samples], bench.stack.port
    _, full = (bench.flood(port, asked, OVERLOAD_CONNECTIONS) for _ in ("warming up", "at full load"))
    most, usual = full.rate_of(202), full.percentile(0.99, 202)
    above = bench.pace(port, asked, 3 * most, 2 * bench.seconds, 8 * OVERLOAD_CONNECTIONS)
    slow, recovery = above.percentile(0.99, 202) / usual, _recovery(bench, asked, most / 2, usual)
    recovery += max(0.0, above.seconds - 2 * bench.seconds)
    bench.stack.forget_queue()
    others = above.others(202, *OVERLOADED) + above.unadvised
    figures = [
        Figure("answers other than 202, or 429 and 503 with Retry-After", str(others), "0", others == 0),
        Figure("p99 of accepted jobs", f"{slow:.2f} × that at full load", "≤ 2 ×", slow <= 2),
        Figure("recovery", f"{recovery:.1f} s", "< 10 s", recovery < 10),
    ]
    about = (
        f"{TENANTS} tenants submit jobs over {OVERLOAD_CONNECTIONS} connections as fast as they are answered: full "
        "load. Then they submit three times as many by a timetable; recovered is whoever answers half the load without "
        "a refusal and as fast as at full load. The limits on requests are those of production."
    )
    shares = ", ".join(f"{count} × {status}" for status, count in sorted(above.statuses.items()))
    rates = f"Full load {most:.0f} jobs a second with p99 {usual * 1000:.0f} ms; at three times that: {shares}."
    return Section("overload", about, figures, bench.circumstances(rates))


OVERLOAD_CONNECTIONS = 32


def _recovery(bench: Bench, asked: Sequence[bytes], rate: float, usual: float) -> float:
    """Seconds until half the load is answered without a refusal, as fast as at full load."""
    began = time.perf_counter()
    while (seconds := time.perf_counter() - began) < 30:
        tally = bench.pace(bench.stack.port, asked, rate, 1.0)
        if not tally.others(202) and tally.percentile(0.99) <= 2 * usual:
            return seconds
    return seconds


def memory(bench: Bench) -> Section:
    """What large transfers add to the memory of the API."""
    release_id = UUID(bench.sample.release_id)
    bench.stack.stop("worker")
    # Parts that no release has by itself, or its own small file would be served.
    sizes = {"large": UPLOAD_BYTES, "smaller": SMALL_DOWNLOAD_BYTES}
    key = load_release_key(bench.stack.folder / "keys" / "release.key")
    for part, size in sizes.items():
        add_artifact(bench.stack.postgres.address.url(databases.MAIN), key, release_id, part, size)
    up = _growth(bench, lambda client: upload(client, UPLOAD_BYTES))
    down, small = (_growth(bench, partial(download, release_id=release_id, part=n, least=s)) for n, s in sizes.items())
    bench.stack.forget_queue()
    figures = [
        Figure("upload of 500 MB", f"{up / MEBIBYTE:.0f} MiB", "< 150 MB", up < 150e6),
        Figure("download of 500 MB", f"{down / MEBIBYTE:.0f} MiB", "< 150 MB", down < 150e6),
        Figure("download of 10 MB", f"{small / MEBIBYTE:.0f} MiB", "< 32 MB", small < 32e6),
    ]
    about = (
        "How far the highest resident memory of an API process that was started anew is, after one large transfer, "
        "above what it held before, warmed by small ones. Limits on requests are off."
    )
    return Section("memory", about, figures, bench.circumstances())


def _growth(bench: Bench, transfer: Callable[[httpx.Client], None]) -> int:
    """How far the most memory that the API ever held is above what it held before the transfer."""
    bench.stack.restart("api", **UNLIMITED)
    with bench.stack.client() as client:
        upload(client, MEBIBYTE)
        download(client, UUID(bench.sample.release_id))
        before = bench.stack.memory("api")
        transfer(client)
    return bench.stack.most_memory("api") - before


def upload(client: httpx.Client, size: int) -> None:
    """Send a table of about so many bytes, made while it is sent."""
    mark = "antifaz-load-boundary"
    head = (
        f'--{mark}\r\nContent-Disposition: form-data; name="metadata"\r\nContent-Type: application/json\r\n\r\n'
        f'{{"name": "load", "kind": "table"}}\r\n--{mark}\r\n'
        'Content-Disposition: form-data; name="file"; filename="load.csv"\r\n\r\n'
    ).encode()
    block = patients(20_000)
    rows = block[block.index(b"\n") + 1 :]

    def body() -> Iterator[bytes]:
        yield head
        yield block
        for _ in range(size // len(rows)):
            yield rows
        yield f"\r\n--{mark}--\r\n".encode()

    headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    client.post("/v1/datasets", content=body(), headers=headers).raise_for_status()


def download(client: httpx.Client, release_id: UUID, part: str = "table", least: int = 1) -> None:
    """Take the csv of a part of a release, to its last byte."""
    taken = 0
    with client.stream("GET", f"/v1/releases/{release_id}/data", params={"part": part}) as answer:
        answer.raise_for_status()
        for piece in answer.iter_raw(1 << 16):
            taken += len(piece)
    if taken != int(answer.headers["Content-Length"]) or taken < least:
        raise RuntimeError("a download was cut off")


def add_artifact(database_url: str, release_key: bytes, release_id: UUID, part: str, size: int) -> None:
    """Give a release a csv of this size, stored as a worker stores it."""
    digest, piece = hashlib.sha256(), os.urandom(10**6)

    def content() -> Iterator[bytes]:
        for _ in range(size // len(piece)):
            digest.update(piece)
            yield piece

    engine = create_engine(database_url, hide_parameters=True)
    with engine.begin() as connection:
        tenant_id = connection.execute(select(Release.tenant_id).where(Release.id == release_id)).scalar_one()
        release = get_release(connection, release_key, tenant_id, release_id)
        assert release is not None
        blob = write_release_blob(connection, release_key, tenant_id, content())
        file = ArtifactRecord(uuid4(), release_id, "csv", part, digest.hexdigest(), blob.size, blob.id)
        connection.execute(insert(Artifact).values(vars(file)))
        bound = bind(release_key, replace(release, artifacts=(*release.artifacts, file)))
        connection.execute(update(Release).where(Release.id == release_id).values(mac=bound.mac))
    engine.dispose()


def soak(bench: Bench) -> Section:
    """Half load for a long time."""
    sample = bench.sample
    _serve(bench)
    bench.stack.ensure("worker")
    bench.stack.ensure("sweeper")
    asked = [sample.get(), sample.get(_etag(bench, sample)), *_other_reads(sample)]
    half = bench.flood(bench.stack.port, asked).rate / 2
    _strain(bench, sample, asked, half, 30.0)
    before, seen = _at_rest(bench), _Seen()
    until = time.monotonic() + 60 * bench.soak_minutes
    while time.monotonic() < until:
        if len(seen.rates) % SAMPLES_OF_A_RATE == 0:
            half = bench.flood(bench.stack.port, asked).rate / 2
        failed = _strain(bench, sample, asked, half, SAMPLE_SECONDS)
        seen.note(half, bench.stack.memory("api"), *_held(bench), failed)
        print(seen.last(), flush=True)
    return _soaked(bench, seen, before, _at_rest(bench))


@dataclass
class _Seen:
    """What was seen in the course of a soak."""

    began: float = field(default_factory=time.monotonic)
    rates: list[float] = field(default_factory=list)
    minutes: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    failed: int = 0

    def note(self, rate: float, memory: int, connections: int, descriptors: int, failed: int) -> None:
        """Keep one sample."""
        self.rates.append(rate)
        self.minutes.append((time.monotonic() - self.began) / 60)
        self.memory.append(memory)
        self.connections.append(connections)
        self.descriptors.append(descriptors)
        self.failed += failed

    def last(self) -> str:
        """The last sample, for whoever watches."""
        return (
            f"minute {self.minutes[-1]:.1f}: {self.rates[-1]:.0f}/s, {self.memory[-1] / MEBIBYTE:.1f} MiB, "
            f"{self.connections[-1]} connections, {self.descriptors[-1]} descriptors, {self.failed} failed"
        )

    def slope(self) -> float:
        """Bytes a minute after the warm-up, by least squares."""
        first = int(WARM_SHARE * len(self.minutes))
        return slope(self.minutes[first:], self.memory[first:])


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The slope of the straight line that fits best; flat for fewer than two points."""
    return statistics.linear_regression(xs, ys).slope if len(set(xs)) > 1 else 0.0


def _strain(bench: Bench, sample: Sample, asked: Sequence[bytes], rate: float, seconds: float) -> int:
    """Reads by a timetable, and beside them now and then an upload with a job; how much failed."""
    reading = bench.pacing(bench.stack.port, asked, rate, seconds)
    job = finished(bench.stack, bench.submit(sample.token, patients(200))["id"])
    with bench.stack.client(sample.token) as client:
        download(client, UUID(job["release_id"] or sample.release_id))
    tally = reading.result()
    return tally.others(200, 304) + (job["status"] != "released")


def _other_reads(sample: Sample) -> list[bytes]:
    paths = ("/v1/jobs?limit=10", f"/v1/releases/{sample.release_id}", f"/v1/jobs/{sample.job_id}/report")
    return [request("GET", path, sample.token) for path in paths]


def _held(bench: Bench) -> tuple[int, int]:
    return bench.stack.connections()[0], bench.stack.descriptors("api")


def _at_rest(bench: Bench) -> tuple[int, int, int]:
    """Connections, connections left in a transaction, and further descriptors, a while after the last request."""
    time.sleep(5)
    connections, open_transactions = bench.stack.connections()
    return connections, open_transactions, bench.stack.descriptors("api") - connections


def _soaked(bench: Bench, seen: _Seen, before: tuple[int, int, int], after: tuple[int, int, int]) -> Section:
    rise = seen.slope()
    leaked = max(0, after[0] - KEPT_CONNECTIONS) + after[1]
    descriptors = max(0, after[2] - before[2])
    figures = [
        Figure("resident memory", f"{rise / 1e6:+.3f} MB a minute", "< 1 MB a minute", rise < 1e6),
        Figure("connections leaked", str(leaked), "0", leaked == 0),
        Figure("other descriptors leaked", str(descriptors), "0", descriptors == 0),
        Figure("requests that failed", str(seen.failed), "0", seen.failed == 0),
    ]
    about = (
        f"{bench.soak_minutes:g} minutes of reads at half the rate that the API reaches, measured again every five "
        f"minutes, and beside them a new upload, its job and its download at least every {SAMPLE_SECONDS:.0f} s. The "
        f"memory's slope is fitted after the first {WARM_SHARE:.0%}. At rest the pools keep at most {KEPT_CONNECTIONS} "
        "connections. Limits on requests are off."
    )
    first, most, last = (size / MEBIBYTE for size in (seen.memory[0], max(seen.memory), seen.memory[-1]))
    course = (
        f"{min(seen.rates):.0f} to {max(seen.rates):.0f} reads a second; memory {first:.0f} MiB at first, {most:.0f} "
        f"at most, {last:.0f} at last; connections at rest {before[0]} before and {after[0]} after; {len(seen.memory)} "
        "samples."
    )
    return Section("soak", about, figures, bench.circumstances(course))


KEPT_CONNECTIONS = 35
"""Ten of each of three pools, three that look things up, one that keeps keys and one that listens."""


def _serve(bench: Bench, *, limited: bool = False) -> None:
    """Have hello and the API run, with or without limits on requests."""
    bench.stack.ensure("hello")
    bench.stack.ensure("api", **({} if limited else UNLIMITED))


def _tenants(bench: Bench) -> list[Sample]:
    """A sample of each of several tenants."""
    first = bench.sample
    with bench.stack.client() as client:
        names = [f"load {uuid4()}" for _ in range(TENANTS - 1)]
        tokens = [client.post("/v1/tenants", json={"name": name}).json()["token"]["token"] for name in names]
    return [first, *(bench.publish(token, patients(200)) for token in tokens)]


def _etag(bench: Bench, sample: Sample) -> str:
    with bench.stack.client(sample.token) as client:
        return str(client.get(f"/v1/jobs/{sample.job_id}").headers["ETag"])


def _rates(bench: Bench, found: Comparison) -> str:
    hello, own = statistics.median(found.yardstick), statistics.median(found.own)
    return (
        f"hello {hello:.0f} and the API {own:.0f} answers a second, medians of {bench.rounds} rounds of "
        f"{bench.seconds:g} s; hello varied by {found.variation:.0%}."
    )


DISEASES = ("asthma", "cancer", "flu", "hepatitis")


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
    """The machine, as far as it matters."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{models[0] if models else platform.machine()}, {memory:.0f} GiB, {platform.system()}"


def command(chosen: argparse.Namespace) -> str:
    """How a run is called that measures the same."""
    words = ["python -m bench.load", "--only", ",".join(chosen.only)]
    words += ["--rounds", str(chosen.rounds), "--seconds", f"{chosen.seconds:g}"]
    return " ".join([*words, *(["--soak-minutes", f"{chosen.soak_minutes:g}"] if chosen.soak_minutes else [])])


PARTS: dict[str, Callable[[Bench], Section]] = {
    part.__name__: part for part in (get, post, latency, polling, busy, overload, memory, soak)
}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What is to be measured, and how long."""
    parser = argparse.ArgumentParser(prog="bench.load", description="Measure what the service bears.")
    parser.add_argument("--only", type=_parts, default=[part for part in PARTS if part != "soak"], metavar="PART,PART")
    parser.add_argument("--rounds", type=int, default=6, help="how often two things are measured in turns")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each measurement takes")
    parser.add_argument("--soak-minutes", type=float, default=0.0, help="half load for so long, as a last part")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the results go")
    chosen = parser.parse_args(given)
    if chosen.soak_minutes > 0 and "soak" not in chosen.only:
        chosen.only.append("soak")
    if "soak" in chosen.only and chosen.soak_minutes <= 0:
        parser.error("a soak needs --soak-minutes")
    return chosen


def _parts(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"parts are {', '.join(PARTS)}")
    return [part for part in PARTS if part in names]


def main(given: Sequence[str] | None = None) -> None:
    """Measure, part after part, and write the page after each: a run that is broken off loses one part at most."""
    chosen = arguments(given)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    context = multiprocessing.get_context("spawn")
    with running_stack() as stack, ProcessPoolExecutor(1, mp_context=context) as generator:
        bench = Bench(stack, generator, chosen.rounds, chosen.seconds, chosen.soak_minutes, command(chosen))
        for part in chosen.only:
            print(f"measuring {part}", flush=True)
            section = PARTS[part](bench)
            print(section.text(), flush=True)
            earlier = chosen.page.read_text() if chosen.page.exists() else ""
            chosen.page.write_text(rendered("Load", PREFACE, merged(earlier, [section], list(PARTS))))


if __name__ == "__main__":
    main()
