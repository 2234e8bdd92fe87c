"""k-neighborhood anonymity on graphs whose neighborhoods are compared by hand."""

import random
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph, NodeAttribute
from antifaz.graphs.guarantees.k_neighborhood_anonymity import KNeighborhoodAnonymity
from tests.oracles import definitions as by
from tests.oracles.structures import draw_symmetric


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def test_a_wheel_gives_its_hub_away():
    wheel = graph_of(nx.wheel_graph(6))
    assert not KNeighborhoodAnonymity(k=2).holds(wheel)
    two = graph_of(nx.disjoint_union(nx.wheel_graph(6), nx.wheel_graph(6)))
    assert KNeighborhoodAnonymity(k=2).holds(two)
    assert not KNeighborhoodAnonymity(k=3).holds(two)


def test_how_neighbors_are_joined_counts_where_degrees_do_not_tell():
    # Two hubs of degree six: around one a circle of six, around the other two triangles.
    circle, triangles = nx.wheel_graph(7), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    triangles.add_edges_from((6, v) for v in range(6))
    assert sorted(dict(circle.degree).values()) == sorted(dict(triangles.degree).values())
    assert not KNeighborhoodAnonymity(k=2).holds(graph_of(nx.disjoint_union(circle, triangles)))
    assert KNeighborhoodAnonymity(k=2).holds(graph_of(nx.disjoint_union(triangles, triangles)))


def test_a_wider_radius_sees_more():
    # All neighborhoods of a cycle are alike; circles of six and of four differ two steps away.
    both = graph_of(nx.disjoint_union_all([nx.cycle_graph(6), nx.cycle_graph(4)]))
    assert KNeighborhoodAnonymity(k=10).holds(both)
    assert KNeighborhoodAnonymity(k=4, radius=2).holds(both)
    assert not KNeighborhoodAnonymity(k=5, radius=2).holds(both)


def test_it_is_what_the_definition_says():
    rng = random.Random(9)
    seen = set()
    for _ in range(150):
        network = draw_symmetric(rng, directed=False, most=8)
        ends = np.array(network.edges, dtype=np.int64).reshape(-1, 2)
        graph = Graph.from_pairs(network.n, ends[:, 0], ends[:, 1])
        radius, k = rng.choice((1, 2)), rng.choice((2, 3))
        expected = by.neighborhood_k(network.n, network.edges, radius) >= k
        assert KNeighborhoodAnonymity(k=k, radius=radius).holds(graph) is expected
        seen.add((radius, expected))
        labels = (
            rng.choices((0, 0, 0, 1), k=network.n) if rng.random() < 0.5 else [d % 2 for d in graph.degrees.tolist()]
        )
        town = NodeAttribute("town", "quasi_identifier", np.array(labels, dtype=np.int64), 2)
        expected = by.neighborhood_k(network.n, network.edges, radius, labels) >= k
        labeled = replace(graph, attributes=(town,))
        assert KNeighborhoodAnonymity(k=k, radius=radius, labels="compared").holds(labeled) is expected
        seen.add((radius, "labeled", expected))
    assert len(seen) == 8


def test_directed_graphs_and_too_few_nodes_are_not_admitted():
    with pytest.raises(InvalidDataset) as refusal:
        KNeighborhoodAnonymity(k=2).admit(graph_of(nx.cycle_graph(6, create_using=nx.DiGraph)))
    assert not refusal.value.shred
    with pytest.raises(InvalidDataset) as refusal:
        KNeighborhoodAnonymity(k=4).admit(graph_of(nx.cycle_graph(3)))
    assert refusal.value.shred
    KNeighborhoodAnonymity(k=3).admit(graph_of(nx.cycle_graph(3)))
    assert KNeighborhoodAnonymity(k=2).holds(graph_of(nx.empty_graph(0)))


@pytest.mark.parametrize("asked", [{"k": 1}, {"k": 2, "radius": 0}, {"k": 2, "radius": 9}])
def test_other_parameters_are_no_guarantee(asked):
    with pytest.raises(ValidationError):
        KNeighborhoodAnonymity.model_validate(asked)
