"""Centralities of nodes from shortest paths, directions ignored: from every node if affordable, else from pivots.

Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology 2001; pivots after Brandes
and Pich, "Centrality estimation in large networks", International Journal of Bifurcation and Chaos 2007, and Eppstein
and Wang, "Fast approximation of centrality", Journal of Graph Algorithms and Applications 2004.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.distances import draw_sources, released_sources
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.kernels.graphs.centrality import add_dependencies
from antifaz.watch import Watch, within

AFFORDABLE = 40_000_000
"""Edge visits that the searches of one graph may make."""
FEWEST = 16
"""Fewest pivots, however large the graph is."""
BATCHES = 16
"""How often the watch is called while the searches run."""
TOP = 0.05
"""Share of nodes that count as the most central."""
MOST_GROUPS = 10
"""Most groups of equal size into which nodes are put for their means."""
LEAST_GROUP = 10
"""Fewest nodes of such a group."""

Floats = NDArray[np.float64]
Rows = tuple[NDArray[np.int64], NDArray[np.int32]]


@dataclass(frozen=True)
class ShortestPaths:
    """Results for every node of searches from some or all nodes."""

    betweenness: Floats
    """Share of pairs of other nodes whose shortest paths lead through a node."""
    errors: Floats
    """Standard errors of the betweenness; 0 if every node was a source."""
    closeness: Floats
    """Share of nodes that are reached, divided by their mean distance."""
    lengths: NDArray[np.int64]
    """Number of ordered pairs by distance, starting at distance 0 (which has none)."""
    apart: int
    """Number of pairs without a path."""
    sources: NDArray[np.int64]
    """The nodes that were searched from."""
    exact: bool


def both_shortest_paths(
    graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch
) -> tuple[ShortestPaths, ShortestPaths]:
    """Shortest paths of the original and of the release, from the same people if not all are sources."""
    before = shortest_paths(graph, rng, within(watch, 0.0, 0.5))
    people = released_sources(released, before.sources)
    return before, shortest_paths(released.graph, rng, within(watch, 0.5, 1.0), people)


def searched(before: ShortestPaths, after: ShortestPaths) -> dict[str, Any]:
    """Whether all nodes of both graphs were searched from, and how many were."""
    sources = {"original": len(before.sources), "released": len(after.sources)}
    return {"exact": before.exact and after.exact, "sources": sources}


def shortest_paths(
    graph: Graph, rng: np.random.Generator, watch: Watch, preferred: NDArray[np.int64] | None = None
) -> ShortestPaths:
    """Search from every node, or from as many random ones as are affordable; cached on the graph because several
    measures share one search."""
    affordable = max(FEWEST, AFFORDABLE // (2 * graph.m + graph.n + 1))
    return graph.found.once(
        "shortest paths", lambda: search(graph, draw_sources(graph.n, affordable, rng, preferred), watch)
    )


def compare(before: Floats, after: Floats, released: ProtectedGraph) -> dict[str, Any]:
    """Jaccard index of the top nodes and mean error over all nodes that both graphs have.

    Nodes that tie with the last of the top belong to it. The error is the mean absolute difference divided by the mean
    of the original.
    """
    real = np.flatnonzero(released.origin >= 0)
    gaps = np.abs(after[real] - before[released.origin[real]])
    level = float(before.mean()) if len(before) else 0.0
    error = float(gaps.mean()) / level if level and len(real) else float(gaps.any())
    top, found = np.flatnonzero(_is_top(before)), np.flatnonzero(_is_top(after))
    shared = int(np.count_nonzero(np.isin(top, released.origin[found])))
    either = len(top) + len(found) - shared
    figures = {"value": shared / either if either else 1.0, "top": TOP, "error": error}
    groups = {"original": _group_means(before), "released": _group_means(after)}
    return figures | ({"quantiles": groups} if groups["original"] and groups["released"] else {})


def _group_means(scores: Floats) -> list[float]:
    """Means of equally large groups of nodes in the order of their scores; none if two groups would be too small.

    A group has at least ten nodes, so that no figure belongs to a single node.
    """
    groups = min(MOST_GROUPS, len(scores) // LEAST_GROUP)
    if groups < 2:
        return []
    return [float(group.mean()) for group in np.array_split(np.sort(scores), groups)]


def _is_top(scores: Floats) -> NDArray[np.bool_]:
    if not len(scores):
        return np.zeros(0, dtype=np.bool_)
    size = int(np.ceil(TOP * len(scores)))
    return np.asarray(scores >= np.partition(scores, len(scores) - size)[len(scores) - size] - 1e-12)


def search(graph: Graph, sources: NDArray[np.int64], watch: Watch, directed: bool = False) -> ShortestPaths:
    """Search from some nodes, along the edges' directions if ``directed`` is set."""
    forward, backward = _rows(graph, directed)
    sums, levels = np.zeros((graph.n, 4)), np.zeros(graph.n + 1, dtype=np.int64)
    for number, batch in enumerate(np.array_split(sources, BATCHES)):
        watch(number / BATCHES)
        add_dependencies(*forward, *backward, batch, sums, levels)
    count = max(1, len(sources))
    exact = len(sources) == graph.n
    pairs = max(1, (graph.n - 1) * (graph.n - 2))
    scale = graph.n / pairs
    spread = np.sqrt(np.maximum(sums[:, 1] / count - (sums[:, 0] / count) ** 2, 0.0))
    lengths = np.trim_zeros(levels, "b")
    return ShortestPaths(
        betweenness=sums[:, 0] / count * scale,
        errors=np.zeros(graph.n) if exact else spread * scale / np.sqrt(count),
        closeness=_closeness(sums, sources, graph.n),
        lengths=lengths,
        apart=len(sources) * (graph.n - 1) - int(lengths.sum()),
        sources=sources,
        exact=exact,
    )


def _rows(graph: Graph, directed: bool) -> tuple[Rows, Rows]:
    """The successors and the predecessors of each node, as offsets and sorted nodes."""
    if not (directed and graph.directed):
        return graph.neighbors, graph.neighbors
    leaving = np.concatenate([[0], np.cumsum(graph.out_degrees)]).astype(np.int64)
    reaching = np.concatenate([[0], np.cumsum(graph.in_degrees)]).astype(np.int64)
    order = np.argsort(graph.targets, kind="stable")
    return (leaving, graph.targets.astype(np.int32)), (reaching, graph.sources[order].astype(np.int32))


def _closeness(sums: Floats, sources: NDArray[np.int64], n: int) -> Floats:
    """Nodes reached squared, divided by their summed distance and n - 1; seen from the pivots if these are fewer."""
    others = np.full(n, float(len(sources)))
    others[sources] -= 1
    total = sums[:, 2] * np.maximum(others, 1)
    closeness: Floats = np.divide(sums[:, 3] ** 2, total, out=np.zeros(n), where=total > 0)
    return closeness
