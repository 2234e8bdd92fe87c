"""Subgraph centrality against another library."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.subgraph_centrality import SubgraphCentrality
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def measure(graph: Graph, release: Graph, **parameters: int) -> dict:
    return SubgraphCentrality(**parameters).measure(graph, unchanged(release), np.random.default_rng(0), unwatched)


def test_karate_has_the_estrada_index_of_another_library():
    result = measure(karate(), karate())
    assert result["original"] == pytest.approx(np.log(nx.estrada_index(nx.karate_club_graph()) / 34))
    assert result["loss"] == 0
    assert result["exact"]


def test_a_graph_without_edges_has_one_empty_walk():
    result = measure(karate(), graph_of(nx.empty_graph(34)))
    assert result["released"] == pytest.approx(0)
    assert result["loss"] == pytest.approx(1)


def test_a_large_graph_is_estimated_and_says_so():
    cycle = graph_of(nx.cycle_graph(2000))
    result = measure(cycle, cycle, probes=30)
    # The diagonal of the exponential of a long cycle is the Bessel function I0(2).
    assert result["original"] == pytest.approx(np.log(np.i0(2.0)), abs=4 * result["standard_error"]["original"])
    assert not result["exact"]
