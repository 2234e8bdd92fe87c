"""UMGA: microaggregate the degrees, and hand edges over from nodes with too many to nodes with too few.

Casas-Roma, Herrera-Joancomartí and Torra, "An Algorithm for k-Degree Anonymity on Large Networks", ASONAM 2013;
optimal univariate microaggregation after Hansen and Mukherjee, IEEE TKDE 2003.

The sorted degrees are divided into groups of k to 2k-1 with the least squared error; the target of a group is its mean,
rounded up or down such that the number of edges changes as little as possible. Rotations then hand edges over, chosen
at random or as the least relevant by neighborhood centrality. Adding or removing edges settles the remaining units of
one sign, and the search of `greedy` settles the rest.

Guarantees: every degree occurs k times or more.
Preserves: the nodes and nearly the number of edges; by relevance, also the edges that matter most.
Cost: O(n·k + Σ degree of the nodes changed), by relevance times the degrees of their neighbors.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.strategies.realization import Realization, finish
from antifaz.graphs.strategies.sequences import Ranking, grouped
from antifaz.kernels.tables.microaggregate import group_sorted
from antifaz.watch import Watch, unwatched, within

Integers = NDArray[np.int64]

EdgeSelection = Literal["random", "relevance"]


def anonymize(graph: Graph, k: int, selection: EdgeSelection, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
    """A k-degree anonymous version of an undirected graph with at least k nodes."""
    watch(0.0)
    built = Realization(graph, microaggregated(graph.degrees, k, rng, within(watch, 0.0, 0.2)))
    watch(0.2)
    built.rotate_edges(rng, by_relevance=selection == "relevance")
    built.add_edges(rng)
    built.remove_edges(rng)
    watch(0.6)
    rest = within(watch, 0.6, 1.0)
    return finish(graph, k, built.result, "umga", rng, rest, edge_selection=selection)


def microaggregated(degrees: Integers, k: int, rng: np.random.Generator, watch: Watch = unwatched) -> Integers:
    """Target degrees: means of the optimal groups, rounded so that their sum is nearly the same."""
    ranking = Ranking.of(degrees, k, rng)
    values = ranking.values
    cuts = len(values) - group_sorted(np.ascontiguousarray(values[::-1], dtype=np.float64), k, watch)[::-1]
    sizes = np.diff(cuts)
    sums = np.add.reduceat(values, cuts[:-1])
    targets = _round_means(sums, sizes)
    return ranking.spread(grouped(values, cuts, targets, len(degrees) - 1))


def _round_means(sums: Integers, sizes: Integers) -> Integers:
    """Means rounded to whole numbers; those in doubt are rounded in the direction that keeps the sum."""
    below = sums // sizes
    share = (sums - below * sizes) / sizes
    targets = below + (share >= 0.5)
    excess = int((targets * sizes).sum() - sums.sum())
    towards = -1 if excess > 0 else 1
    movable = np.flatnonzero((share > 0) & ((share >= 0.5) if excess > 0 else (share < 0.5)))
    movable = movable[np.argsort(np.abs(share[movable] - 0.5), kind="stable")]
    left = np.abs(abs(excess) - np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes[movable])]))
    targets[movable[: int(left.argmin())]] += towards
    return np.asarray(targets, dtype=np.int64)
