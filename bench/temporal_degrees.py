"""Degrees over time: how much of the published temporal graphs `temporal_k_degree` keeps, and its cost.

    python -m bench.temporal_degrees                every section; takes a quarter of an hour
    python -m bench.temporal_degrees edit           one kind of them: edit or large
    python -m bench.temporal_degrees edit voles     one of its datasets

The data folder is next to the checkout; missing files are skipped.
"""

import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from antifaz.graphs.strategies.greedy import anonymize_degrees
from antifaz.temporal.guarantees.degree_trajectory_anonymity import DegreeTrajectoryAnonymity
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from antifaz.temporal.methods.temporal_k_degree import TemporalKDegree
from antifaz.temporal.parts import TemporalGuarantee
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots, joined
from antifaz.watch import unwatched
from bench.results import write_section
from bench.snapshots import CASES
from formats.writing import render_nodes, render_snapshots, render_windows
from publication.generator import cryptographic_generator
from verifier import Artifact, verify

GOALS: dict[str, dict[int, tuple[str, ...]]] = {
    "voles": {2: (".984/.02", ".912/.09", ".574/1.37"), 5: (".923/.09", ".781/.32", ".249/1.28")},
    "ant": {2: (".996/.003", ".981/.01", ".941/.04"), 5: (".986/.006", ".957/.03", ".914/.03")},
    "Enron week": {2: (".926/.09", ".863/.08", ".700/.43"), 5: (".796/.22", ".698/.28", ".488/.38")},
    "CollegeMsg week": {2: (".942/.07", ".823/.71", ".576/2.15"), 5: (".874/.09", ".658/1.76", ".302/3.49")},
    "CollegeMsg day": {2: (".942/.07", ".888/.06", ".585/.82"), 5: (".871/.13", ".760/.14", ".311/.85")},
}
"""Mean edge Jaccard and relative change of the edge count of an undirected prototype, by k: each snapshot separately,
and with recurring multisets and vectors of degrees."""
TRAJECTORIES = {"voles": (0.70, 0.55), "ant": (0.90, 0.88), "Enron week": (0.57, 0.46), "CollegeMsg week": (0.53, 0.44)}
"""Smallest acceptable mean edge Jaccard with trajectories, for k = 2 and 5."""
SHARE = 0.95
"""Smallest acceptable share of the prototype's edge Jaccard."""
DIRECTED = ", directed"
RUNS = 3
"""Number of runs of every variant that the prototype has too; the others run once."""

KEEP_EDGES = 0.3
"""Weight of an unchanged number of edges in `k_degree`, snapshot by snapshot."""


