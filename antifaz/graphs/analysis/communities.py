"""Communities: partitions of nodes, their quality, and how far two of them agree.

Newman and Girvan, "Finding and evaluating community structure in networks", Physical Review E 2004 (modularity);
Danon, Díaz-Guilera, Duch and Arenas, "Comparing community structure identification", Journal of Statistical Mechanics
2005 (normalized mutual information).

A partition is a label for every node; -1 marks a node in no cluster. A clustering of the release is compared with one
of the original person by person, and one of the original with another of the original under other node numbers: the
difference between two clusterings of one graph is the noise of the comparison.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.kernels.graphs.paths import distances_to
from antifaz.watch import Watch, within

Labels = NDArray[np.int64]
Clustering = Callable[[Graph, np.random.Generator, Watch], Labels]
LARGEST_TABLE = 4_000_000
"""Most cells of the table of overlaps for the best matching of clusters; above, a greedy one is used."""


def compare_clusterings(
    cluster: Clustering,
    graph: Graph,
    released: ProtectedGraph,
    rng: np.random.Generator,
    watch: Watch,
    most_nodes: int | None = None,
) -> dict[str, Any]:
    """Cluster both graphs, and the original a second time; report how far the results agree.

    Larger graphs are compared on the nodes around a random one.
    """
    measured, seen = within_reach(graph, released, rng, most_nodes)
    first = cluster_renumbered(cluster, measured, rng, within(watch, 0.0, 0.33))
    again = cluster_renumbered(cluster, measured, rng, within(watch, 0.33, 0.66))
    found = cluster_renumbered(cluster, seen.graph, rng, within(watch, 0.66, 1.0))
    agreed = agreement(first, by_person(found, seen, measured.n))
    return {
        "value": agreed["jaccard"],
        **agreed,
        "clusters": {"original": _clusters(first), "released": _clusters(found)},
        "modularity": {"original": modularity(measured, first), "released": modularity(seen.graph, found)},
        "noise": agreement(first, again),
        "nodes": measured.n,
    }


def cluster_renumbered(cluster: Clustering, graph: Graph, rng: np.random.Generator, watch: Watch) -> Labels:
    """A clustering under random node numbers, so that ties are broken at random."""
    if graph.n == 0:
        return np.zeros(0, dtype=np.int64)
    names = rng.permutation(graph.n)
    return cluster(graph.relabeled(names), rng, watch)[names]


def by_person(labels: Labels, released: ProtectedGraph, n: int) -> Labels:
    """The labels of released nodes as labels of the original ones."""
    real = released.origin >= 0
    found = np.full(n, -1, dtype=np.int64)
    found[released.origin[real]] = labels[real]
    return found


def agreement(one: Labels, other: Labels) -> dict[str, float]:
    """Jaccard index of the best matching of clusters, normalized mutual information, and precision.

    All are over the nodes that either has in a cluster. For the mutual information a node in no cluster is a cluster by
    itself: if only nodes counted that both have in a cluster, clusters that lost half of their nodes would agree
    perfectly. Precision is the share of nodes in clusters of the second that belong to the first's most common cluster
    there.
    """
    either = (one >= 0) | (other >= 0)
    both = (one >= 0) & (other >= 0)
    rows, columns, counts, shape = _overlaps(one[both], other[both])
    if not either.any():
        return {"jaccard": 1.0, "nmi": 1.0, "precision": 1.0}
    matched = best_matching(rows, columns, counts, shape)
    commonest = np.zeros(shape[1], dtype=np.int64)
    np.maximum.at(commonest, columns, counts)
    return {
        "jaccard": matched / int(either.sum()),
        "nmi": _shared_information(*_overlaps(_alone(one[either]), _alone(other[either]))),
        "precision": float(commonest.sum()) / max(1, int((other >= 0).sum())),
    }


def best_matching(rows: Labels, columns: Labels, shared: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Sum of what is shared by the pairs of a one-to-one matching of clusters, given the pairs that share anything.

    It is the matching with the largest sum, or a greedy one if there are very many clusters.
    """
    if shape[0] * shape[1] <= LARGEST_TABLE:
        table = np.zeros(shape, dtype=shared.dtype)
        table[rows, columns] = shared
        return table[scipy.optimize.linear_sum_assignment(table, maximize=True)].sum().item()
    total = 0
    free_rows, free_columns = np.ones(shape[0], dtype=np.bool_), np.ones(shape[1], dtype=np.bool_)
    for place in np.argsort(-shared, kind="stable"):
        if free_rows[rows[place]] and free_columns[columns[place]]:
            total += shared[place].item()
            free_rows[rows[place]] = free_columns[columns[place]] = False
    return total


