"""Degrees over time: what `temporal_k_degree` keeps of the published temporal graphs, and what it costs.

    python -m bench.temporal_degrees                every section
    python -m bench.temporal_degrees edit           one of them: edit or large

The data folder stands beside the checkout; what is not there is skipped.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from antifaz.graphs.strategies.greedy import anonymize_degrees
from antifaz.temporal.guarantees.degree_trajectory_anonymity import DegreeTrajectoryAnonymity
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from antifaz.temporal.methods.temporal_k_degree import TemporalKDegree
from antifaz.temporal.parts import TemporalGuarantee
from antifaz.temporal.snapshots import Snapshots, joined
from antifaz.watch import unwatched
from bench.results import write_section
from bench.snapshots import CASES, TemporalCase
from formats import render_nodes, render_snapshots, render_windows
from verifier import Artifact, verify
from workers.context import cryptographic_generator

GOALS: dict[str, dict[int, tuple[tuple[float, float], ...]]] = {
    "voles": {2: ((0.984, 0.02), (0.912, 0.09), (0.574, 1.37)), 5: ((0.923, 0.09), (0.781, 0.32), (0.249, 1.28))},
    "ant": {2: ((0.996, 0.003), (0.981, 0.01), (0.941, 0.04)), 5: ((0.986, 0.006), (0.957, 0.03), (0.914, 0.03))},
    "Enron week": {2: ((0.926, 0.09), (0.863, 0.08), (0.700, 0.43)), 5: ((0.796, 0.22), (0.698, 0.28), (0.488, 0.38))},
    "CollegeMsg week": {
        2: ((0.942, 0.07), (0.823, 0.71), (0.576, 2.15)),
        5: ((0.874, 0.09), (0.658, 1.76), (0.302, 3.49)),
    },
    "CollegeMsg day": {
        2: ((0.942, 0.07), (0.888, 0.06), (0.585, 0.82)),
        5: ((0.871, 0.13), (0.760, 0.14), (0.311, 0.85)),
    },
}
"""Mean edge Jaccard and relative change of the edge count of an undirected prototype, by k: each snapshot for itself,
and with multisets and vectors of degrees that recur."""

KEEP_EDGES = 0.3
"""What a kept number of edges is worth to `k_degree`, snapshot by snapshot."""


def edge_jaccards(before: Snapshots, after: Snapshots) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The edge Jaccard of every snapshot; of two empty ones 1."""
    found = []
    for t in range(len(before)):
        first, second = before.keys_at(t), after.keys_at(t)
        kept = len(np.intersect1d(first, second, assume_unique=True))
        union = len(first) + len(second) - kept
        found.append(kept / union if union else 1.0)
    return np.array(found)


def edge_change(before: Snapshots, after: Snapshots) -> float:
    """Mean relative change of the number of edges, over snapshots that have any."""
    first, second = np.diff(before.starts), np.diff(after.starts)
    return float((np.abs(second - first)[first > 0] / first[first > 0]).mean())


def _cases() -> Iterator[TemporalCase]:
    for name in GOALS:
        if not CASES[name].path.exists():
            print(f"{name} skipped: no data beside the checkout")
            continue
        yield CASES[name]


def edit(rng: np.random.Generator) -> None:
    """What stays of the edges under each reading, undirected and directed."""
    rows: list[tuple[object, ...]] = []
    for case in _cases():
        for directed in dict.fromkeys((False, case.directed)):
            snapshots = case.read(directed)
            for k in (2, 5):
                name = f"{case.name}{', directed' if directed else ''}"
                rows += _readings(name, snapshots, k, () if directed else GOALS[case.name][k], rng)
    write_section(
        "Temporal graphs: edges kept for degrees that recur",
        "python -m bench.temporal_degrees edit",
        "Mean edge Jaccard, and mean relative change of the edge count, of an undirected prototype where one was "
        "measured (peer) and of `temporal_k_degree` with `edit`; edits beside the lower bound; snapshots that lost all "
        "edges or were rebuilt. Each snapshot for itself: `k_degree` with its effort fast and "
        f"`keep_edges` {KEEP_EDGES}.",
        ("data", "k", "shared", "peer", "kept", "edits", "bound", "emptied", "rebuilt", "CPU s"),
        rows,
    )


