"""Spectral switch: degrees stay, and both eigenvalues stay closer than without regard to them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.graphs.edits.spectral_drift import spectrum
from antifaz.graphs.methods.random_switch import RandomSwitch
from antifaz.graphs.methods.spectral_switch import SpectralSwitch
from tests.antifaz.graphs.perturbing import DEGENERATE, degrees_kept, graph_of, graphs, pairs, perturbed


@settings(deadline=None, max_examples=20)
@given(graph=graphs(directed=False), share=st.floats(0.05, 1.0), tolerance=st.floats(0.01, 1.0))
def test_degrees_stay_and_every_switch_replaces_two_edges(graph, share, tolerance):
    released = perturbed(SpectralSwitch(share=share, tolerance=tolerance), graph)
    assert degrees_kept(graph, released)
    assert released.account["edges_removed"] == 2 * released.account["switches"]
    assert released.account["switches"] <= round(share * graph.m) // 2


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_come_to_an_end(name):
    graph = graph_of(DEGENERATE[name])
    assert degrees_kept(graph, perturbed(SpectralSwitch(share=1.0), graph))


def test_a_directed_graph_is_refused_before_any_work():
    graph = pairs((0, 1), (2, 3), n=4, directed=True)
    with pytest.raises(InvalidDataset) as refusal:
        SpectralSwitch().admit(graph)
    assert refusal.value.rule == "undirected_only"
    assert not refusal.value.shred


def test_both_eigenvalues_stay_closer_than_under_blind_switches():
    graph = graph_of(nx.barbell_graph(20, 0))
    rng = np.random.default_rng(0)
    original = spectrum(graph, rng)
    released = perturbed(SpectralSwitch(share=0.1), graph)
    blind = spectrum(perturbed(RandomSwitch(share=0.1), graph).graph, rng)
    after = spectrum(released.graph, rng)
    assert abs(after.connectivity - original.connectivity) < 0.2 * abs(blind.connectivity - original.connectivity)
    assert after.largest == pytest.approx(original.largest, rel=0.05)
    assert released.account["largest_eigenvalue"]["released"] == pytest.approx(after.largest, rel=1e-3)
    assert released.account["algebraic_connectivity"]["original"] == pytest.approx(original.connectivity, rel=1e-3)
