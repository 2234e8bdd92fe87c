"""k-automorphism: what functions prove, and what they do not."""

import networkx as nx
import numpy as np
import pytest

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def shifts(n: int, *steps: int) -> np.ndarray:
    return np.array([[(v + step) % n for v in range(n)] for step in steps], dtype=np.int64)


def test_the_turns_of_a_circle_show_it():
    circle = graph_of(nx.cycle_graph(6))
    assert KAutomorphic(k=6).shown_by(circle, shifts(6, 1, 2, 3, 4, 5))
    assert KAutomorphic(k=3).shown_by(circle, shifts(6, 2, 4))
    assert not KAutomorphic(k=4).shown_by(circle, shifts(6, 2, 4))
    directed = graph_of(nx.cycle_graph(6, create_using=nx.DiGraph))
    assert KAutomorphic(k=3).shown_by(directed, shifts(6, 1, 2))


def test_functions_must_leave_no_node_and_agree_nowhere():
    circle = graph_of(nx.cycle_graph(6))
    mirror = np.array([[0, 5, 4, 3, 2, 1]])
    assert not KAutomorphic(k=2).shown_by(circle, mirror)
    assert not KAutomorphic(k=3).shown_by(circle, shifts(6, 2, 2))
    assert not KAutomorphic(k=2).shown_by(circle, np.array([[1, 1, 3, 2, 5, 4]]))
    assert not KAutomorphic(k=2).shown_by(circle, shifts(5, 1))


def test_functions_must_keep_edges():
    assert not KAutomorphic(k=2).shown_by(graph_of(nx.path_graph(6)), shifts(6, 1))
    assert KAutomorphic(k=2).shown_by(graph_of(nx.path_graph(6)), np.array([[5, 4, 3, 2, 1, 0]]))
    path = graph_of(nx.path_graph(6, create_using=nx.DiGraph))
    assert not KAutomorphic(k=2).shown_by(path, np.array([[5, 4, 3, 2, 1, 0]]))


def test_without_functions_only_what_speaks_against_it_is_seen():
    assert KAutomorphic(k=6).holds(graph_of(nx.cycle_graph(6)))
    assert not KAutomorphic(k=2).holds(graph_of(nx.star_graph(5)))
    assert KAutomorphic(k=2).holds(graph_of(nx.empty_graph(0)))


def test_it_rests_on_the_sealed_map_and_needs_k_nodes():
    assert KAutomorphic.evidence == "bytes+sealed_map"
    with pytest.raises(InvalidDataset) as refusal:
        KAutomorphic(k=4).admit(graph_of(nx.path_graph(3)))
    assert refusal.value.shred
    KAutomorphic(k=3).admit(graph_of(nx.path_graph(3)))