def edge_jaccards(before: Snapshots, after: Snapshots) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The edge Jaccard of every snapshot; 1 if both are empty."""
    found = []
    for t in range(len(before)):
        first, second = before.keys_at(t), after.keys_at(t)
        kept = len(np.intersect1d(first, second, assume_unique=True))
        union = len(first) + len(second) - kept
        found.append(kept / union if union else 1.0)
    return np.array(found)


def edge_change(before: Snapshots, after: Snapshots) -> float:
    """Mean relative change of the number of edges, over snapshots with edges."""
    first, second = np.diff(before.starts), np.diff(after.starts)
    return float((np.abs(second - first)[first > 0] / first[first > 0]).mean())


def edit(rng: np.random.Generator, *names: str) -> None:
    """Measure the edges kept by each variant, undirected and directed, in a section for each."""
    both = [*GOALS, *(f"{name}{DIRECTED}" for name in GOALS if CASES[name].directed)]
    for title in names or both:
        name = title.removesuffix(DIRECTED)
        if not CASES[name].path.exists():
            print(f"{name} skipped: no data next to the checkout")
            continue
        directed = name != title
        snapshots = CASES[name].read(directed)
        rows = [
            (k, reading, *cells)
            for k in (2, 5)
            for reading, cells in _readings(snapshots, k, {} if directed else _goals(name, k), rng)
        ]
        write_section(
            f"Temporal graphs: edges kept for degrees that recur, {title}",
            f'python -m bench.temporal_degrees edit "{title}"',
            "Mean edge Jaccard, and mean relative change of the edge count: of an undirected prototype if one was "
            f"measured (peer), and of `temporal_k_degree` with `edit`, the mean and the worst of {RUNS} runs, or one "
            "run if there is no peer. Then the edits of the last run next to the lower bound, snapshots that lost "
            "all edges or were rebuilt, and CPU seconds of a run. Each snapshot separately: `k_degree` with effort "
            f"`fast` and `keep_edges` {KEEP_EDGES}. The last column shows whether the worst run keeps 95 % of the "
            "peer's edge Jaccard without a larger change of the number of edges.",
            ("k", "shared", "peer", "mean", "worst", "edits", "bound", "emptied", "rebuilt", "CPU s", "enough"),
            rows,
        )


@dataclass(frozen=True)
class Goal:
    """The figures that a run should reach."""

    shown: str
    kept: float
    """Smallest mean edge Jaccard."""
    change: str = ""
    """Largest mean relative change of the edge count, as published; no limit if empty."""

    def reached(self, kept: float, change: float) -> str:
        """Whether a run reaches the goal, or only if its change is rounded like the published one."""
        if kept < self.kept:
            return "NO"
        if not self.change or change <= float(self.change):
            return "yes"
        digits = -int(Decimal(self.change).as_tuple().exponent)
        return "rounded" if round(change, digits) <= float(self.change) else "NO"


def _goals(name: str, k: int) -> dict[str, Goal]:
    """Goals by variant."""
    found = {}
    for reading, shown in zip(("in each snapshot", "and multisets", "and vectors"), GOALS[name][k], strict=True):
        kept, change = shown.split("/")
        found[reading] = Goal(shown, SHARE * float(kept), change)
    if name in TRAJECTORIES:
        least = TRAJECTORIES[name][0 if k == 2 else 1]
        found["trajectories"] = Goal(f"at least {least:.2f}", least)
    return found


def _readings(
    snapshots: Snapshots, k: int, goals: dict[str, Goal], rng: np.random.Generator
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Every variant with its cells."""
    asked: dict[str, TemporalGuarantee | None] = {
        "in each snapshot": None,
        "and multisets": TemporalKDegreeAnonymity(k=k, recurrence="multiset"),
        "and vectors": TemporalKDegreeAnonymity(k=k),
        "trajectories": DegreeTrajectoryAnonymity(k=k),
    }
    for reading, guarantee in asked.items():
        goal, found = goals.get(reading), []
        began = time.process_time()
        for _ in range(RUNS if goal and goal.change else 1):
            run = _each_by_itself(snapshots, k, rng) if guarantee is None else _together(snapshots, guarantee, rng)
            found.append((edge_jaccards(snapshots, run[0]).mean(), edge_change(snapshots, run[0])))
        spent, account = (time.process_time() - began) / len(found), run[1]
        means, worst = np.mean(found, axis=0), (min(kept for kept, _ in found), max(change for _, change in found))
        yield (
            reading,
            (
                goal.shown if goal else "–",
                *(f"{kept:.3f} / {change:.3f}" for kept, change in (means, worst)),
                account["edges_added"] + account["edges_removed"],
                account["edit_lower_bound"],
                account["emptied"],
                account["snapshots_rebuilt"],
                f"{spent:.1f}",
                goal.reached(*worst) if goal else "",
            ),
        )


def _together(
    snapshots: Snapshots, guarantee: TemporalGuarantee, rng: np.random.Generator
) -> tuple[Snapshots, dict[str, Any]]:
    """Protect all snapshots by the method for temporal graphs; the result and its account."""
    trajectories = isinstance(guarantee, DegreeTrajectoryAnonymity)
    method = TemporalKDegree(target="trajectory" if trajectories else "recurrence")
    released = method.apply(snapshots, [guarantee], rng, unwatched)
    emptied = released.account["empty_snapshots"] - released.account["empty_snapshots_before"]
    return released.snapshots, released.account | {"emptied": emptied}


