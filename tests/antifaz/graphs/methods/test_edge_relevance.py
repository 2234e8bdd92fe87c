"""Edge relevance: exactly the requested number of edges, and never a protected one."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.graphs.edits.relevance import relevance
from antifaz.graphs.methods.edge_relevance import EdgeRelevance
from antifaz.graphs.structure.pairs import absent_count
from tests.antifaz.graphs.perturbing import DEGENERATE, graph_of, graphs, perturbed


@settings(deadline=None, max_examples=40)
@given(graph=graphs(), share=st.floats(0.01, 1.0), spared=st.floats(0.0, 0.99))
def test_exactly_the_share_is_replaced(graph, share, spared):
    assume(round(share * graph.m) <= absent_count(graph))
    released = perturbed(EdgeRelevance(share=share, spared=spared), graph)
    assert released.graph.m == graph.m
    assert released.account["edges_added"] == released.account["edges_removed"] == round(share * graph.m)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_end_with_a_result_or_an_answer(name, directed):
    graph = graph_of(DEGENERATE[name], directed)
    if graph.m > absent_count(graph):
        with pytest.raises(Infeasible):
            perturbed(EdgeRelevance(share=1.0), graph)
    else:
        assert perturbed(EdgeRelevance(share=1.0), graph).account["edges_removed"] == graph.m


def test_the_most_relevant_edges_stay():
    graph = graph_of(nx.powerlaw_cluster_graph(200, 4, 0.5, seed=1))
    relevances = relevance(graph, graph.keys)
    for seed in range(20):
        released = perturbed(EdgeRelevance(share=0.2, spared=0.6), graph, seed)
        gone = np.setdiff1d(graph.keys, released.graph.keys)
        assert relevance(graph, gone).max() <= np.quantile(relevances, 0.4, method="higher")
        came = np.setdiff1d(released.graph.keys, graph.keys)
        assert relevance(graph, came).mean() < 2 * graph.m / graph.n / graph.degrees.max()


def test_without_sparing_every_edge_may_go():
    graph = graph_of(nx.karate_club_graph())
    gone = [np.setdiff1d(graph.keys, perturbed(EdgeRelevance(spared=0.0), graph, s).graph.keys) for s in range(200)]
    assert np.array_equal(np.unique(np.concatenate(gone)), graph.keys)
