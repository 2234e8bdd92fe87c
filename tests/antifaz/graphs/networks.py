"""Graphs for tests: from networkx, renumbered as a release is, and changed at random."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph


def graph_of(network: nx.Graph) -> Graph:
    """The graph of a network whose nodes are 0…n-1."""
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def karate() -> Graph:
    return graph_of(nx.karate_club_graph())


def network_of(graph: Graph) -> nx.Graph:
    """The same in another library."""
    network = nx.DiGraph() if graph.directed else nx.Graph()
    network.add_nodes_from(range(graph.n))
    network.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    return network


def unchanged(graph: Graph) -> ProtectedGraph:
    """A release of the unchanged graph, node by node."""
    return ProtectedGraph(graph, np.arange(graph.n))


def renumbered(graph: Graph, seed: int = 0, released: Graph | None = None) -> ProtectedGraph:
    """A release (of the graph itself if no other is given) under random node numbers."""
    names = np.random.default_rng(seed).permutation(graph.n)
    return ProtectedGraph((released or graph).relabeled(names), np.argsort(names))


def perturbed(graph: Graph, share: float, seed: int = 0) -> ProtectedGraph:
    """A release in which a share of the edges is replaced by others at random."""
    rng = np.random.default_rng(seed)
    kept = rng.random(graph.m) >= share
    made = rng.integers(0, graph.n, (2, int((~kept).sum())))
    sources = np.concatenate([graph.sources[kept], made[0]])
    targets = np.concatenate([graph.targets[kept], made[1]])
    return renumbered(graph, seed, Graph.from_pairs(graph.n, sources, targets, graph.directed))


def random_graph(n: int, m: int, seed: int = 0, directed: bool = False) -> Graph:
    """A graph with unequal degrees and about m edges."""
    rng = np.random.default_rng(seed)
    weights = rng.pareto(2.0, n) + 1
    ends = rng.choice(n, (2, m), p=weights / weights.sum())
    return Graph.from_pairs(n, ends[0], ends[1], directed)
