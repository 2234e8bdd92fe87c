"""Centralities in every snapshot, and the agreement of the most central nodes of original and release.

Freeman, "Centrality in social networks: conceptual clarification", Social Networks 1979; Brandes, "A faster algorithm
for betweenness centrality", Journal of Mathematical Sociology 2001.

The top of a snapshot are the five in a hundred nodes (rounded down, at least one) with the highest scores. Ties are
broken by the original's node numbers, in both graphs alike: in a sparse snapshot, where few nodes have any score, this
makes tops agree without meaning. So the agreement of the clear tops is reported too: the nodes that score above all
nodes left out, which do not depend on ties.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.centrality import search
from antifaz.graphs.analysis.distances import draw_sources
from antifaz.temporal.comparison import affordable, both_at, busy_nodes, by_person, over_snapshots
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch, within

TOP = 0.05
"""Share of nodes that count as the most central."""
AFFORDABLE = 200_000_000
"""Limit of edge visits for the searches in all snapshots of both graphs."""
MOST_VISITS = 20_000_000
"""Edge visits for one graph, above which it is searched from random nodes."""
TIE = 1e-12
"""Scores that differ by less, relative to the largest, are equal: renumbering changes the order of sums."""
_KEPT = "centralities"

Integers = NDArray[np.int64]


def compare_path_scores(
    which: Literal["betweenness", "closeness"],
    snapshots: Snapshots,
    released: ProtectedSnapshots,
    rng: np.random.Generator,
    watch: Watch,
) -> dict[str, Any]:
    """Return the agreement of the tops by a score from shortest paths; both scores share one round of searches."""
    kept: dict[str, Any] | None = released.__dict__.get(_KEPT)
    if kept is None:
        kept = _path_scores(snapshots, released, rng, watch)
        released.__dict__[_KEPT] = kept
    found: dict[str, Any] = kept[which]
    return found


def compare_tops(tops: Sequence["Agreement"], chosen: Integers, count: int) -> dict[str, Any]:
    """Return the mean agreement over some snapshots, and that of the clear tops if there are any."""
    clear = [top.clear for top in tops if top.clear is not None]
    return over_snapshots([top.all for top in tops], chosen, count) | {
        "top": TOP,
        "clear_top": float(np.mean(clear)) if clear else None,
        "snapshots_with_clear_top": len(clear),
    }


class Agreement:
    """Agreement of the most central of n nodes in two graphs; nodes that are not busy have no score."""

    def __init__(self, before: NDArray[Any], after: NDArray[Any], busy: Integers, n: int) -> None:
        (one, clear), (other, also_clear) = (_top(scores, busy, n) for scores in (before, after))
        self.all = _jaccard(one, other)
        """Agreement with ties broken by node number."""
        self.clear = _jaccard(clear, also_clear) if len(clear) or len(also_clear) else None
        """Agreement of the nodes above all nodes left out; None if ties decide in both graphs."""


def _top(scores: NDArray[Any], busy: Integers, n: int) -> tuple[Integers, Integers]:
    """Return the nodes of the top, and those that do not depend on ties."""
    size = max(1, int(TOP * n))
    levels = np.round(scores / max(float(scores.max(initial=0.0)), 1e-300) / TIE)
    order = np.argsort(-levels, kind="stable")
    order = order[levels[order] > 0]
    left_out = levels[order[size]] if len(order) > size else 0.0
    best = order[:size]
    clear = busy[best[levels[best] > left_out]]
    # If fewer nodes have a score, the first of the others follow, as in any stable sort.
    others = np.setdiff1d(np.arange(min(n, size + len(best))), busy[best], assume_unique=True)
    return np.concatenate([busy[best], others[: size - len(best)]]), clear


def _jaccard(one: Integers, other: Integers) -> float:
    shared = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - shared
    return shared / either if either else 1.0


def _path_scores(
    snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
) -> dict[str, Any]:
    person = by_person(released)
    visits = sum(np.minimum(MOST_VISITS, 2.0 * np.diff(each.starts) * busy_nodes(each)) for each in (snapshots, person))
    chosen = affordable(np.asarray(visits), AFFORDABLE, rng)
    tops: dict[str, list[Agreement]] = {"betweenness": [], "closeness": []}
    sampled = 0
    for done, t in enumerate(chosen.tolist()):
        part = within(watch, done / len(chosen), (done + 1) / len(chosen))
        one, other, busy = both_at(snapshots, person, t)
        sources = draw_sources(one.n, max(16, MOST_VISITS // (2 * max(one.m, other.m) + 1)), rng, None)
        sampled += len(sources) < one.n
        before = search(one, sources, within(part, 0.0, 0.5), directed=True)
        after = search(other, sources, within(part, 0.5, 1.0), directed=True)
        tops["betweenness"].append(Agreement(before.betweenness, after.betweenness, busy, snapshots.n))
        tops["closeness"].append(Agreement(before.closeness, after.closeness, busy, snapshots.n))
    about = {"snapshots_searched_from_random_nodes": sampled}
    found = {name: compare_tops(each, chosen, len(snapshots)) | about for name, each in tops.items()}
    return {name: each | {"exact": each["exact"] and not sampled} for name, each in found.items()}