def _readings(
    name: str, snapshots: Snapshots, k: int, goals: tuple[tuple[float, float], ...], rng: np.random.Generator
) -> Iterator[tuple[object, ...]]:
    asked: tuple[tuple[str, TemporalGuarantee], ...] = (
        ("and multisets", TemporalKDegreeAnonymity(k=k, recurrence="multiset")),
        ("and vectors", TemporalKDegreeAnonymity(k=k)),
        ("trajectories", DegreeTrajectoryAnonymity(k=k)),
    )
    peers = [f"{kept:.3f} / {change:.2f}" for kept, change in goals] or ["–"] * 3
    yield name, k, "in each snapshot", peers[0], *_each_by_itself(snapshots, k, rng)
    for (reading, guarantee), peer in zip(asked, [*peers[1:], "–"], strict=True):
        method = TemporalKDegree(target="trajectory" if reading == "trajectories" else "recurrence")
        began = time.process_time()
        released = method.apply(snapshots, [guarantee], rng, unwatched)
        spent, account = time.process_time() - began, released.account
        yield (
            name,
            k,
            reading,
            peer,
            f"{edge_jaccards(snapshots, released.snapshots).mean():.3f} / "
            f"{edge_change(snapshots, released.snapshots):.3f}",
            account["edges_added"] + account["edges_removed"],
            account["edit_lower_bound"],
            account["empty_snapshots"] - account["empty_snapshots_before"],
            account["snapshots_rebuilt"],
            f"{spent:.1f}",
        )


def _each_by_itself(snapshots: Snapshots, k: int, rng: np.random.Generator) -> tuple[object, ...]:
    """Every snapshot protected by the method for single graphs."""
    began = time.process_time()
    done = [anonymize_degrees(graph, k, "fast", rng, unwatched, KEEP_EDGES) for graph in snapshots.graphs()]
    released = joined([graph for graph, _ in done], snapshots)
    kept = edge_jaccards(snapshots, released)
    edits, bound = (
        sum(account["edges_added"] + account["edges_removed"] for _, account in done),
        sum(account["edit_lower_bound"] for _, account in done),
    )
    emptied = int((np.diff(released.starts) == 0).sum() - (np.diff(snapshots.starts) == 0).sum())
    cells = f"{kept.mean():.3f} / {edge_change(snapshots, released):.3f}"
    return cells, edits, bound, emptied, 0, f"{time.process_time() - began:.1f}"


def large(rng: np.random.Generator) -> None:
    """A million edges in a thousand snapshots, protected and verified on the bytes."""
    rows: list[tuple[object, ...]] = []
    for directed in (False, True):
        snapshots = skewed_snapshots(20_000, 1_000, 1_000_000, rng, directed)
        for target, guarantee in (
            ("recurrence", TemporalKDegreeAnonymity(k=5)),
            ("trajectory", DegreeTrajectoryAnonymity(k=5)),
        ):
            rows.append(
                (target, directed, f"{snapshots.m:,}", *_protected_and_verified(snapshots, target, guarantee, rng))
            )
    write_section(
        "Temporal graphs: a million edges in a thousand snapshots",
        "python -m bench.temporal_degrees large",
        "20,000 nodes with degrees by a power law, k = 5; CPU seconds of the method, of writing the release as csv, of "
        "the verifier on these bytes, and of all three. Memory is the most of the process so far.",
        ("target", "directed", "edges", "edge Jaccard", "edge count", "protect", "write", "verify", "CPU s", "GiB"),
        rows,
    )


def _protected_and_verified(
    snapshots: Snapshots, target: str, guarantee: TemporalGuarantee, rng: np.random.Generator
) -> tuple[object, ...]:
    """What stays of the edges and of their number, CPU seconds of each step and in all, and the memory."""
    method = TemporalKDegree.model_validate({"target": target})
    began = [time.process_time()]
    released = method.apply(snapshots, [guarantee], rng, unwatched).snapshots
    began.append(time.process_time())
    files = [
        Artifact("csv", "graph", b"".join(render_snapshots(released, "csv"))),
        Artifact("csv", "nodes", b"".join(render_nodes(released.n, (), "csv"))),
        Artifact("csv", "snapshots", b"".join(render_windows(released.labels, "csv"))),
    ]
    began.append(time.process_time())
    policy = {"kind": "temporal_graph", "method": method.model_dump(), "guarantees": [guarantee.model_dump()]}
    if not verify(policy, files, directed=snapshots.directed).holds:
        raise RuntimeError("a right release was refused")
    began.append(time.process_time())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    kept, change = edge_jaccards(snapshots, released).mean(), released.m / snapshots.m - 1
    seconds = [*np.diff(began), began[-1] - began[0]]
    return f"{kept:.3f}", f"{change:+.2f}", *(f"{each:.1f}" for each in seconds), f"{memory:.1f}"


def skewed_snapshots(n: int, length: int, m: int, rng: np.random.Generator, directed: bool) -> Snapshots:
    """Snapshots whose nodes have activities by a power law, the same at all times."""
    weights = np.cumsum((np.arange(n) + 10.0) ** -0.6)
    ends = np.searchsorted(weights, rng.random((2, m)) * weights[-1]).astype(np.int64)
    labels = [str(t) for t in range(length)]
    return Snapshots.from_rows(n, ends[0], ends[1], rng.integers(0, length, m), labels, directed)


def main() -> None:
    """Measure the sections that are named, or all."""
    sections: dict[str, Callable[[np.random.Generator], None]] = {"edit": edit, "large": large}
    named = [name for name in sys.argv[1:] if name in sections]
    for name in named or sections:
        sections[name](cryptographic_generator())


if __name__ == "__main__":
    main()
