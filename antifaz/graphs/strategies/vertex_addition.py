"""Vertex addition: made-up nodes take all new edges, so that the original graph stays intact.

Chester, Kapron, Ramesh, Srivastava, Thomo and Venkatesh, "k-Anonymization of Social Networks by Vertex Addition",
ADBIS 2011.

Degrees are raised to the cheapest anonymous sequence. Every missing edge goes to a made-up node, in turn, so that the
degrees of these differ by at most one. At least as many of them are needed as any one node lacks edges. A few edges
among them make their degrees equal: then they are a separate class if there are k or more, or part of a class of
original nodes. The smallest number of made-up nodes for which that is possible is used.

Guarantees: every degree occurs k times or more, those of made-up nodes included.
Preserves: every original edge; no two original nodes are joined that were not.
Cost: O(n·k + edges added).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.errors import Infeasible, Reason
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.strategies.sequences import raised
from antifaz.watch import Watch

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Strangers:
    """Number of made-up nodes, and their common degree."""

    count: int
    degree: int


def anonymize(graph: Graph, k: int, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
    """A k-degree anonymous graph around an undirected one with at least k nodes."""
    watch(0.0)
    targets = raised(graph.degrees, k, False, rng)
    if targets is None:
        raise Infeasible([Reason("k_degree_anonymity", limit=k, detail="no raises alone make the degrees anonymous")])
    watch(0.5)
    lacking = targets - graph.degrees
    strangers = _fewest(lacking, distinct(targets), k)
    sources, receivers = _edges(lacking, strangers, graph.n, rng)
    whole = Graph.from_pairs(
        graph.n + strangers.count,
        np.concatenate([graph.sources, sources]),
        np.concatenate([graph.targets, receivers]),
    )
    origin = np.concatenate([np.arange(graph.n), np.full(strangers.count, -1)]).astype(np.int64)
    account = {
        "edges_added": whole.m - graph.m,
        "edges_removed": 0,
        "nodes_added": strangers.count,
        "strategy": "vertex_addition",
    }
    return ProtectedGraph(whole, origin, account)


def _fewest(lacking: Integers, classes: Integers, k: int) -> Strangers:
    """The fewest made-up nodes that can take all missing edges and end with one common degree."""
    total = int(lacking.sum())
    if total == 0:
        return Strangers(0, 0)
    most = int(lacking.max())
    for count in range(most, max(most, k) + 4):
        for degree in range(-(-total // count), total // count + 3):
            if _can_be_equal(total, count, degree) and (count >= k or degree in classes):
                return Strangers(count, degree)
    raise AssertionError("one of two consecutive numbers has the required parity")


def _can_be_equal(total: int, count: int, degree: int) -> bool:
    """Whether edges among the made-up nodes bring all to the degree; each lacks 2, 1 or none after its share."""
    more, each = total % count, degree - total // count
    if each == 0:
        return more == 0
    if each == 1:
        return (count - more) % 2 == 0
    return count >= 3 and more % 2 == 0


def _edges(lacking: Integers, strangers: Strangers, n: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Edges from the nodes that lack some to made-up nodes in turn, and those among the made-up nodes."""
    if strangers.count == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    nodes = rng.permutation(np.flatnonzero(lacking))
    sources = np.repeat(nodes, lacking[nodes])
    receivers = n + np.arange(len(sources)) % strangers.count
    first, second = _among(len(sources), strangers)
    return np.concatenate([sources, n + first]), np.concatenate([receivers, n + second])


def _among(total: int, strangers: Strangers) -> tuple[Integers, Integers]:
    """Edges among made-up nodes, of which the first ``total % count`` have one edge more than the others."""
    count, more = strangers.count, total % strangers.count
    each = strangers.degree - total // count
    everyone = np.arange(count, dtype=np.int64)
    if each == 0:
        return everyone[:0], everyone[:0]
    if each == 1:
        return everyone[more::2], everyone[more + 1 :: 2]
    # A ring gives every node two; those that have one edge more give one back, in pairs of neighbors.
    kept = np.ones(count, dtype=np.bool_)
    kept[0:more:2] = False
    return everyone[kept], ((everyone + 1) % count)[kept]
