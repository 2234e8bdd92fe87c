"""Louvain and Leiden: modularity as high as another library's, communities that are connected."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.analysis.communities import cluster_renumbered, modularity
from antifaz.graphs.analysis.louvain import leiden, louvain
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, random_graph

BOTH = pytest.mark.parametrize("cluster", [louvain, leiden])


@BOTH
def test_karate_falls_into_four_communities_of_the_highest_modularity(cluster):
    graph, rng = karate(), np.random.default_rng(0)
    found = [cluster_renumbered(cluster, graph, rng, unwatched) for _ in range(10)]
    assert max(modularity(graph, labels) for labels in found) == pytest.approx(0.4198, abs=1e-4)
    assert min(modularity(graph, labels) for labels in found) > 0.39


@BOTH
def test_it_reaches_what_another_library_reaches(cluster):
    network = nx.relaxed_caveman_graph(30, 10, 0.15, seed=2)
    other = nx.community.modularity(network, nx.community.louvain_communities(network, seed=1))
    labels = cluster(graph_of(network), np.random.default_rng(0), unwatched)
    assert modularity(graph_of(network), labels) > 0.98 * other


@BOTH
def test_cliques_on_a_string_are_found(cluster):
    labels = cluster(graph_of(nx.ring_of_cliques(8, 6)), np.random.default_rng(0), unwatched)
    assert sorted(np.bincount(labels).tolist()) == [6] * 8


@pytest.mark.parametrize("seed", range(5))
def test_communities_of_leiden_hang_together(seed):
    graph = random_graph(300, 500, seed=seed)
    network = nx.Graph(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))
    network.add_nodes_from(range(graph.n))
    labels = leiden(graph, np.random.default_rng(0), unwatched)
    assert all(nx.is_connected(network.subgraph(np.flatnonzero(labels == c).tolist())) for c in range(labels.max() + 1))


@BOTH
def test_nodes_without_edges_stay_alone(cluster):
    labels = cluster(graph_of(nx.empty_graph(4)), np.random.default_rng(0), unwatched)
    assert len(set(labels.tolist())) == 4
