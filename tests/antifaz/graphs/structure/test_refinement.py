"""Vertex refinement signatures against multisets written out."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.structure.refinement import refine
from tests.antifaz.graphs.networks import graph_of, network_of, random_graph, renumbered

NAMES = ["Alice", "Bob", "Carol", "Dave", "Ed", "Fred", "Greg", "Harry"]
FRIENDS = ["AB", "CB", "BD", "BE", "DE", "DF", "DG", "EG", "EH", "FG", "HG"]


def friends() -> nx.Graph:
    numbers = {name[0]: place for place, name in enumerate(NAMES)}
    network = nx.Graph()
    network.add_nodes_from(range(len(NAMES)))
    network.add_edges_from((numbers[a], numbers[b]) for a, b in FRIENDS)
    return network


def written_out(network: nx.Graph, depth: int) -> list:
    """The queries' answers as nested sorted tuples."""
    answers: dict = dict.fromkeys(network, ())
    for _ in range(depth):
        if network.is_directed():
            answers = {
                v: (
                    tuple(sorted(answers[u] for u in network.successors(v))),
                    tuple(sorted(answers[u] for u in network.predecessors(v))),
                )
                for v in network
            }
        else:
            answers = {v: tuple(sorted(answers[u] for u in network[v])) for v in network}
    return [answers[v] for v in sorted(network)]


def partition(answers) -> set[frozenset[int]]:
    groups: dict = {}
    for node, answer in enumerate(answers):
        groups.setdefault(answer, set()).add(node)
    return {frozenset(group) for group in groups.values()}


def named(groups: set[frozenset[int]]) -> set[frozenset[str]]:
    return {frozenset(NAMES[node] for node in group) for group in groups}


def test_the_published_example_falls_into_the_published_classes():
    found = [named(partition(each.tolist())) for each in refine(graph_of(friends()))]
    assert found[0] == {frozenset(NAMES)}
    assert frozenset({"Bob", "Dave", "Ed", "Greg"}) in found[1]
    assert frozenset({"Dave", "Ed"}) in found[2]
    assert frozenset({"Bob"}) in found[2]
    assert frozenset({"Greg"}) in found[2]
    assert frozenset({"Alice", "Carol"}) in found[2]
    assert frozenset({"Fred", "Harry"}) in found[2]


@pytest.mark.parametrize("directed", [False, True])
@settings(deadline=None, max_examples=25)
@given(n=st.integers(0, 14), density=st.floats(0, 0.6), seed=st.integers(0, 999))
def test_classes_are_those_of_the_multisets(directed, n, density, seed):
    network = nx.gnp_random_graph(n, density, seed=seed, directed=directed)
    for depth, signatures in enumerate(refine(graph_of(network))):
        assert partition(signatures.tolist()) == partition(written_out(network, depth))


@pytest.mark.parametrize("directed", [False, True])
def test_signatures_do_not_depend_on_node_numbers(directed):
    graph = random_graph(60, 150, directed=directed)
    released = renumbered(graph)
    for before, after in zip(refine(graph), refine(released.graph), strict=True):
        assert np.array_equal(before[released.origin], after)


def test_an_isolated_node_differs_from_a_leaf():
    graph = graph_of(nx.Graph([(0, 1)]))
    assert len(set(refine(graph, 1)[1].tolist())) == 1
    assert network_of(graph).number_of_edges() == 1
