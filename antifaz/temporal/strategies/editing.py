"""Editing: for each task the plan whose snapshots keep most of their edges.

Every plan is tried out: how many edges it takes to reach degrees is only known once they are reached.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

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
TIMES = 0.1
"""What a change by all original edges weighs beside one by all edges of the larger side, which hardly tells twice as
many edges from ten times as many."""
LEAST_PLANS, ALL_PLANS = 2, 1_000_000
"""How many plans are tried for each task: at least, and for how many edges in all."""


@dataclass(frozen=True)
class Edited:
    """Snapshots with the degrees of the best plans."""

    snapshots: Snapshots
    score: float
    """What they keep, summed up over the snapshots."""
    rebuilt: int
    """Snapshots that were built from nothing."""


def edit(snapshots: Snapshots, tasks: Iterable[Task], rng: np.random.Generator, watch: Watch) -> Edited:
    """The snapshots with the degrees of the best plan of each task."""
    graphs: list[Graph] = list(snapshots.graphs())
    total, rebuilt, done = 0.0, 0, 0
    trials = min(MOST_TRIALS, max(1, ALL_TRIALS // max(snapshots.m, 1)))
    plans = max(LEAST_PLANS, ALL_PLANS // max(snapshots.m, 1))
    for task in tasks:
        originals = [graphs[t] for t in task.members]
        found, score = _best(originals, task, plans, trials, rng, within(watch, done / len(graphs), 1.0))
        total += score
        for t, realized in zip(task.members, found, strict=True):
            graphs[t] = realized.graph
            rebuilt += realized.rebuilt
        done += len(task.members)
    return Edited(joined(graphs, snapshots), total, rebuilt)


def _best(
    originals: list[Graph], task: Task, plans: int, trials: int, rng: np.random.Generator, watch: Watch
) -> tuple[list[Realized], float]:
    """The snapshots under the plan with the highest score, of some of the task's plans, and this score."""
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
    return best, most


def _score(original: Graph, graph: Graph, price: float) -> float:
    """The edge Jaccard, less a little for a change of the number of edges."""
    kept = len(np.intersect1d(original.keys, graph.keys, assume_unique=True))
    union = original.m + graph.m - kept
    change = abs(graph.m - original.m)
    growth = change / max(original.m, graph.m, 1) + TIMES * change / max(original.m, 1)
    return (kept / union if union else 1.0) - price * growth
