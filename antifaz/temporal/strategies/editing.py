"""Editing: for each task the plan whose snapshots keep most of their edges.

Every plan is tried out: how many edges it takes to reach degrees is only known once they are reached.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import BrokenGuarantee
from antifaz.graphs.graph import Graph
from antifaz.temporal.snapshots import Snapshots, joined
from antifaz.temporal.strategies.plans import Task
from antifaz.temporal.strategies.realization import Realized, realize
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]

MOST_TRIALS, ALL_TRIALS = 4, 400_000
"""How often a snapshot is edited to the same degrees: at most, and for how many edges in all."""
TIMES = 0.02
"""What a change by all original edges weighs beside one by all edges of the larger side, which hardly tells twice as
many edges from ten times as many."""
LEAST_PLANS, ALL_PLANS = 2, 1_000_000
"""How many plans are tried for each task: at least, and for how many edges in all."""


def edit(
    snapshots: Snapshots, tasks: Iterable[Task], rng: np.random.Generator, watch: Watch
) -> tuple[Snapshots, dict[str, Any]]:
    """The snapshots with the degrees of the best plan of each task, and the account of what was done."""
    graphs: list[Graph] = list(snapshots.graphs())
    rebuilt, done = 0, 0
    trials = min(MOST_TRIALS, max(1, ALL_TRIALS // max(snapshots.m, 1)))
    plans = max(LEAST_PLANS, ALL_PLANS // max(snapshots.m, 1))
    for task in tasks:
        originals = [graphs[t] for t in task.members]
        found = _best(originals, task, plans, trials, rng, within(watch, done / len(graphs), 1.0))
        for t, realized in zip(task.members, found, strict=True):
            graphs[t] = realized.graph
            rebuilt += realized.rebuilt
        done += len(task.members)
    return joined(graphs, snapshots), {"snapshots_rebuilt": rebuilt}


def _best(
    originals: list[Graph], task: Task, plans: int, trials: int, rng: np.random.Generator, watch: Watch
) -> list[Realized]:
    """The snapshots under the plan with the highest score, of some of the task's plans."""
    best: list[Realized] = []
    most, tried = -np.inf, set()
    for drafted in islice(task.plans(lambda fraction: watch(0.0)), plans):
        plan = drafted.realizable()
        if plan.row.tobytes() in tried:
            continue
        tried.add(plan.row.tobytes())
        found = []
        for t, graph in zip(task.members, originals, strict=True):
            watch(0.0)
            realized = realize(graph, task.by_node(t, plan.row), trials, rng)
            if realized is not None:
                found.append(realized)
        score = sum(_score(first, each.graph, task.growth) for first, each in zip(originals, found, strict=False))
        if len(found) == len(originals) and score > most:
            best, most = found, score
    if not best:
        raise BrokenGuarantee("a plan passed as realizable and no graph has its degrees")
    return best


def _score(original: Graph, graph: Graph, price: float) -> float:
    """The edge Jaccard, less a little for a change of the number of edges."""
    kept = len(np.intersect1d(original.keys, graph.keys, assume_unique=True))
    union = original.m + graph.m - kept
    change = abs(graph.m - original.m)
    growth = change / max(original.m, graph.m, 1) + TIMES * change / max(original.m, 1)
    return (kept / union if union else 1.0) - price * growth


def kept_share(before: Snapshots, after: Snapshots) -> float:
    """The mean edge Jaccard over snapshots; of two empty ones it is 1."""
    pairs = np.int64(max(before.n, 1)) ** 2
    both = np.intersect1d(before.times * pairs + before.keys, after.times * pairs + after.keys, assume_unique=True)
    kept = np.bincount(both // pairs, minlength=len(before))
    union = np.diff(before.starts) + np.diff(after.starts) - kept
    return float(np.where(union > 0, kept / np.maximum(union, 1), 1.0).mean())
