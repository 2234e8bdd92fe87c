"""Spectral drift: the eigenvalues against whole matrices, and first-order shifts against small true ones."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.edits.edge_moves import Moves, Proposal
from antifaz.graphs.edits.spectral_drift import SpectrumJudge, spectrum
from tests.antifaz.graphs.perturbing import DEGENERATE, graph_of


def exact(network: nx.Graph) -> tuple[float, float]:
    """By networkx and dense matrices; the Laplacian's of the largest component."""
    if not len(network):
        return 0.0, 0.0
    largest = network.subgraph(max(nx.connected_components(network), key=len))
    adjacency = np.linalg.eigvalsh(nx.to_numpy_array(network, weight=None))
    laplacian = np.linalg.eigvalsh(nx.laplacian_matrix(largest, weight=None).toarray().astype(float))
    return float(adjacency[-1]), float(laplacian[1]) if len(largest) > 1 else 0.0


@pytest.mark.parametrize("name", DEGENERATE)
def test_the_eigenvalues_of_degenerate_graphs_are_exact(name):
    found = spectrum(graph_of(DEGENERATE[name]), np.random.default_rng(0))
    assert (found.largest, found.connectivity) == pytest.approx(exact(DEGENERATE[name]), abs=1e-9)


@pytest.mark.parametrize(
    "network",
    [
        nx.powerlaw_cluster_graph(300, 3, 0.3, seed=1),
        nx.disjoint_union(nx.gnm_random_graph(250, 900, seed=2), nx.path_graph(100)),
        nx.barbell_graph(60, 3),
        nx.star_graph(120),
        nx.complete_bipartite_graph(60, 70),
    ],
    ids=["power law", "disconnected", "barbell", "star", "bipartite"],
)
def test_iterations_come_near_the_eigenvalues_of_whole_matrices(network):
    found = spectrum(graph_of(network), np.random.default_rng(0))
    assert (found.largest, found.connectivity) == pytest.approx(exact(network), rel=1e-3)


def test_a_similar_graph_starts_from_the_vectors_of_the_one_before():
    network = nx.powerlaw_cluster_graph(300, 3, 0.3, seed=1)
    rng = np.random.default_rng(0)
    before = spectrum(graph_of(network), rng)
    network.remove_edge(*next(iter(network.edges)))
    found = spectrum(graph_of(network), rng, before)
    assert (found.largest, found.connectivity) == pytest.approx(exact(network), rel=1e-3)


def test_one_move_shifts_the_eigenvalues_about_as_estimated():
    network = nx.powerlaw_cluster_graph(160, 6, 0.3, seed=3)
    graph = graph_of(network)
    judge = SpectrumJudge.of(graph, 0.01, 10, np.random.default_rng(0))
    for u, v in list(network.edges)[:5]:
        network.remove_edge(u, v)
        true = np.array(exact(network)) - [judge.original.largest, judge.original.connectivity]
        network.add_edge(u, v)
        estimated = -judge.shifts(graph.n, np.array([[min(u, v) * graph.n + max(u, v)]]))[0]
        assert estimated[0] == pytest.approx(true[0], abs=4e-3 * judge.original.largest)
        assert estimated[1] == pytest.approx(true[1], abs=4e-2 * judge.original.connectivity)


def test_what_would_drift_too_far_is_not_accepted():
    network = nx.complete_graph(40)
    network.add_edges_from(nx.path_graph(range(39, 60)).edges)
    graph = graph_of(network)
    inside = np.flatnonzero(graph.targets < 39)[:200]
    absent = np.array([[50 * graph.n + 52 + i % 8] for i in range(200)])
    proposal = Proposal(inside[:, None], absent)
    tight = SpectrumJudge.of(graph, 0.01, 10, np.random.default_rng(0))
    loose = SpectrumJudge.of(graph, 1.0, 10, np.random.default_rng(0))
    moves = Moves.none_yet(graph, 200)
    assert tight(moves, proposal).sum() < 20
    assert loose(moves, proposal).sum() > tight(moves, proposal).sum()
