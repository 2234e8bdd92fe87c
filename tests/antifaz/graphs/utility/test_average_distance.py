"""Average distance."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.average_distance import AverageDistance
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return AverageDistance().measure(graph, released, np.random.default_rng(0), unwatched)


def test_karate_has_the_published_value():
    network = nx.karate_club_graph()
    result = measure(graph_of(network), graph_of(network))
    assert result["original"] == pytest.approx(2.408, abs=5e-4)
    assert result["loss"] == 0
    assert result["exact"]
    assert result["standard_error"] == {"original": 0.0, "released": 0.0}


def test_a_disconnected_release_is_measured_in_its_largest_component():
    # A path of four falls into a path of three and a single node.
    before = graph_of(nx.path_graph(4))
    after = Graph.from_pairs(4, np.array([0, 1]), np.array([1, 2]))
    result = measure(before, after)
    assert result["original"] == pytest.approx(10 / 6)
    assert result["released"] == pytest.approx(4 / 3)
    assert result["pair_coverage"] == {"original": 1.0, "released": 0.5}
    assert result["harmonic_mean"]["released"] == pytest.approx(12 / 5)


def test_a_release_without_edges_has_no_distance():
    before = graph_of(nx.path_graph(4))
    result = measure(before, Graph(4, before.keys[:0]))
    assert result["released"] == 0
    assert result["loss"] == 1
    assert result["harmonic_mean"]["released"] is None
