"""Largest adjacency eigenvalue."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.utility.largest_adjacency_eigenvalue import LargestAdjacencyEigenvalue
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def test_known_graphs_have_their_known_eigenvalues():
    released = unchanged(graph_of(nx.complete_graph(34)))
    result = LargestAdjacencyEigenvalue().measure(karate(), released, np.random.default_rng(0), unwatched)
    assert result["original"] == pytest.approx(6.7257, abs=1e-4)
    assert result["released"] == pytest.approx(33)
    assert result["loss"] == pytest.approx(33 / 6.7257 - 1, rel=1e-4)
    assert result["error"] == {"original": 0.0, "released": 0.0}


def test_a_large_star_is_solved_by_iteration():
    star = graph_of(nx.star_graph(2500))
    result = LargestAdjacencyEigenvalue().measure(star, unchanged(star), np.random.default_rng(0), unwatched)
    assert result["original"] == pytest.approx(50)
