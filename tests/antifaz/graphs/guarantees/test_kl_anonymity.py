"""(k, l)-anonymity on cubes and complete graphs, and against its definition on random graphs."""

import random

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees import kl_anonymity
from antifaz.graphs.guarantees.kl_anonymity import KlAnonymity
from tests.oracles import definitions as by
from tests.oracles.structures import draw_symmetric


def graph_of(network: nx.Graph) -> Graph:
    network = nx.convert_node_labels_to_integers(network)
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def holds(graph: Graph, k: int, l: int, definition: str) -> bool:  # noqa: E741
    return KlAnonymity(k=k, l=l, definition=definition).holds(graph)


def test_the_cube_is_anonymous_by_neighbors_and_not_by_indices():
    cube = graph_of(nx.hypercube_graph(3))
    assert holds(cube, 2, 2, "neighbors")
    assert not holds(cube, 2, 2, "indices")
    assert holds(cube, 3, 1, "indices")


def test_the_cube_of_four_dimensions_is_anonymous_by_both():
    cube = graph_of(nx.hypercube_graph(4))
    assert holds(cube, 2, 2, "neighbors")
    assert holds(cube, 2, 2, "indices")
    assert not holds(cube, 3, 2, "neighbors")
    assert not holds(cube, 3, 2, "indices")


def test_a_complete_graph_trades_k_for_l_by_neighbors_and_hides_nobody_by_indices():
    complete = graph_of(nx.complete_graph(6))
    for k in range(2, 6):
        assert holds(complete, k, 6 - k, "neighbors")
        assert not holds(complete, k, 1, "indices")
    assert not holds(complete, 3, 4, "neighbors")


def test_by_neighbors_every_node_needs_l_neighbors():
    bipartite = nx.complete_bipartite_graph(3, 4)
    assert holds(graph_of(bipartite), 3, 3, "neighbors")
    bipartite.add_node(7)
    assert not holds(graph_of(bipartite), 3, 1, "neighbors")


def test_twins_show_it_where_sets_are_too_many(monkeypatch):
    blocks = graph_of(nx.complete_multipartite_graph(3, 3, 3))
    monkeypatch.setattr(kl_anonymity, "MOST_SETS", 0)
    assert holds(blocks, 3, 3, "indices")
    assert holds(blocks, 3, 3, "neighbors")
    assert not holds(
        graph_of(nx.complete_graph(9)), 3, 3, "neighbors"
    )  # it is, but too many sets would have to be seen


def test_it_is_what_the_definition_says():
    rng = random.Random(4)
    seen = set()
    for _ in range(120):
        network = draw_symmetric(rng, directed=False, most=8)
        ends = np.array(network.edges, dtype=np.int64).reshape(-1, 2)
        graph = Graph.from_pairs(network.n, ends[:, 0], ends[:, 1])
        for l in range(1, 4):  # noqa: E741
            for definition in ("indices", "neighbors"):
                k = rng.choice((2, 3))
                expected = k + l <= network.n and by.kl_of(network.n, network.edges, l, definition) >= k
                assert holds(graph, k, l, definition) is expected
                seen.add((definition, l, expected))
    assert len(seen) == 12


def test_directed_graphs_and_too_few_nodes_are_not_admitted():
    asked = KlAnonymity(k=3, l=2)
    with pytest.raises(InvalidDataset) as refusal:
        asked.admit(graph_of(nx.cycle_graph(6, create_using=nx.DiGraph)))
    assert not refusal.value.shred
    with pytest.raises(InvalidDataset) as refusal:
        asked.admit(graph_of(nx.cycle_graph(4)))
    assert refusal.value.shred
    asked.admit(graph_of(nx.cycle_graph(5)))


@pytest.mark.parametrize("asked", [{"k": 1, "l": 1}, {"k": 2, "l": 0}, {"k": 2}, {"k": 2, "l": 1, "definition": "any"}])
def test_other_parameters_are_no_guarantee(asked):
    with pytest.raises(ValidationError):
        KlAnonymity.model_validate(asked)
