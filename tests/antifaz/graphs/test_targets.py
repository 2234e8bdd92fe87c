"""Targets: the largest k of several guarantees, and conditions that prevent it."""

import networkx as nx
import numpy as np
import pytest

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.neighborhood_twins import NeighborhoodTwins
from antifaz.graphs.methods.k_automorphism import KAutomorphism
from antifaz.graphs.targets import changes, largest_k
from tests.antifaz.graphs.releases import graph_of

PATH = graph_of(nx.path_graph(7))


def test_the_largest_k_counts():
    assert largest_k(KAutomorphism(), [KDegreeAnonymity(k=3), KAutomorphic(k=2)], PATH) == 3


def test_what_a_method_does_not_give_is_named_by_its_place():
    with pytest.raises(InvalidPolicy) as refusal:
        largest_k(KAutomorphism(), [KDegreeAnonymity(k=3), NeighborhoodTwins(k=2)], PATH)
    assert refusal.value.pointer == "/guarantees/1"
    with pytest.raises(InvalidPolicy):
        largest_k(KAutomorphism(), [], PATH)


@pytest.mark.parametrize(("k", "groups", "nearest"), [(8, 1, {"k": 7.0}), (4, 2, {"k": 3.0}), (3, 4, None)])
def test_groups_for_which_there_is_no_room_are_infeasible(k, groups, nearest):
    with pytest.raises(Infeasible) as answer:
        largest_k(KAutomorphism(), [KAutomorphic(k=k)], PATH, groups)
    assert answer.value.nearest == nearest
    assert answer.value.reasons[0].limit == groups * k


def test_changes_are_counted_when_nodes_are_added():
    before = Graph.from_pairs(3, np.array([0, 1]), np.array([1, 2]))
    after = Graph.from_pairs(4, np.array([0, 2]), np.array([1, 3]))
    assert changes(before, after) == {"edges_added": 1, "edges_removed": 1, "nodes_added": 1}
