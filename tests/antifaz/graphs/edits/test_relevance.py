"""Relevance: by hand, and against sets of neighbors."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.edits.relevance import relevance
from antifaz.graphs.graph import Graph
from tests.antifaz.graphs.perturbing import graph_of, pairs


def test_a_bridge_matters_more_than_an_edge_inside_a_triangle():
    # Triangle 0 1 2, bridge 2–3, triangle 3 4 5; the largest degree is 3.
    graph = pairs((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), n=6)
    found = dict(zip(graph.keys.tolist(), relevance(graph, graph.keys).tolist(), strict=True))
    assert found[0 * 6 + 1] == pytest.approx(2 / 6)  # 0 and 1 share 2; each is the other's own neighbor
    assert found[2 * 6 + 3] == pytest.approx(6 / 6)


@pytest.mark.parametrize("directed", [False, True])
def test_it_counts_the_neighbors_of_one_end_alone(directed):
    graph = graph_of(nx.karate_club_graph(), directed)
    network = nx.karate_club_graph()
    keys = np.array([u * 34 + v for u in range(34) for v in range(34) if u != v])
    expected = [len(set(network[k // 34]) ^ set(network[k % 34])) / (2 * 17) for k in keys.tolist()]
    assert relevance(graph, keys) == pytest.approx(expected)


def test_no_pairs_have_no_relevance():
    assert relevance(Graph(0, np.zeros(0, dtype=np.int64)), np.zeros(0, dtype=np.int64)).tolist() == []