def modularity(graph: Graph, labels: Labels) -> float:
    """Share of edges inside clusters minus the share expected by degrees, directions ignored.

    A node in no cluster counts as a separate cluster.
    """
    offsets, neighbors = graph.neighbors
    if not len(neighbors):
        return 0.0
    labels = _alone(labels)
    degrees = np.diff(offsets)
    owners = np.repeat(labels, degrees)
    inside = float((owners == labels[neighbors]).sum()) / len(neighbors)
    shares = np.bincount(labels, weights=degrees) / len(neighbors)
    return inside - float(shares @ shares)


def _alone(labels: Labels) -> Labels:
    """The same clusters, and a separate cluster for every node in none."""
    alone = labels < 0
    return np.where(alone, labels.max(initial=-1) + np.cumsum(alone), labels)


def _clusters(labels: Labels) -> int:
    return len(distinct(labels[labels >= 0]))


def _overlaps(one: Labels, other: Labels) -> tuple[Labels, Labels, NDArray[np.int64], tuple[int, int]]:
    """The pairs of clusters that share nodes, the number of shared nodes, and the numbers of clusters."""
    names, left = np.unique(one, return_inverse=True)
    others, right = np.unique(other, return_inverse=True)
    keys, counts = np.unique(left * np.int64(max(1, len(others))) + right, return_counts=True)
    return keys // max(1, len(others)), keys % max(1, len(others)), counts, (len(names), len(others))


def _shared_information(rows: Labels, columns: Labels, counts: NDArray[np.int64], shape: tuple[int, int]) -> float:
    """Mutual information divided by the mean of the entropies."""
    joint = counts / max(1, counts.sum())
    left = np.bincount(rows, weights=joint, minlength=shape[0])
    right = np.bincount(columns, weights=joint, minlength=shape[1])
    entropies = -float((left * np.log(left)).sum()) - float((right * np.log(right)).sum())
    if entropies <= 1e-15:
        return 1.0 if len(counts) else 0.0
    return max(0.0, 2 * float((joint * np.log(joint / (left[rows] * right[columns]))).sum()) / entropies)


def within_reach(
    graph: Graph, released: ProtectedGraph, rng: np.random.Generator, most_nodes: int | None
) -> tuple[Graph, ProtectedGraph]:
    """Both graphs, or their parts on the nodes nearest to a random one of the original."""
    if most_nodes is None or graph.n <= most_nodes:
        return graph, released
    chosen = _nearest(graph, int(rng.integers(graph.n)), most_nodes)
    place = np.full(graph.n, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    origin = np.where(released.origin >= 0, place[released.origin], -1)
    kept = np.flatnonzero(origin >= 0)
    return graph_within(graph, chosen), ProtectedGraph(graph_within(released.graph, kept), origin[kept])


def graph_within(graph: Graph, nodes: NDArray[np.int64]) -> Graph:
    """The graph of some nodes and the edges among them."""
    place = np.full(graph.n, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    sources, targets = place[graph.sources], place[graph.targets]
    kept = (sources >= 0) & (targets >= 0)
    return Graph.from_pairs(len(nodes), sources[kept], targets[kept], graph.directed)


def _nearest(graph: Graph, start: int, most: int) -> NDArray[np.int64]:
    """The nodes nearest to one, then any others."""
    offsets, neighbors = graph.neighbors
    distance = distances_to(offsets, neighbors, np.array([start], dtype=np.int64))
    distance[distance < 0] = graph.n
    return np.sort(np.argsort(distance, kind="stable")[:most])
