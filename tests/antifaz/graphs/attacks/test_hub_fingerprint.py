"""Hub fingerprint attack, checked by hand."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.hub_fingerprint import HubFingerprint
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, **parameters: int) -> dict:
    return HubFingerprint(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def broom() -> Graph:
    """A hub with three leaves and a tail of four."""
    return graph_of(nx.Graph([(0, 1), (0, 2), (0, 3), (0, 4), (4, 5), (5, 6), (6, 7)]))


def test_distances_to_one_hub_make_the_classes():
    # At distance 1 four nodes, at 2, 3 and 4 one each; 3 and more are known as far as reach goes.
    result = attempt(broom(), renumbered(broom()), hubs=1, reach=5)
    assert result["rate"] == pytest.approx((4 / 4 + 1 + 1 + 1) / 7)
    near = attempt(broom(), renumbered(broom()), hubs=1, reach=2)
    assert near["rate"] == pytest.approx((4 / 4 + 1 + 2 / 2) / 7)
    assert near["targets"] == 7


def test_many_hubs_give_most_people_away_in_a_renumbered_graph():
    graph = random_graph(300, 900)
    result = attempt(graph, renumbered(graph), hubs=40, reach=10)
    assert result["rate"] > 0.8
    assert attempt(graph, perturbed(graph, 0.3), hubs=40, reach=10)["rate"] < 0.05


def test_a_graph_without_nodes_has_nobody_to_find():
    empty = graph_of(nx.Graph())
    assert attempt(empty, renumbered(empty))["rate"] == 0.0
