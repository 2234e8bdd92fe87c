"""RRW: groups of the allowed sizes that share no node."""

import re

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility import rrw as module
from antifaz.graphs.utility.rrw import Rrw, _significance, _visits
from antifaz.watch import unwatched
from bench.graphs import read_graph
from tests.antifaz.graphs.networks import graph_of, karate, network_of, perturbed, random_graph, renumbered
from tests.datasets import data_file


def clustered(graph: Graph, **parameters: float | str) -> NDArray[np.int64]:
    return Rrw(**parameters)._cluster(graph, np.random.default_rng(0), unwatched)


def groups(graph: Graph, **parameters: float | str) -> list[int]:
    labels = clustered(graph, **parameters)
    return sorted(np.bincount(labels[labels >= 0]).tolist())


def test_karate_has_the_two_published_groups_of_five_by_density_and_one_node_more_by_significance():
    assert groups(karate(), smallest=5, largest=20, rank="density") == [5, 5]
    assert groups(karate(), smallest=5, largest=20) == [5, 6]


FOOTBALL = {
    "density": ({"rank": "density", "cutoff": 0, "restart": 0.4}, [10, 10, 10, 10, 10, 10, 11, 13]),
    "defaults": ({}, [10, 11, 12, 12, 14]),
}


@pytest.mark.parametrize("case", FOOTBALL)
def test_football_has_eight_groups_by_density_without_a_cut_off_and_five_by_default(case):
    """Each has eight or more teams of its own conference, and at most four others."""
    parameters, sizes = FOOTBALL[case]
    file = data_file("graphs/football/football.gml")
    labels = clustered(read_graph(file), smallest=10, largest=50, **parameters)
    assert sorted(np.bincount(labels[labels >= 0]).tolist()) == sizes
    conferences = np.array(re.findall(r"\bvalue\s+(\d+)", file.read_text()), dtype=np.int64)
    teams = [np.bincount(conferences[labels == group]) for group in range(len(sizes))]
    assert len({int(each.argmax()) for each in teams}) == len(sizes)
    assert min(each.max() for each in teams) >= 8
    assert max(each.sum() - each.max() for each in teams) <= (4 if case == "density" else 1)


def test_significance_is_the_distance_from_random_groups_of_the_same_size():
    graph, rng = karate(), np.random.default_rng(0)
    rows = np.zeros((graph.n, graph.n), dtype=bool)
    rows[graph.sources, graph.targets] = True
    drawn = [rng.permutation(graph.n)[:6] for _ in range(20_000)]
    edges = np.array([rows[np.ix_(group, group)].sum() for group in drawn])
    density = np.full((1, 6), 10 / 15)
    assert _significance(graph, density)[0, 5] == pytest.approx((10 - edges.mean()) / edges.std(), rel=0.05)


def test_groups_with_no_more_edges_than_random_ones_are_none():
    assert groups(graph_of(nx.complete_graph(12)), smallest=5, largest=8) == []
    assert groups(graph_of(nx.complete_graph(12)), smallest=5, largest=8, rank="density") == [8]


def test_cliques_are_the_densest_groups():
    assert groups(graph_of(nx.ring_of_cliques(6, 7)), smallest=5, largest=12) == [7] * 6


def test_walks_with_restarts_are_those_of_another_library():
    graph = karate()
    visits = _visits(graph, 0.6, unwatched)
    network = network_of(graph)
    rank = nx.pagerank(network, alpha=0.4, personalization={3: 1.0}, tol=1e-10)
    assert visits[3] == pytest.approx([rank[node] for node in range(34)], abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_groups_keep_their_bounds(seed):
    found = groups(random_graph(100, 300, seed=seed), smallest=4, largest=9)
    assert found
    assert 4 <= min(found) <= max(found) <= 9


def test_groups_are_compared_and_the_noise_is_told():
    graph = graph_of(nx.ring_of_cliques(6, 7))
    rng = np.random.default_rng(0)
    same = Rrw().measure(graph, renumbered(graph), rng, unwatched)
    assert same["value"] == same["noise"]["jaccard"] == 1.0
    assert Rrw().measure(graph, perturbed(graph, 0.5), rng, unwatched)["value"] < 0.6


def test_a_large_graph_is_compared_around_one_node(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 20)
    result = Rrw().measure(karate(), renumbered(karate()), np.random.default_rng(0), unwatched)
    assert result["nodes"] == 20


def test_bounds_the_wrong_way_round_are_refused():
    with pytest.raises(ValidationError, match="smallest must not be above largest"):
        Rrw(smallest=9, largest=8)


def test_graphs_without_groups_agree():
    empty = graph_of(nx.empty_graph(3))
    assert Rrw().measure(empty, renumbered(empty), np.random.default_rng(0), unwatched)["value"] == 1.0