def _each_by_itself(snapshots: Snapshots, k: int, rng: np.random.Generator) -> tuple[Snapshots, dict[str, Any]]:
    """Protect every snapshot by the method for single graphs; the results and the total account."""
    done = [anonymize_degrees(graph, k, "fast", rng, unwatched, KEEP_EDGES) for graph in snapshots.graphs()]
    released = joined([graph for graph, _ in done], snapshots)
    names = ("edges_added", "edges_removed", "edit_lower_bound")
    sums = {name: sum(account[name] for _, account in done) for name in names}
    emptied = int((np.diff(released.starts) == 0).sum() - (np.diff(snapshots.starts) == 0).sum())
    return released, sums | {"emptied": emptied, "snapshots_rebuilt": 0}


def large(rng: np.random.Generator) -> None:
    """Protect a million edges in a thousand snapshots, and verify the bytes."""
    rows: list[tuple[object, ...]] = []
    for directed in (False, True):
        snapshots = skewed_snapshots(20_000, 1_000, 1_000_000, rng, directed)
        for target, guarantee in TARGETS.items():
            found, seconds = protected_and_verified(snapshots, target, guarantee, rng)
            kept, change = edge_jaccards(snapshots, found.snapshots).mean(), found.snapshots.m / snapshots.m - 1
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            cells = f"{kept:.3f}", f"{change:+.2f}", *(f"{each:.1f}" for each in (*seconds, sum(seconds)))
            rows.append((target, directed, f"{snapshots.m:,}", *cells, f"{memory:.1f}"))
    write_section(
        "Temporal graphs: a million edges in a thousand snapshots",
        "python -m bench.temporal_degrees large",
        "20,000 nodes with power-law degrees, k = 5; CPU seconds of the method, of writing the release as csv, of "
        "the verifier on these bytes, and of all three. Memory is the peak of the process so far.",
        ("target", "directed", "edges", "edge Jaccard", "edge count", "protect", "write", "verify", "CPU s", "GiB"),
        rows,
    )


TARGETS: dict[str, TemporalGuarantee] = {
    "recurrence": TemporalKDegreeAnonymity(k=5),
    "trajectory": DegreeTrajectoryAnonymity(k=5),
}


def protected_and_verified(
    snapshots: Snapshots, target: str, guarantee: TemporalGuarantee, rng: np.random.Generator
) -> tuple[ProtectedSnapshots, list[float]]:
    """The method's result, and CPU seconds of creating it, of writing it and of the verifier on these bytes."""
    method = TemporalKDegree.model_validate({"target": target})
    began = [time.process_time()]
    found = method.apply(snapshots, [guarantee], rng, unwatched)
    began.append(time.process_time())
    released = found.snapshots
    files = [
        Artifact("csv", "graph", b"".join(render_snapshots(released, "csv"))),
        Artifact("csv", "nodes", b"".join(render_nodes(released.n, (), "csv"))),
        Artifact("csv", "snapshots", b"".join(render_windows(released.labels, "csv"))),
    ]
    began.append(time.process_time())
    policy = {"kind": "temporal_graph", "method": method.model_dump(), "guarantees": [guarantee.model_dump()]}
    if not verify(policy, files, directed=snapshots.directed).holds:
        raise RuntimeError("a correct release was refused")
    began.append(time.process_time())
    return found, np.diff(began).tolist()


def skewed_snapshots(n: int, length: int, m: int, rng: np.random.Generator, directed: bool) -> Snapshots:
    """Snapshots whose nodes have power-law activities, the same at all times."""
    weights = np.cumsum((np.arange(n) + 10.0) ** -0.6)
    ends = np.searchsorted(weights, rng.random((2, m)) * weights[-1]).astype(np.int64)
    labels = [str(t) for t in range(length)]
    return Snapshots.from_rows(n, ends[0], ends[1], rng.integers(0, length, m), labels, directed)


def main(section: str = "", *names: str) -> None:
    """Measure one section, or all."""
    if section in ("", "edit"):
        edit(cryptographic_generator(), *names)
    if section in ("", "large"):
        large(cryptographic_generator())


if __name__ == "__main__":
    main(*sys.argv[1:])
