"""Comparing a release with its original, snapshot by snapshot and person by person."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.graph import Graph
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots

MOST_POINTS = 400
"""Longest series; longer ones are reported as means of consecutive snapshots."""
FEWEST = 8
"""Smallest number of snapshots measured, whatever the cost."""
_KEPT = "by_person"

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def by_person(released: ProtectedSnapshots) -> Snapshots:
    """Return the released snapshots under the original's node numbers; cached, because most measures need it."""
    kept: Snapshots | None = released.__dict__.get(_KEPT)
    if kept is None:
        kept = released.snapshots.relabeled(released.origin)
        released.__dict__[_KEPT] = kept
    return kept


def both_at(one: Snapshots, other: Snapshots, t: int) -> tuple[Graph, Graph, Integers]:
    """Return two graphs at one time over the nodes with an edge in either, renumbered in order, and these nodes."""
    graphs = one.graph(t), other.graph(t)
    busy = distinct(np.concatenate([end for graph in graphs for end in (graph.sources, graph.targets)]))
    first, second = (
        Graph.from_pairs(
            len(busy), np.searchsorted(busy, graph.sources), np.searchsorted(busy, graph.targets), graph.directed
        )
        for graph in graphs
    )
    return first, second, busy


def busy_nodes(snapshots: Snapshots) -> Integers:
    """Return the number of nodes with an edge, by snapshot."""
    times, n = snapshots.times, np.int64(max(1, snapshots.n))
    cells = distinct(np.concatenate([times * n + snapshots.sources, times * n + snapshots.targets]))
    return np.bincount(cells // n, minlength=len(snapshots)).astype(np.int64)


def affordable(costs: Floats, budget: float, rng: np.random.Generator) -> Integers:
    """Return the snapshots to measure, in order: all if their cost fits the budget, else as many random ones as fit."""
    if costs.sum() <= budget:
        return np.arange(len(costs), dtype=np.int64)
    order = rng.permutation(len(costs))
    count = int(np.searchsorted(np.cumsum(costs[order]), budget, side="right"))
    return np.sort(order[: max(count, min(FEWEST, len(costs)))])


def over_snapshots(values: Sequence[float] | Floats, chosen: Integers, count: int) -> dict[str, Any]:
    """Return the mean of some snapshots' values, the values by snapshot, and the number of snapshots in the mean.

    For a sample, the standard error of the mean is included.
    """
    found = np.asarray(values, dtype=np.float64)
    spread = np.full(count, np.nan)
    spread[chosen] = found
    result: dict[str, Any] = {
        "value": float(found.mean()) if len(found) else None,
        "by_snapshot": points(spread),
        "snapshots": {"measured": len(chosen), "of": count},
        "exact": len(chosen) == count,
    }
    if len(chosen) < count:
        result["standard_error"] = float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None
    return result


def as_series(original: Floats, released: Floats) -> dict[str, Any]:
    """Return a figure of every snapshot before and after: the means, their relative change, and both series."""
    before, after = (float(each.mean()) if len(each) else 0.0 for each in (original, released))
    return as_loss(before, after) | {"series": {"original": points(original), "released": points(released)}}


def points(values: NDArray[Any]) -> list[float | None]:
    """Return a series of at most 400 points, each the mean of equally many consecutive snapshots; None if none has a
    value."""
    width = points_width(len(values))
    found: list[float | None] = []
    for start in range(0, len(values), width):
        part = values[start : start + width]
        known = part[~np.isnan(part)]
        found.append(float(f"{known.mean():.6g}") if len(known) else None)
    return found


def points_width(count: int) -> int:
    """Return the number of consecutive snapshots in one point of a series."""
    return max(1, -(-count // MOST_POINTS))
