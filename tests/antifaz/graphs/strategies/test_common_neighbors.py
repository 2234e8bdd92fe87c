"""Common neighbors: the search returns a valid result from any start."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Cancelled
from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.common_neighbors import search_graph
from antifaz.graphs.strategies.hubs import join_hubs
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import karate
from tests.antifaz.graphs.releases import graph_of, graphs


def fits(graph: Graph, k: int, least: int, sharing: int) -> bool:
    """Pairs, degrees and how many share them, counted by their definitions."""
    network = nx.Graph(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))
    network.add_nodes_from(range(graph.n))
    common = (len(list(nx.common_neighbors(network, *pair))) for pair in combinations(range(graph.n), 2))
    held = np.bincount(graph.degrees)
    return (
        all(count == 0 or count >= k for count in common)
        and bool((graph.degrees >= least).all())
        and all(count == 0 or count >= sharing for count in held)
    )


@settings(deadline=None, max_examples=12)
@given(graph=graphs(least=5, most=14, directed=False), k=st.integers(2, 3), sharing=st.integers(0, 2), data=st.data())
def test_what_is_found_fits(graph, k, sharing, data):
    start = join_hubs(graph, k) if data.draw(st.booleans()) else None
    found = search_graph(graph, k, 2, sharing, np.random.default_rng(1), unwatched, start)
    assert found is None or fits(found, k, 2, sharing)


def test_a_graph_that_fits_is_found_without_an_edit():
    cube = graph_of(nx.convert_node_labels_to_integers(nx.hypercube_graph(4)))
    found = search_graph(cube, 2, 2, 2, np.random.default_rng(0), unwatched)
    assert found is not None
    assert np.array_equal(found.keys, cube.keys)


def test_by_hand_one_edge_of_a_square_comes_back():
    # Two squares that share no node, one without an edge: its ends then have one neighbor in common with the others.
    square = nx.complete_bipartite_graph(2, 3)
    graph = graph_of(nx.disjoint_union(square, square))
    found = search_graph(Graph(graph.n, graph.keys[1:]), 2, 2, 0, np.random.default_rng(0), unwatched)
    assert found is not None
    assert len(np.setxor1d(found.keys, graph.keys[1:])) <= 2


def test_a_watch_that_raises_gets_out():
    def stop(fraction: float) -> bool:
        raise Cancelled

    with pytest.raises(Cancelled):
        search_graph(karate(), 2, 2, 0, np.random.default_rng(0), stop)
