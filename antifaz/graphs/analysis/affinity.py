"""Affinity: how strongly every node influences every other, and how far two graphs differ in it.

Koutra, Vogelstein and Faloutsos, "DeltaCon: A Principled Massive-Graph Similarity Function", SDM 2013.

The affinity of two nodes sums the walks between them, with less weight on longer ones: S = [I + e²D - eA]^-1 with
e = 1 / (1 + the largest degree of the graph), and D the degrees (in plus out if directed). The distance of two graphs
over the same nodes is the root Euclidean distance of their matrices S, exact or with the nodes in random groups.
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch

EXACT = 2_000
"""Most nodes with edges for which the matrices are inverted."""
STEPS = 100
"""Most conjugate gradients; dense regular graphs need the most."""
SETTLED = 1e-9
"""Residuals below this end the iteration."""

Floats = NDArray[np.float64]


def joined_nodes(one: Graph, other: Graph) -> NDArray[np.int64]:
    """The nodes with an edge in either graph; both graphs give all other nodes the same affinities."""
    return distinct(np.concatenate([one.sources, one.targets, other.sources, other.targets]))


def exact_distance(one: Graph, other: Graph, watch: Watch) -> float:
    """The distance of two graphs over the same nodes, from the whole matrices; directions are kept."""
    nodes = joined_nodes(one, other)
    watch(0.0)
    before = np.sqrt(_inverse(one, nodes))
    watch(0.5)
    before -= np.sqrt(_inverse(other, nodes))
    return float(np.sqrt(np.vdot(before, before)))


def grouped_distance(one: Graph, other: Graph, groups: int, rng: np.random.Generator, watch: Watch) -> float:
    """The distance of the affinities to random groups of nodes, directions ignored; e uses the larger degree."""
    watch(0.0)
    membership = np.zeros((one.n, groups))
    membership[np.arange(one.n), rng.integers(0, groups, one.n)] = 1.0
    closeness = 1.0 / (1.0 + max(_largest_degree(one), _largest_degree(other)))
    before = affinities(adjacency(one), membership, closeness)
    watch(0.5)
    after = affinities(adjacency(other), membership, closeness)
    return float(np.sqrt(((np.sqrt(before) - np.sqrt(after)) ** 2).sum()))


def as_similarity(distance: float) -> dict[str, Any]:
    """The similarity, which is 1 for equal graphs, and the distance that it is computed from."""
    return {"value": 1.0 / (1.0 + distance), "distance": distance}


def affinities(matrix: "scipy.sparse.csr_array", membership: Floats, closeness: float) -> Floats:
    """Each node's affinity to every group: [I + e²D - eA]^-1 times the membership, by conjugate gradients.

    Rounding can make an affinity negative; it then counts as 0 because its root is taken.
    """
    diagonal = 1.0 + closeness**2 * np.asarray(matrix.sum(axis=1)).ravel()[:, None]
    found = np.zeros_like(membership)
    rest, direction = membership.copy(), membership.copy()
    squares = (rest**2).sum(axis=0)
    for _ in range(STEPS):
        if squares.max(initial=0.0) <= SETTLED**2 * max(1, len(membership)):
            break
        image = diagonal * direction - closeness * (matrix @ direction)
        lengths = squares / np.maximum((direction * image).sum(axis=0), 1e-300)
        found += lengths * direction
        rest -= lengths * image
        before, squares = squares, (rest**2).sum(axis=0)
        direction = rest + squares / np.maximum(before, 1e-300) * direction
    return np.maximum(found, 0.0)


def _inverse(graph: Graph, nodes: NDArray[np.int64]) -> Floats:
    """The affinities among some nodes, which must be all that have edges.

    The matrix has a dominant diagonal and no positive entry off it, so entries of its inverse are negative only by
    rounding. It consists of blocks: nodes without edges keep their row of the identity, and the largest component and
    the rest are inverted separately, because the cost grows with the cube of the size.
    """
    closeness = 1.0 / (1.0 + _largest_degree(graph))
    ends = np.searchsorted(nodes, graph.sources), np.searchsorted(nodes, graph.targets)
    matrix = np.diag(1.0 + closeness**2 * graph.degrees[nodes])
    matrix[ends] = -closeness
    if not graph.directed:
        matrix[ends[::-1]] = -closeness
    links = scipy.sparse.coo_array((np.ones(graph.m), ends), shape=matrix.shape)
    component = scipy.sparse.csgraph.connected_components(links, directed=False)[1]
    sizes = np.bincount(component)
    largest = component == sizes.argmax() if len(sizes) else np.zeros(0, dtype=np.bool_)
    busy = sizes[component] > 1
    found = np.eye(len(nodes))
    for block in (np.flatnonzero(largest & busy), np.flatnonzero(~largest & busy)):
        if len(block):
            places = np.ix_(block, block)
            found[places] = np.maximum(scipy.linalg.inv(matrix[places], overwrite_a=True, check_finite=False), 0.0)
    return found


def _largest_degree(graph: Graph) -> int:
    return int(graph.degrees.max(initial=0))
