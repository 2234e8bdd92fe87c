"""Spectra against full matrices and another library."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg

from antifaz.graphs.analysis import spectrum
from antifaz.graphs.analysis.spectrum import (
    adjacency,
    lanczos,
    largest_component,
    largest_eigenvalue,
    log_mean_exponential,
    second_smallest_laplacian,
)
from antifaz.graphs.graph import Graph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, random_graph


def dense(graph: Graph) -> np.ndarray:
    return nx.to_numpy_array(network_of(graph))


@pytest.fixture(params=[0, 600], ids=["iterated", "dense"])
def way(request, monkeypatch):
    monkeypatch.setattr(spectrum, "DENSE", request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("graph", [karate(), random_graph(200, 700), graph_of(nx.complete_bipartite_graph(20, 30))])
def test_the_largest_eigenvalue_is_that_of_the_full_matrix(graph):
    found = largest_eigenvalue(adjacency(graph), np.random.default_rng(0), unwatched)
    assert found.value == pytest.approx(np.linalg.eigvalsh(dense(graph))[-1], abs=max(1e-9, found.residual))
    assert found.residual < 1e-5


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "graph", [karate(), graph_of(nx.path_graph(60)), graph_of(nx.barbell_graph(20, 6)), random_graph(150, 300)]
)
def test_the_connectivity_is_that_of_another_library(graph):
    network = network_of(graph)
    largest = network.subgraph(max(nx.connected_components(network), key=len))
    exact = np.linalg.eigvalsh(nx.laplacian_matrix(largest).toarray().astype(float))[1]
    found = second_smallest_laplacian(graph, np.random.default_rng(0), unwatched)
    assert found.value == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("graph", [karate(), random_graph(120, 480)])
def test_the_exponential_is_that_of_the_full_matrix(graph, monkeypatch):
    exact = np.log(np.trace(linalg.expm(dense(graph))) / graph.n)
    rng = np.random.default_rng(0)
    value, error = log_mean_exponential(adjacency(graph), 20, rng, unwatched)
    assert value == pytest.approx(exact)
    assert error == 0
    monkeypatch.setattr(spectrum, "DENSE", 0)
    value, error = log_mean_exponential(adjacency(graph), 60, rng, unwatched)
    assert 0 < error < 0.05
    assert value == pytest.approx(exact, abs=4 * error)


def test_a_krylov_space_that_is_used_up_ends_the_iteration():
    basis, diagonal, beside = lanczos(adjacency(graph_of(nx.complete_graph(5))).__matmul__, np.ones(5), 10)
    assert len(basis) == 1
    assert diagonal == pytest.approx([4])
    assert beside == pytest.approx([0], abs=1e-12)


def test_the_largest_component_is_found():
    network = nx.disjoint_union(nx.path_graph(3), nx.path_graph(5))
    assert largest_component(graph_of(network)).tolist() == [3, 4, 5, 6, 7]
    assert len(largest_component(graph_of(nx.Graph()))) == 0


def test_nothing_comes_of_nothing():
    rng = np.random.default_rng(0)
    empty = graph_of(nx.empty_graph(3))
    assert largest_eigenvalue(adjacency(empty), rng, unwatched).value == 0
    assert second_smallest_laplacian(empty, rng, unwatched).value == 0
    assert log_mean_exponential(adjacency(graph_of(nx.Graph())), 5, rng, unwatched) == (0.0, 0.0)


def test_the_connectivity_of_a_long_ring_looks_at_its_watch_at_every_gradient():
    """A ring takes about as many gradients as it is long: on a large one, minutes between two iterations."""
    looks: list[float] = []
    ring = graph_of(nx.cycle_graph(700))
    found = second_smallest_laplacian(ring, np.random.default_rng(0), lambda at: bool(looks.append(at)))
    assert found.value == pytest.approx(2 - 2 * np.cos(2 * np.pi / 700), rel=1e-3)
    assert len(looks) > 700
    assert looks == sorted(looks)
