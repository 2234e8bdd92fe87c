"""Soak: half of the full load for a long time."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from bench.load.comparing import slope
from bench.load.memory import MEBIBYTE, download
from bench.load.rig import Bench, Sample, etag, patients, serve
from bench.page import Figure, Section
from bench.stack import finished
from bench.wire import request

WARM_SHARE = 0.2
"""Share of a soak that counts as warm-up."""
SAMPLE_SECONDS = 10.0
SAMPLES_OF_A_RATE = 30
"""Number of samples after which a soak measures the full load again."""
KEPT_CONNECTIONS = 35
"""Ten in each of three pools, three for lookups, one that stores keys and one that listens."""


def soak(bench: Bench) -> Section:
    """Half of the full load for a long time."""
    sample = bench.sample
    serve(bench)
    bench.stack.ensure("worker")
    bench.stack.ensure("sweeper")
    asked = [sample.get(), sample.get(etag(bench, sample)), *_other_reads(sample)]
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
    """The samples of a soak."""

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
        """The last sample, to print."""
        return (
            f"minute {self.minutes[-1]:.1f}: {self.rates[-1]:.0f}/s, {self.memory[-1] / MEBIBYTE:.1f} MiB, "
            f"{self.connections[-1]} connections, {self.descriptors[-1]} descriptors, {self.failed} failed"
        )

    def slope(self) -> float:
        """Bytes per minute after the warm-up, by least squares."""
        first = int(WARM_SHARE * len(self.minutes))
        return slope(self.minutes[first:], self.memory[first:])


def _strain(bench: Bench, sample: Sample, asked: Sequence[bytes], rate: float, seconds: float) -> int:
    """Reads on a schedule and, from time to time, an upload with a job; the number of failures."""
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
    """Connections, connections left in a transaction, and other descriptors, some time after the last request."""
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
        f"minutes, together with a new upload, its job and its download at least every {SAMPLE_SECONDS:.0f} s. The "
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
