"""Temporal graphs: counts of the published data, edge-local differential privacy on them, and a million timed edges.

    python -m bench.temporal             every section; takes a few minutes
    python -m bench.temporal counts      one of them: counts, noise or large

Files are read like uploads. The data folder is next to the checkout; missing files are skipped.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from antifaz.temporal.guarantees.edge_local_dp import SnapshotDensity, TemporalEdgeLocalDp
from antifaz.temporal.methods.edge_local_dp import TemporalEdgeLocalNoise
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import unwatched
from bench.graphs import DATA
from bench.results import write_section
from formats.core.format import GraphReading
from formats.core.limits import Limits
from formats.core.raw import RawSnapshots
from formats.reading import read_snapshots
from formats.sniffing import sniff
from formats.writing import render_nodes, render_snapshots, render_windows
from publication.generator import cryptographic_generator
from storage.settings import Settings
from verifier import Artifact, verify

FILES = {
    "sparrow": ("aves-sparrow/aves-sparrow-social.edges", False),
    "voles": ("mammalia-voles-rob/mammalia-voles-rob-trapping.edges", False),
    "ant": ("insecta-ant-colony5/insecta-ant-colony5.edges", False),
    "Enron": ("ia-enron-employees/ia-enron-employees.edges", True),
    "CollegeMsg": ("collegemsg/CollegeMsg.txt", True),
}
COUNTS = {
    ("sparrow", "snapshot"): (52, 2),
    ("voles", "snapshot"): (1480, 61),
    ("ant", "snapshot"): (152, 41),
    ("Enron", "snapshot"): (151, 16067),
    ("Enron", "hour"): (151, 6440),
    ("Enron", "day"): (151, 867),
    ("Enron", "week"): (151, 161),
    ("Enron", "month"): (151, 38),
    ("Enron", "year"): (151, 4),
    ("CollegeMsg", "snapshot"): (1899, 58911),
    ("CollegeMsg", "hour"): (1899, 3320),
    ("CollegeMsg", "day"): (1899, 193),
    ("CollegeMsg", "week"): (1899, 29),
    ("CollegeMsg", "month"): (1899, 7),
}
"""Published numbers of nodes and snapshots."""
KEPT = {("Enron", "day"): 1138, ("Enron", "week"): 163, ("CollegeMsg", "day"): 195}
"""Number of snapshots if windows without edges are kept."""
EPSILONS = (0.1, 2, 4, 6, 8, 10, 20)
PUBLISHED: dict[tuple[str, str], tuple[str, ...]] = {
    ("sparrow", "snapshot"): ("11.3", "45.4", "86.5", "97.9", "99.7", "99.9", ""),
    ("voles", "snapshot"): ("0.00", "0.02", "0.18", "1.34", "9.2", "38.5", "100"),
    ("Enron", "day"): ("0.9", "1.2", "3.4", "15.1", "46.3", "79.8", "100"),
    ("Enron", "week"): ("0.4", "1.5", "7.9", "32.5", "67.6", "90.4", "100"),
    ("Enron", "month"): ("0.4", "2.9", "16.1", "48.0", "77.4", "94.6", "100"),
    ("CollegeMsg", "day"): ("0.00", "0.02", "0.14", "0.92", "6.1", "25.2", "100"),
    ("CollegeMsg", "week"): ("0.01", "0.09", "0.64", "4.6", "20.4", "53.5", "100"),
    ("CollegeMsg", "month"): ("0.05", "0.32", "2.3", "12.8", "42.6", "80.4", "100"),
}
"""Mean edge Jaccard in percent over five runs and all snapshots, self-loops left out.

