"""(k, ε)-obfuscation: worked examples, ordinary graphs and the share that may fall short."""

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import EdgeColumn, Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_eps_obfuscation import KEpsObfuscation


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def uncertain(graph: Graph, likely: list[float]) -> ProtectedGraph:
    return ProtectedGraph(graph, np.arange(graph.n), edge_columns=(EdgeColumn("probability", np.array(likely)),))


SQUARE = graph_of(nx.cycle_graph(4))


def test_a_square_of_even_chances_hides_each_among_four():
    assert KEpsObfuscation(k=4, epsilon=0).holds_in(uncertain(SQUARE, [0.5] * 4), SQUARE)


def test_one_certain_edge_breaks_it():
    # Two nodes have degree 2 with the chance 1/2, two with 1/4: the entropy is 1.918 bits, worth 3.78 nodes.
    released = uncertain(SQUARE, [1.0, 0.5, 0.5, 0.5])
    assert not KEpsObfuscation(k=4, epsilon=0).holds_in(released, SQUARE)
    assert KEpsObfuscation(k=3, epsilon=0).holds_in(released, SQUARE)


def test_an_ordinary_graph_has_it_as_its_degree_classes_have():
    star = graph_of(nx.star_graph(4))
    assert KEpsObfuscation(k=4, epsilon=0.2).holds(star)
    assert not KEpsObfuscation(k=4, epsilon=0.19).holds(star)
    assert not KEpsObfuscation(k=5, epsilon=0.2).holds(star)
    assert KEpsObfuscation(k=4, epsilon=0).holds(SQUARE)
    assert not KEpsObfuscation(k=5, epsilon=0).holds(SQUARE)


def test_the_share_is_taken_as_it_is_written():
    # Three of ten nodes fall short, and 0.3 is not a binary fraction.
    network = nx.disjoint_union(nx.path_graph(3), nx.empty_graph(7))
    assert KEpsObfuscation(k=7, epsilon=0.3).holds(graph_of(network))


def test_a_degree_that_no_node_can_have_any_more_hides_nobody():
    released = uncertain(Graph(4, SQUARE.keys[:1]), [0.5])
    assert not KEpsObfuscation(k=2, epsilon=0).holds_in(released, SQUARE)


def test_the_degrees_are_those_of_the_originals_behind_the_nodes():
    path = graph_of(nx.path_graph(4))
    turned = ProtectedGraph(
        path.relabeled(np.array([1, 0, 3, 2])),
        np.array([1, 0, 3, 2]),
        edge_columns=(EdgeColumn("probability", np.ones(3)),),
    )
    assert KEpsObfuscation(k=2, epsilon=0).holds_in(turned, path)


def test_directed_and_too_small_graphs_are_refused():
    KEpsObfuscation(k=4, epsilon=0).admit(SQUARE)
    with pytest.raises(InvalidDataset) as caught:
        KEpsObfuscation(k=5, epsilon=0).admit(SQUARE)
    assert caught.value.rule == "k_above_nodes"
    with pytest.raises(InvalidDataset) as caught:
        KEpsObfuscation(k=2, epsilon=0).admit(graph_of(nx.DiGraph([(0, 1)])))
    assert caught.value.rule == "directed"


@pytest.mark.parametrize("wrong", [{"k": 1}, {"epsilon": 1.0}, {"epsilon": -0.1}, {"epsilon": float("nan")}])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(ValidationError):
        KEpsObfuscation.model_validate({"k": 2, "epsilon": 0.1, **wrong})
