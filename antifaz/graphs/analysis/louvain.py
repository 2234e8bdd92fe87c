"""Louvain and Leiden: communities found by moving nodes and merging them.

Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large networks", Journal of Statistical
Mechanics 2008; Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
Scientific Reports 2019.

Nodes move to the neighboring community that raises modularity most, until none does; then each community becomes one
node, and so on. Leiden splits communities into well connected parts before it joins these. Both visit nodes in the
order of their numbers; the refinement takes the best part, whereas the paper draws one at random.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.analysis.communities import Labels
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.communities import move_nodes, refine_communities
from antifaz.watch import Watch

LEVELS = 40
"""Most times that communities are joined."""
LOOKS = 40
"""Most times that each node is visited on one level."""


def louvain(graph: Graph, rng: np.random.Generator, watch: Watch) -> Labels:
    """A partition of high modularity."""
    return _unfold(graph, watch, refined=False)


def leiden(graph: Graph, rng: np.random.Generator, watch: Watch) -> Labels:
    """A partition of high modularity into connected communities."""
    return _unfold(graph, watch, refined=True)


def _unfold(graph: Graph, watch: Watch, refined: bool) -> Labels:
    matrix = adjacency(graph)
    node, community = np.arange(graph.n), np.arange(graph.n)  # Each node's place on the current level, and its group.
    for level in range(LEVELS):
        watch(level / LEVELS)
        offsets, neighbors, weights, strengths = _rows(matrix)
        total = float(strengths.sum())
        if not total:
            break
        moved = move_nodes(offsets, neighbors, weights, strengths, total, community, LOOKS * len(strengths))
        parts = community
        if refined:
            parts = np.empty_like(community)
            refine_communities(offsets, neighbors, weights, strengths, total, community, parts)
        names, numbers = np.unique(parts, return_inverse=True)
        if len(names) == len(strengths) or not (moved or refined):
            break
        upper = np.zeros(len(names), dtype=np.int64)
        upper[numbers] = community
        node, matrix = numbers[node], _joined(matrix, numbers, len(names))
        community = np.unique(upper, return_inverse=True)[1].astype(np.int64)
    return np.unique(community[node], return_inverse=True)[1].astype(np.int64)


def _rows(
    matrix: "scipy.sparse.csr_array",
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """CSR arrays in the types of the kernels, and the sums of the rows (a loop's weight counts for both its ends)."""
    return (
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        np.ascontiguousarray(matrix.data),
        np.asarray(matrix.sum(axis=1)).ravel(),
    )


def _joined(matrix: "scipy.sparse.csr_array", numbers: Labels, count: int) -> "scipy.sparse.csr_array":
    """The graph whose nodes are groups of nodes; edges inside a group become a loop."""
    membership = scipy.sparse.csr_array(
        (np.ones(len(numbers)), (np.arange(len(numbers)), numbers)), shape=(len(numbers), count)
    )
    return (membership.T @ matrix @ membership).tocsr()
