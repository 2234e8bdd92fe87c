"""Second smallest Laplacian eigenvalue, on graphs whose value is known in closed form."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.second_smallest_laplacian_eigenvalue import SecondSmallestLaplacianEigenvalue
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def measure(graph: Graph, release: Graph) -> dict:
    rng = np.random.default_rng(0)
    return SecondSmallestLaplacianEigenvalue().measure(graph, unchanged(release), rng, unwatched)


def test_known_graphs_have_their_known_values():
    result = measure(graph_of(nx.cycle_graph(34)), graph_of(nx.complete_graph(34)))
    assert result["original"] == pytest.approx(2 - 2 * np.cos(2 * np.pi / 34))
    assert result["released"] == pytest.approx(34)


def test_a_graph_in_pieces_is_measured_in_its_largest():
    result = measure(karate(), graph_of(nx.disjoint_union(nx.complete_graph(20), nx.empty_graph(14))))
    assert result["released"] == pytest.approx(20)
    assert result["share_of_nodes"] == {"original": 1.0, "released": 20 / 34}


def test_a_large_grid_is_solved_by_iteration():
    grid = graph_of(nx.convert_node_labels_to_integers(nx.grid_2d_graph(40, 25)))
    result = measure(grid, grid)
    assert result["original"] == pytest.approx(2 - 2 * np.cos(np.pi / 40), rel=1e-3)
    assert 0 < result["error"]["original"] < 0.01 * result["original"]
