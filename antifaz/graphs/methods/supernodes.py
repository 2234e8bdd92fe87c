"""Supernodes: nodes in groups of k or more, released as sizes and numbers of edges, such that few graphs fit.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008.

Of all partitions into supernodes of at least k nodes, the method searches the one that fits the fewest graphs W(G): the
original is then as likely as possible, 1 / |W(G)|. Splitting a supernode never makes it worse, so all have fewer than
2k nodes. The search begins with the better of two orders of the nodes, cut into groups: by degree, and by common
neighbors. Then it is annealed: a node moves to a supernode near it or changes places with a node there, supernodes are
merged and split, and changes for the worse are accepted less and less often. Graphs drawn uniformly among those that
fit can be released along with the counts.

It does not protect edges: the counts show how likely two persons are joined, and in a supernode with no edges or with
all of them they show it for sure. Nor does it protect attributes that all members share.

Guarantees: supernode_size, checked on the result before it is returned.
Preserves: the number of nodes and of edges, and the density in and between supernodes.
Cost: O(n log n + m log m), then edges read by effort, each in about 10 nanoseconds.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import BrokenGuarantee
from antifaz.graphs.forms.generalized import ends_of, log_worlds, release, summarize
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.supernode_size import SupernodeSize
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.targets import largest_k
from antifaz.kernels.graphs.supernodes import ROOM, anneal
from antifaz.watch import Watch

Integers = NDArray[np.int64]
Effort = Literal["fast", "normal", "high"]

WORK: dict[Effort, tuple[int, int]] = {
    "fast": (10_000, 20_000_000),
    "normal": (50_000, 1_000_000_000),
    "high": (500_000, 10_000_000_000),
}
"""Edges that the search reads: for every node and edge of the graph, and at most."""
SLICES = 48
"""How often the search cools down and the watch is called."""
HOT, COLD = 4.0, 0.1
"""The first and the last temperature, in natural logarithms of numbers of graphs; 0 follows."""
LOOKS = 4_000
"""Reads of every node and edge needed to begin at that heat; with fewer, the search begins colder."""
SMALL, MOST_TIMES = 500, 4
"""Largest number of nodes and edges at which the search is heated up again, and how often it is hot."""
LONGEST_TABLE = 1 << 20
"""Number of logarithms of factorials that are stored."""


class Supernodes(GraphMethod):
    """Release supernodes of at least k nodes and the numbers of edges in and between them, found by annealing."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("supernode_size",)
    leaves: ClassVar[str] = (
        "Edges are not hidden: their numbers show how likely members of two supernodes are joined, sometimes for sure."
    )
    form: ClassVar[Literal["graph", "uncertain", "generalized"]] = "generalized"

    name: Literal["supernodes"] = "supernodes"
    samples: int = Field(default=0, ge=0, le=10)
    """Number of graphs to release along with the counts, drawn uniformly among all graphs that have these counts."""
    effort: Effort = "normal"
    """How long to search for a likelier partition, as a number of edges read (at most 0.2, 10, 100 seconds)."""

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Partition the nodes for the largest k requested, and count."""
        watch(0.0)
        k = largest_k(self, guarantees, graph)
        members, stopped = _search(graph, k, _work(graph, self.effort), rng, watch)
        released = release(graph, members, self.samples, {"stopped_early": stopped}, rng)
        if not all(isinstance(g, SupernodeSize) and g.holds_in(released) for g in guarantees):
            raise BrokenGuarantee("supernodes returned a supernode of fewer than k nodes")
        watch(1.0)
        return released


def _work(graph: Graph, effort: Effort) -> int:
    for_each, most = WORK[effort]
    return min(most, for_each * (graph.n + graph.m))


def _search(graph: Graph, k: int, work: int, rng: np.random.Generator, watch: Watch) -> tuple[Integers, bool]:
    """The best partition found, and whether the time was used up before the search was done."""
    best, cost = _begin(graph, k, rng)
    groups = graph.n // k
    if groups == 1 or graph.m == 0:
        return best, False
    members, now = best.copy(), cost
    rows = ends_of(graph)
    logarithms = scipy.special.gammaln(np.arange(min((ROOM * k) ** 2 + 1, LONGEST_TABLE)) + 1.0)
    for turn, heat in enumerate(_temperatures(graph, work)):
        if watch(turn / SLICES):
            return _renumber(best), True
        seed = int(rng.integers(1 << 62))
        now += anneal(k, graph.directed, *rows, members, groups, logarithms, heat, work // SLICES, seed)
        if now < cost:
            best, cost = members.copy(), now
    return _renumber(best), False


def _temperatures(graph: Graph, work: int) -> list[float]:
    """From hot to cold by equal factors, then only downhill; several times over in a small graph."""
    hot = max(COLD, HOT * min(1.0, work / (LOOKS * (graph.n + graph.m))))
    times = MOST_TIMES if graph.n + graph.m <= SMALL else 1
    turns = SLICES // times
    cooling = 3 * turns // 4
    return times * [*np.geomspace(hot, COLD, cooling).tolist(), *([0.0] * (turns - cooling))]


def _begin(graph: Graph, k: int, rng: np.random.Generator) -> tuple[Integers, float]:
    """The better of two cheap partitions, and its cost."""
    partitions = [_cut(order, k) for order in (_by_degree(graph), _by_neighbors(graph, rng))]
    costs = [log_worlds(summarize(graph, members)) for members in partitions]
    return partitions[int(np.argmin(costs))], min(costs)


def _cut(order: Integers, k: int) -> Integers:
    """The supernode of every node when an order is cut into as many groups of k or more as possible."""
    members = np.empty(len(order), dtype=np.int64)
    members[order] = np.arange(len(order)) * (len(order) // k) // len(order)
    return members


def _by_degree(graph: Graph) -> Integers:
    """Nodes by degree, those of one degree by their neighbors' degrees."""
    reach = np.zeros(graph.n)
    np.add.at(reach, graph.sources, graph.degrees[graph.targets])
    np.add.at(reach, graph.targets, graph.degrees[graph.sources])
    return np.lexsort((reach, graph.in_degrees, graph.degrees)).astype(np.int64)


def _by_neighbors(graph: Graph, rng: np.random.Generator) -> Integers:
    """Nodes ordered so that those with common neighbors are close: by the smallest neighbor under random names."""
    hashes = [_smallest_neighbor(graph, rng.permutation(graph.n)) for _ in range(3)]
    return np.lexsort(hashes).astype(np.int64)


def _smallest_neighbor(graph: Graph, names: Integers) -> Integers:
    smallest = np.full(graph.n, graph.n, dtype=np.int64)
    np.minimum.at(smallest, graph.sources, names[graph.targets])
    np.minimum.at(smallest, graph.targets, names[graph.sources])
    return smallest


def _renumber(members: Integers) -> Integers:
    """The same partition with consecutive numbers."""
    return np.unique(members, return_inverse=True)[1].astype(np.int64)
