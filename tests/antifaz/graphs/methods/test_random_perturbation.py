"""Random perturbation: exactly the requested number of edges, none twice, none restored, all equally likely."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.graphs.methods.random_perturbation import RandomPerturbation
from antifaz.graphs.structure.pairs import absent_count
from tests.antifaz.graphs.perturbing import DEGENERATE, graph_of, graphs, p_of_uniform, perturbed


@settings(deadline=None, max_examples=40)
@given(graph=graphs(), share=st.floats(0.01, 1.0))
def test_exactly_the_share_is_replaced(graph, share):
    assume(round(share * graph.m) <= absent_count(graph))
    released = perturbed(RandomPerturbation(share=share), graph)
    assert released.graph.m == graph.m
    assert released.account["edges_added"] == released.account["edges_removed"] == round(share * graph.m)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_end_with_a_result_or_an_answer(name, directed):
    graph = graph_of(DEGENERATE[name], directed)
    method = RandomPerturbation(share=1.0)
    if graph.m <= absent_count(graph):
        assert perturbed(method, graph).account["edges_removed"] == graph.m
        return
    with pytest.raises(Infeasible) as answer:
        perturbed(method, graph)
    assert answer.value.reasons[0].rule == "share"
    possible = absent_count(graph) / graph.m
    assert answer.value.nearest == ({"share": possible} if possible else None)


def test_the_nearest_share_of_an_infeasible_one_is_feasible():
    graph = graph_of(nx.complement(nx.path_graph(7)))
    released = perturbed(RandomPerturbation(share=absent_count(graph) / graph.m), graph)
    assert released.account["edges_added"] == 6


def chosen(share: float) -> tuple[np.ndarray, np.ndarray]:
    """How often each edge went and each absent pair came, on a graph of 10 nodes."""
    graph = graph_of(nx.krackhardt_kite_graph())
    goes, comes = np.zeros(100, dtype=np.int64), np.zeros(100, dtype=np.int64)
    for seed in range(800):
        after = perturbed(RandomPerturbation(share=share), graph, seed).graph
        goes[np.setdiff1d(graph.keys, after.keys)] += 1
        comes[np.setdiff1d(after.keys, graph.keys)] += 1
    absent = np.setdiff1d(np.ravel_multi_index(np.triu_indices(10, 1), (10, 10)), graph.keys)
    return goes[graph.keys], comes[absent]


def test_edges_and_pairs_are_drawn_evenly():
    goes, comes = chosen(0.3)
    assert goes.sum() == comes.sum() == 800 * round(0.3 * 18)
    assert p_of_uniform(goes) > 0.001
    assert p_of_uniform(comes) > 0.001
    goes[0] += goes.mean() / 2
    assert p_of_uniform(goes) < 0.001, "the test would notice"
