"""MCL: whether the clusters in which random walks stay are still the same.

van Dongen, "Graph Clustering by Flow Simulation", PhD thesis, University of Utrecht, 2000 (Markov clustering).

Every node gets a loop, and the columns of the adjacency matrix are the steps of a random walk. In alternation, the walk
is made twice as long and its entries are raised to the power of the inflation, which strengthens strong entries; the
flow ends in attractors, and the nodes that flow to the same ones are a cluster. Small entries are dropped, and columns
with very many are cut to the largest. The clusterings of both graphs are compared by the Jaccard index of the best
matching (the value), normalized mutual information, precision and modularity, and those of the original with themselves
(``noise``); directions are ignored. Graphs of more than 10,000 nodes are compared on that many nodes around a random
one.

Guarantees: none, it measures.
Cost: O(n·s^2) for each of at most 100 steps, with at most s entries per column, and n·s^2 at most 10^9.
"""

from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.communities import Labels, compare_clusterings
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

STEPS = 100
SMALLEST = 5e-5
"""Entries below this are dropped."""
WORK = 1_000_000_000
"""Products of entries in one step; larger matrices get fewer entries per column."""
SETTLED = 1e-6
MOST_NODES = 10_000
"""Larger graphs are compared on this number of nodes around a random one."""


class Mcl(GraphUtility):
    """Agreement of Markov clusterings."""

    default: ClassVar[bool] = False

    name: Literal["mcl"] = "mcl"
    inflation: float = Field(default=2.0, gt=1, le=10)
    """The power that entries are raised to; a higher one makes smaller clusters."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Cluster both graphs and compare."""
        watch(0.0)
        found = compare_clusterings(self._cluster, graph, released, rng, watch, MOST_NODES)
        return found | {"inflation": self.inflation}

    def _cluster(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> Labels:
        return markov_clusters(graph, self.inflation, watch)


def markov_clusters(graph: Graph, inflation: float, watch: Watch) -> Labels:
    """The cluster of every node."""
    most = max(10, int(np.sqrt(WORK / max(1, graph.n))))
    flow = _stochastic(_thinned((adjacency(graph) + scipy.sparse.eye_array(graph.n)).tocsc(), most))
    for step in range(STEPS):
        watch(step / STEPS)
        longer = (flow @ flow).tocsc()
        longer.data **= inflation
        longer = _stochastic(_thinned(_stochastic(longer), most))
        settled = _is_settled(longer)
        flow = longer
        if settled:
            break
    return _clusters(flow)


def _stochastic(matrix: "scipy.sparse.csc_array") -> "scipy.sparse.csc_array":
    """The matrix with columns that sum to one."""
    sums = np.asarray(matrix.sum(axis=0)).ravel()
    matrix.data /= np.repeat(sums, np.diff(matrix.indptr))
    return matrix


def _thinned(matrix: "scipy.sparse.csc_array", most: int) -> "scipy.sparse.csc_array":
    """The matrix without its smallest entries, and with only the largest ones of long columns."""
    counts = np.diff(matrix.indptr)
    columns = np.repeat(np.arange(matrix.shape[1]), counts)
    kept = (matrix.data >= SMALLEST) | (matrix.data >= _largest(matrix)[columns])
    if counts.max(initial=0) > most:
        order = np.lexsort((-matrix.data, columns))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(matrix.indptr[:-1], counts)
        kept &= rank < most
    entries = (matrix.data[kept], (matrix.indices[kept], columns[kept]))
    return scipy.sparse.csc_array(entries, shape=matrix.shape)


def _largest(matrix: "scipy.sparse.csc_array") -> NDArray[np.float64]:
    """The largest entry of every column; none is empty."""
    return np.maximum.reduceat(matrix.data, matrix.indptr[:-1]) if matrix.nnz else np.zeros(matrix.shape[1])


def _is_settled(flow: "scipy.sparse.csc_array") -> bool:
    """Whether every column holds equal entries, up to rounding: its largest is the sum of its squares."""
    squares = np.add.reduceat(flow.data**2, flow.indptr[:-1])
    return bool((_largest(flow) - squares).max() < SETTLED)


def _clusters(flow: "scipy.sparse.csc_array") -> Labels:
    """Attractors are joined if flow goes from one to another; each node goes where most of its flow does."""
    n = flow.shape[0]
    columns = np.repeat(np.arange(n), np.diff(flow.indptr))
    order = np.lexsort((-flow.data, columns))
    home = np.empty(n, dtype=np.int64)
    home[columns[order][::-1]] = flow.indices[order][::-1]
    attracts = np.zeros(n, dtype=np.bool_)
    attracts[flow.indices[flow.indices == columns]] = True
    among = attracts[flow.indices] & attracts[columns]
    joints = scipy.sparse.coo_array((np.ones(int(among.sum())), (flow.indices[among], columns[among])), shape=(n, n))
    _, system = scipy.sparse.csgraph.connected_components(joints, directed=False)
    return np.unique(system[home], return_inverse=True)[1].astype(np.int64)