In Enron, 37 days and 2 weeks have only self-loops. Their density is 0 once these are left out, so they stay empty here
and count as 1; docs/temporal.md says what other readings give.
"""
RUNS = 8
PUBLISHED_RUNS = 5
"""Number of runs behind each published mean."""


def read(name: str, window: Any, **metadata: Any) -> RawSnapshots | None:
    """A published temporal graph, read like an upload; None if it is not next to the checkout."""
    path, directed = FILES[name]
    if not (DATA / path).exists():
        return None
    content, limits = (DATA / path).read_bytes(), Limits.of(Settings())
    about = {"window": window, **metadata}
    seen = sniff("temporal_graph", about, path, content[: 1 << 20], len(content) <= 1 << 20, limits)
    return read_snapshots([content], seen.format, seen.details, GraphReading(limits, directed))


def as_snapshots(raw: RawSnapshots) -> Snapshots:
    """The file's content as the engine's snapshots."""
    return Snapshots.from_rows(raw.n, raw.sources, raw.targets, raw.times, raw.labels, raw.directed)


def counts(_: np.random.Generator) -> None:
    """Nodes, snapshots, loops and repetitions of every window."""
    rows = []
    for (name, window), expected in COUNTS.items():
        raw = read(name, window)
        if raw is None:
            continue
        kept = KEPT.get((name, window))
        with_empty = len(read(name, window, empty_windows="keep").labels) if kept else None  # type: ignore[union-attr]
        exact = (raw.n, len(raw.labels)) == expected and with_empty == kept
        pairs = raw.n * (raw.n - 1) / (1 if raw.directed else 2)
        density = len(raw.times) / pairs / len(raw.labels)
        over = int((np.bincount(raw.times, minlength=len(raw.labels)) > pairs / 2).sum())
        figures = (len(raw.times), raw.self_loops, raw.repeated, f"{density:.5f}", over, with_empty or "")
        rows.append((name, window, raw.n, len(raw.labels), *figures, "yes" if exact else "NO"))
    write_section(
        "Temporal graphs: what is read",
        "python -m bench.temporal counts",
        "Edges are those of all snapshots; the last column shows whether nodes and snapshots equal the published ones.",
        ("data", "window", "nodes", "snapshots", "edges", "loops", "repeated", "mean density", "over 1/2",
         "with empty windows", "as published"),
        rows,
    )  # fmt: skip


def noise(rng: np.random.Generator) -> None:
    """Edge Jaccard under edge-local differential privacy with the exact density of each snapshot."""
    rows = []
    for (name, window), published in PUBLISHED.items():
        raw = read(name, window)
        if raw is None:
            continue
        original = as_snapshots(raw)
        for epsilon, figure in zip(EPSILONS, published, strict=True):
            runs = [100 * _jaccard(original, _noised(original, epsilon, rng)) for _ in range(RUNS)]
            cells = f"{np.mean(runs):.3f}", f"{np.std(runs, ddof=1):.3f}"
            rows.append((f"{name}, {window}", epsilon, *cells, _beside(figure, runs)))
    write_section(
        "Temporal graphs: edge-local differential privacy",
        "python -m bench.temporal noise",
        f"Edge Jaccard in percent, the mean over snapshots (1 if both are empty) and {RUNS} runs with their standard "
        "deviation; exact densities. In brackets, the difference between the published mean of five runs and ours in "
        "standard errors, beyond what its rounding explains. Days and weeks of Enron with only self-loops stay empty "
        "here, and count as 1.",
        ("data", "epsilon", "edge Jaccard", "deviation", "published"),
        rows,
    )


def _noised(original: Snapshots, epsilon: float, rng: np.random.Generator) -> Snapshots:
    guarantee = TemporalEdgeLocalDp(epsilon=epsilon, density=SnapshotDensity(exact=True))
    method = TemporalEdgeLocalNoise(least_survival=0, dense="complement")
    return method.apply(original, [guarantee], rng, unwatched).snapshots


def _jaccard(one: Snapshots, other: Snapshots) -> float:
    """Mean over snapshots of the edges in both, divided by the edges in either."""
    shared = [len(np.intersect1d(one.keys_at(t), other.keys_at(t), assume_unique=True)) for t in range(len(one))]
    sizes = np.diff(one.starts) + np.diff(other.starts) - shared
    return float(np.where(sizes == 0, 1.0, np.array(shared) / np.maximum(sizes, 1)).mean())


def large(rng: np.random.Generator) -> None:
    """Measure a million timed edges in a thousand snapshots, from the file to the verdict."""
    rows = []
    for stage, seconds in _stages(rng):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        rows.append((stage, f"{seconds:.1f}", f"{peak:.2f}"))
    write_section(
        "Temporal graphs: a million timed edges",
        "python -m bench.temporal large",
        "10,000 nodes, 1,000 windows of an hour; a declared density, epsilon 12, csv and GraphML; the peak is that of "
        "the process so far.",
        ("stage", "CPU s", "peak GiB"),
        rows,
    )


def _stages(rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    n, edges, hours = 10_000, 1_000_000, 1_000
    ends, times = rng.integers(0, n, (2, edges)), 1_000_000_800 + rng.integers(0, hours * 3600, edges)
    content = "".join(f"{u} {v} {t}\n" for u, v, t in zip(*ends.tolist(), times.tolist(), strict=True)).encode()
    begun = time.process_time()
    limits = Limits.of(Settings())
    seen = sniff("temporal_graph", {"window": "hour"}, None, content[: 1 << 20], False, limits)
    raw = read_snapshots([content], seen.format, seen.details, GraphReading(limits))
    original = as_snapshots(raw)
    yield "read", time.process_time() - begun
    begun = time.process_time()
    density = {"declared": original.m / len(original) / (original.n * (original.n - 1) / 2)}
    stated = {"model": "edge_local_dp", "epsilon": 12.0, "density": density}
    method = TemporalEdgeLocalNoise()
    guarantee = TemporalEdgeLocalDp.model_validate(stated)
    found = method.apply(original, [guarantee], rng, unwatched)
    found = found.renamed(rng.permutation(original.n))
    yield "protect", time.process_time() - begun
    begun = time.process_time()
    files = list(_files(found.snapshots))
    yield "write", time.process_time() - begun
    begun = time.process_time()
    policy: Mapping[str, Any] = {
        "kind": "temporal_graph",
        "method": {"name": "edge_local_dp"},
        "guarantees": [stated],
    }
    verdict = verify(policy, files, {"pairs": found.account["public"]["edge_local_dp"]})
    if not verdict.holds:
        raise RuntimeError("a correct release was refused")
    yield "verify", time.process_time() - begun


def _files(released: Snapshots) -> Iterator[Artifact]:
    for form in ("csv", "graphml"):
        yield Artifact(form, "graph", b"".join(render_snapshots(released, form)))
    yield Artifact("csv", "nodes", b"".join(render_nodes(released.n, (), "csv")))
    yield Artifact("csv", "snapshots", b"".join(render_windows(released.labels, "csv")))


SECTIONS: dict[str, Callable[[np.random.Generator], None]] = {"counts": counts, "noise": noise, "large": large}


def main(*names: str) -> None:
    """Measure the named sections, or all."""
    rng = cryptographic_generator()
    for name in names or SECTIONS:
        SECTIONS[name](rng)


def _beside(figure: str, values: Sequence[float]) -> str:
    """A published figure with its distance in brackets; no distance if all runs are equal."""
    distance = _standard_errors(figure, values)
    return figure if distance is None else f"{figure} ({distance:+.1f})"


def _standard_errors(figure: str, values: Sequence[float]) -> float | None:
    """Distance of a published mean from that of the values, in standard errors, beyond its rounding."""
    error = float(np.std(values, ddof=1)) * np.sqrt(1 / PUBLISHED_RUNS + 1 / len(values))
    if not figure or error == 0:
        return None
    half = 0.5 * 10.0 ** int(Decimal(figure).as_tuple().exponent)
    difference = float(figure) - float(np.mean(values))
    return float(np.sign(difference) * max(0.0, abs(difference) - half) / error)


if __name__ == "__main__":
    main(*sys.argv[1:])
