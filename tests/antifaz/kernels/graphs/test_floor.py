"""Edges that give every node the neighbors it needs."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.floor import raise_degrees


def added(network: nx.Graph, least: int, most: int | None = None) -> tuple[Graph, np.ndarray, np.ndarray]:
    """The graph, the edges to add, and what is still needed."""
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_pairs(len(network), ends[:, 0], ends[:, 1])
    need = np.maximum(least - graph.degrees, 0)
    pairs = np.zeros((2, int(need.sum())), dtype=np.int64)
    count = raise_degrees(*graph.neighbors, need, np.arange(graph.n), graph.n - 1 if most is None else most, pairs)
    return graph, pairs[:, :count], need


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("least", [2, 5, 19])
def test_every_node_gets_them_and_no_edge_comes_twice(seed, least):
    graph, pairs, need = added(nx.gnm_random_graph(20, 25, seed=seed), least)
    after = Graph.from_pairs(20, np.append(graph.sources, pairs[0]), np.append(graph.targets, pairs[1]))
    assert int(after.degrees.min()) >= least
    assert after.m == graph.m + pairs.shape[1]
    assert (need <= 0).all()


def test_those_in_need_are_joined_to_each_other_and_to_friends_of_friends():
    # Two stars: leaves need a second neighbor, and another leaf of the same star shares one already.
    _, pairs, _ = added(nx.disjoint_union(nx.star_graph(4), nx.star_graph(4)), 2)
    assert pairs.shape[1] == 4
    assert all((a < 5) == (b < 5) for a, b in pairs.T.tolist())


def test_no_node_gets_more_than_the_most():
    graph, pairs, need = added(nx.star_graph(5), 3, most=3)
    degrees = graph.degrees + np.bincount(pairs.ravel(), minlength=6)
    assert (degrees[1:] <= 3).all()
    assert degrees[0] == 5
    assert need[0] == 0


def test_what_cannot_be_had_is_told():
    _, pairs, need = added(nx.path_graph(3), 2, most=1)
    assert pairs.shape[1] == 0
    assert need.tolist() == [1, 0, 1]
