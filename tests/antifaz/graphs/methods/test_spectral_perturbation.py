"""Spectral perturbation: exactly the requested number of edges, and both eigenvalues closer than at random."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidDataset
from antifaz.graphs.edits.spectral_drift import spectrum
from antifaz.graphs.methods.random_perturbation import RandomPerturbation
from antifaz.graphs.methods.spectral_perturbation import SpectralPerturbation
from antifaz.graphs.structure.pairs import absent_count
from tests.antifaz.graphs.perturbing import DEGENERATE, graph_of, graphs, pairs, perturbed


@settings(deadline=None, max_examples=20)
@given(graph=graphs(directed=False), share=st.floats(0.05, 1.0), tolerance=st.floats(0.01, 1.0))
def test_as_many_edges_come_as_go(graph, share, tolerance):
    assume(round(share * graph.m) <= absent_count(graph))
    released = perturbed(SpectralPerturbation(share=share, tolerance=tolerance), graph)
    assert released.graph.m == graph.m
    assert released.account["edges_removed"] == released.account["replacements"] <= round(share * graph.m)


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_end_with_a_result_or_an_answer(name):
    graph = graph_of(DEGENERATE[name])
    if graph.m > absent_count(graph):
        with pytest.raises(Infeasible):
            perturbed(SpectralPerturbation(share=1.0), graph)
    else:
        assert perturbed(SpectralPerturbation(share=1.0), graph).graph.m == graph.m


def test_a_directed_graph_is_refused():
    with pytest.raises(InvalidDataset, match="undirected"):
        perturbed(SpectralPerturbation(), pairs((0, 1), (2, 3), n=4, directed=True))


def test_both_eigenvalues_stay_closer_than_under_blind_changes():
    graph = graph_of(nx.disjoint_union(nx.barbell_graph(20, 0), nx.empty_graph(30)))
    rng = np.random.default_rng(0)
    original = spectrum(graph, rng)
    released = perturbed(SpectralPerturbation(share=0.1), graph)
    blind = spectrum(perturbed(RandomPerturbation(share=0.1), graph).graph, rng)
    after = spectrum(released.graph, rng)
    assert released.account["replacements"] > 0
    assert abs(after.largest - original.largest) < 0.5 * abs(blind.largest - original.largest)
