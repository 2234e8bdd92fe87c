"""Generalized graphs: supernodes, the numbers of edges in and between them, and graphs drawn from these.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008.

A partition of the nodes is published as the size of every supernode, the edges inside it and the edges to every other
one; in a directed graph, each direction is counted separately. Every graph with these counts is equally likely to be
the original: one is drawn by choosing, for each count, that number of pairs among those that it counts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.graph import EdgeColumn, Graph, ProtectedGraph
from antifaz.kernels.graphs.draws import keep_distinct

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Summary:
    """Everything that is published about a partition."""

    sizes: Integers
    """Number of nodes of every supernode."""
    inside: Integers
    """Number of edges inside every supernode."""
    quotient: Graph
    """The supernodes, joined if an edge joins members of theirs."""
    between: Integers
    """Number of edges for every pair of the quotient."""

    @property
    def room_inside(self) -> Integers:
        """Number of pairs of nodes of every supernode."""
        return self.sizes * (self.sizes - 1) // (1 if self.quotient.directed else 2)

    @property
    def room_between(self) -> Integers:
        """Number of pairs of nodes for every pair of the quotient."""
        return np.asarray(self.sizes[self.quotient.sources] * self.sizes[self.quotient.targets])


def summarize(graph: Graph, members: Integers) -> Summary:
    """The published summary of a partition; ``members`` numbers the supernodes 0, 1, … without a gap."""
    count = int(members.max()) + 1 if graph.n else 0
    sizes = np.bincount(members, minlength=count).astype(np.int64)
    first, second = members[graph.sources], members[graph.targets]
    within = first == second
    inside = np.bincount(first[within], minlength=count).astype(np.int64)
    first, second = first[~within], second[~within]
    if not graph.directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    keys, between = np.unique(first * np.int64(count) + second, return_counts=True)
    return Summary(sizes, inside, Graph(count, keys, graph.directed), between.astype(np.int64))


def ends_of(graph: Graph) -> tuple[Integers, NDArray[np.int32]]:
    """CSR (offsets, ends): the nodes to which every node has edges and, if directed, n + the nodes from which it
    has."""
    shift = graph.n if graph.directed else 0
    owners = np.concatenate([graph.sources, graph.targets])
    ends = np.concatenate([graph.targets, graph.sources + shift])[np.argsort(owners, kind="stable")]
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(graph.degrees)]), ends.astype(np.int32)


def log_worlds(summary: Summary) -> float:
    """The natural logarithm of the number of graphs with these counts."""
    return float(
        _log_choose(summary.room_inside, summary.inside).sum()
        + _log_choose(summary.room_between, summary.between).sum()
    )


def structural_loss(summary: Summary) -> float:
    """Probability that their density reports a pair drawn from one or two supernodes wrongly; 1 in the worst case.

    Campan and Truta, "Data and Structural k-Anonymity in Social Networks", PinKDD 2008.
    """
    n = float(summary.sizes.sum())
    pairs = n * (n - 1) / (1 if summary.quotient.directed else 2)
    edges = np.concatenate([summary.inside, summary.between])
    room = np.maximum(1, np.concatenate([summary.room_inside, summary.room_between]))
    return float((2.0 * edges * (1.0 - edges / room)).sum() / (pairs / 2.0)) if pairs else 0.0


def _log_choose(pairs: Integers, edges: Integers) -> NDArray[np.float64]:
    return np.asarray(
        scipy.special.gammaln(pairs + 1.0)
        - scipy.special.gammaln(edges + 1.0)
        - scipy.special.gammaln(pairs - edges + 1.0)
    )


def draw_graph(summary: Summary, rng: np.random.Generator) -> tuple[Graph, Integers]:
    """A graph drawn uniformly among all that have these counts, and the supernode of each of its nodes.

    Its nodes are numbered at random, so that their order discloses nothing about the supernodes.
    """
    n = int(summary.sizes.sum())
    names = rng.permutation(n).astype(np.int64)
    starts = np.cumsum(summary.sizes) - summary.sizes
    ends = _draw_inside(summary, starts, rng), _draw_between(summary, starts, rng)
    sources, targets = (np.concatenate([inside, between]) for inside, between in zip(*ends, strict=True))
    members = np.empty(n, dtype=np.int64)
    members[names] = np.repeat(np.arange(len(summary.sizes)), summary.sizes)
    return Graph.from_pairs(n, names[sources], names[targets], summary.quotient.directed), members


def _draw_inside(summary: Summary, starts: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    where, ranks = _draw_ranks(summary.room_inside, summary.inside, rng)
    unrank = _ordered_pair if summary.quotient.directed else _unordered_pair
    first, second = unrank(ranks, summary.sizes[where])
    return starts[where] + first, starts[where] + second


def _draw_between(summary: Summary, starts: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    where, ranks = _draw_ranks(summary.room_between, summary.between, rng)
    first, second = summary.quotient.sources[where], summary.quotient.targets[where]
    width = summary.sizes[second]
    return starts[first] + ranks // width, starts[second] + ranks % width


def _draw_ranks(room: Integers, counts: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """For every place i, ``counts[i]`` distinct numbers below ``room[i]``: the places and the numbers."""
    where = np.repeat(np.arange(len(counts)), counts)
    if not len(where):
        return where, where
    turn = np.arange(len(where)) - np.repeat(np.cumsum(counts) - counts, counts)
    limits = room[where] - counts[where] + turn
    starts = (np.cumsum(room) - room)[where]
    return where, keep_distinct(starts, limits, rng.integers(0, limits, endpoint=True)) - starts


def _ordered_pair(ranks: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """The rank-th of the size·(size - 1) pairs of different numbers below size."""
    first, second = ranks // (sizes - 1), ranks % (sizes - 1)
    return first, second + (second >= first)


def _unordered_pair(ranks: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """The rank-th of the pairs first < second, in the order of the second; the sizes do not matter."""
    second = ((1.0 + np.sqrt(1.0 + 8.0 * ranks)) / 2.0).astype(np.int64)
    # The root is off by at most one, near the whole numbers.
    second -= second * (second - 1) // 2 > ranks
    second += second * (second + 1) // 2 <= ranks
    return ranks - second * (second - 1) // 2, second


def release(
    graph: Graph, members: Integers, samples: int, account: dict[str, Any], rng: np.random.Generator
) -> ProtectedGraph:
    """The release of a partition: counts, graphs drawn from them, and one more for measures and attacks."""
    summary = summarize(graph, members)
    return ProtectedGraph(
        summary.quotient,
        np.full(len(summary.sizes), -1, dtype=np.int64),
        {**_account(summary), **account},
        edge_columns=(EdgeColumn("edges", summary.between),),
        node_columns=(EdgeColumn("size", summary.sizes), EdgeColumn("edges", summary.inside)),
        members=members,
        world=_world(summary, members, rng),
        samples=tuple(ProtectedGraph(*draw_graph(summary, rng)) for _ in range(samples)),
    )


def _account(summary: Summary) -> dict[str, Any]:
    """A few figures that the release itself shows."""
    return {
        "supernodes": len(summary.sizes),
        "smallest_supernode": int(summary.sizes.min()) if len(summary.sizes) else 0,
        "largest_supernode": int(summary.sizes.max()) if len(summary.sizes) else 0,
        "mean_supernode": float(summary.sizes.mean()) if len(summary.sizes) else 0.0,
        "log_worlds": log_worlds(summary),
    }


def _world(summary: Summary, members: Integers, rng: np.random.Generator) -> ProtectedGraph:
    """A drawn graph whose nodes stand for the members of their supernodes, in random order."""
    drawn, places = draw_graph(summary, rng)
    shuffled = rng.permutation(len(members))
    origin = np.empty(len(members), dtype=np.int64)
    origin[np.argsort(places, kind="stable")] = shuffled[np.argsort(members[shuffled], kind="stable")]
    return ProtectedGraph(drawn, origin)
