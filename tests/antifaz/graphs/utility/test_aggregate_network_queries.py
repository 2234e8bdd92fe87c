"""Aggregate network queries, checked by hand."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, NodeAttribute
from antifaz.graphs.utility.aggregate_network_queries import AggregateNetworkQueries
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, random_graph, renumbered, unchanged


def with_types(graph: Graph, types: list[int]) -> Graph:
    return replace(graph, attributes=(NodeAttribute("job", "insensitive", np.array(types), max(types) + 1),))


def measure(graph: Graph, release: Graph) -> dict:
    return AggregateNetworkQueries().measure(graph, unchanged(release), np.random.default_rng(0), unwatched)


def test_a_bridge_that_is_lengthened_changes_the_answers():
    # Ten doctors in a star whose center is joined to the center of ten teachers' star.
    before = nx.disjoint_union(nx.star_graph(9), nx.star_graph(9))
    before.add_edge(0, 10)
    after = nx.disjoint_union(nx.star_graph(9), nx.star_graph(9))
    after.add_edge(1, 11)
    result = measure(with_types(graph_of(before), [0] * 10 + [1] * 10), graph_of(after))
    # Before: a center is at 1 and nine leaves at 2. After: the joined leaf is at 1, the center at 2, eight at 3.
    assert result["value"] == pytest.approx((27 / 10 - 19 / 10) / (19 / 10))
    assert result["queries"] == 2
    assert result["types"] == 2


def test_a_release_that_joins_nobody_answers_nothing():
    graph = with_types(graph_of(nx.complete_graph(20)), [0] * 10 + [1] * 10)
    assert measure(graph, graph_of(nx.empty_graph(20)))["value"] == 1.0


def test_new_node_numbers_change_nothing():
    graph = with_types(random_graph(60, 150), [node % 3 for node in range(60)])
    result = AggregateNetworkQueries().measure(graph, renumbered(graph), np.random.default_rng(0), unwatched)
    assert result["value"] == 0.0
    assert result["queries"] == 6


def test_without_types_there_is_no_value():
    graph = random_graph(60, 150)
    assert measure(graph, graph)["value"] is None
