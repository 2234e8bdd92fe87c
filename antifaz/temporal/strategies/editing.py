"""Editing: find for each task the plan whose snapshots keep most of their edges.

Every plan is tried, because the number of edits it needs is known only afterwards.
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
"""Largest number of trials to edit a snapshot to the same degrees, and trials times edges in total."""
TIMES = 0.1
"""Weight of the change relative to the original edges, added to the change relative to the larger graph. The latter
alone hardly distinguishes twice as many edges from ten times as many."""
LEAST_PLANS, ALL_PLANS = 2, 1_000_000
"""Smallest number of plans tried for each task, and plans times edges in total."""


@dataclass(frozen=True)
class Edited:
    """Snapshots with the degrees of the best plans."""

    snapshots: Snapshots
    score: float
    """Score of the edges kept, summed over the snapshots."""
    rebuilt: int
    """Number of snapshots built from scratch."""


def edit(snapshots: Snapshots, tasks: Iterable[Task], rng: np.random.Generator, watch: Watch) -> Edited:
    """Return the snapshots with the degrees of the best plan of each task."""
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
    """Return the snapshots under the best of the task's first plans, and its score."""
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
            realized = realize(graph, task.by_node(t, plan.row), trials, rng, lambda fraction: watch(0.0))
            if realized is not None:
                found.append(realized)
        score = sum(_score(first, each.graph, task.growth) for first, each in zip(originals, found, strict=False))
        if len(found) == len(originals) and score > most:
            best, most = found, score
    if not best:
        raise BrokenGuarantee("a plan counted as realizable, but no graph has its degrees")
    return best, most


def _score(original: Graph, graph: Graph, price: float) -> float:
    """Return the edge Jaccard, minus a penalty for changing the number of edges."""
    kept = len(np.intersect1d(original.keys, graph.keys, assume_unique=True))
    union = original.m + graph.m - kept
    change = abs(graph.m - original.m)
    growth = change / max(original.m, graph.m, 1) + TIMES * change / max(original.m, 1)
    return (kept / union if union else 1.0) - price * growth
