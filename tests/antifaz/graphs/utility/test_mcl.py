"""MCL: published clusterings, a reference on full matrices, and the program of its author if it is installed."""

import shutil
import subprocess

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from antifaz.graphs.analysis.communities import agreement
from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.mcl import Mcl, _thinned, markov_clusters
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, perturbed, random_graph, renumbered
from tests.datasets import data_file


def football() -> Graph:
    file = data_file("graphs/football/football.gml")
    return graph_of(nx.convert_node_labels_to_integers(nx.Graph(nx.read_gml(file, label="id"))))


def sizes(labels: np.ndarray) -> list[int]:
    return sorted(np.bincount(labels).tolist(), reverse=True)


def written_out(graph: Graph, inflation: float) -> np.ndarray:
    """Full matrices, nothing dropped; clusters are the components of the remaining flow."""
    flow = nx.to_numpy_array(network_of(graph), nodelist=range(graph.n), weight=None) + np.eye(graph.n)
    flow /= flow.sum(axis=0)
    for _ in range(200):
        flow = np.linalg.matrix_power(flow, 2) ** inflation
        flow /= flow.sum(axis=0)
    joints = nx.from_numpy_array((flow > 1e-6) | (flow > 1e-6).T)
    labels = np.zeros(graph.n, dtype=np.int64)
    for number, group in enumerate(nx.connected_components(joints)):
        labels[list(group)] = number
    return labels


def test_karate_has_the_published_clusters():
    two = markov_clusters(karate(), 1.8, unwatched)
    assert sizes(two) == [18, 16]
    # The worked example: all nodes in one cluster against these two.
    assert agreement(np.zeros(34, dtype=np.int64), two)["jaccard"] == pytest.approx(18 / 34)


def test_football_has_the_published_clusters():
    assert sizes(markov_clusters(football(), 1.4, unwatched)) == [69, 46]
    eight = sizes(markov_clusters(football(), 1.5, unwatched))
    assert (len(eight), eight[0], eight[-1]) == (8, 24, 9)


@pytest.mark.parametrize("inflation", [1.5, 2.0, 3.0])
def test_clusters_are_those_of_full_matrices(inflation):
    graph = graph_of(nx.relaxed_caveman_graph(8, 7, 0.15, seed=1))
    assert agreement(written_out(graph, inflation), markov_clusters(graph, inflation, unwatched))["nmi"] > 0.99


@pytest.mark.skipif(shutil.which("mcl") is None, reason="the program mcl is not installed")
@pytest.mark.parametrize("inflation", [1.4, 2.0])
def test_clusters_are_those_of_the_program(inflation, tmp_path):
    graph = random_graph(300, 900, seed=4)
    edges = tmp_path / "edges"
    edges.write_text("".join(f"{a} {b}\n" for a, b in zip(graph.sources, graph.targets, strict=True)))
    command = ["mcl", str(edges), "--abc", "-I", str(inflation), "-o", str(tmp_path / "clusters")]
    subprocess.run(command, check=True, capture_output=True)
    expected = np.arange(graph.n) + graph.n
    for number, line in enumerate((tmp_path / "clusters").read_text().splitlines()):
        expected[[int(node) for node in line.split()]] = number
    assert agreement(expected, markov_clusters(graph, inflation, unwatched))["nmi"] >= 0.99


def test_long_columns_keep_their_largest_entries():
    full = np.array([[0.5, 0.0], [0.2, 1.0], [0.3, 0.0]])
    thin = _thinned(sparse.csc_array(full), 2).toarray()
    assert thin.tolist() == [[0.5, 0.0], [0.0, 1.0], [0.3, 0.0]]


def test_clusters_are_compared_and_the_noise_is_told():
    graph = karate()
    rng = np.random.default_rng(0)
    same = Mcl(inflation=1.8).measure(graph, renumbered(graph), rng, unwatched)
    assert same["value"] == same["noise"]["jaccard"] == 1.0
    assert same["inflation"] == 1.8
    assert Mcl(inflation=1.8).measure(graph, perturbed(graph, 0.4), rng, unwatched)["value"] < 1.0


def test_nodes_without_edges_are_clusters_of_their_own():
    assert sizes(markov_clusters(graph_of(nx.empty_graph(3)), 2.0, unwatched)) == [1, 1, 1]
