"""Supernode size of an ordinary graph and of a generalized release."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.forms.generalized import release
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.supernode_size import SupernodeSize


def circle(n: int) -> Graph:
    nodes = np.arange(n)
    return Graph.from_pairs(n, nodes, (nodes + 1) % max(1, n))


def generalized(sizes: list[int]) -> ProtectedGraph:
    members = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
    return release(circle(len(members)), members, 0, {}, np.random.default_rng(0))


def test_every_supernode_counts():
    assert SupernodeSize(k=3).holds_in(generalized([3, 4, 3]))
    assert not SupernodeSize(k=3).holds_in(generalized([3, 4, 2]))
    assert not SupernodeSize(k=4).holds_in(generalized([3, 4, 3]))


def test_the_nodes_of_an_ordinary_graph_are_supernodes_of_one():
    assert not SupernodeSize(k=2).holds(circle(6))
    assert SupernodeSize(k=2).holds(circle(0))
    assert not SupernodeSize(k=2).holds_in(ProtectedGraph(circle(6), np.arange(6)))


def test_a_graph_with_fewer_nodes_than_k_is_refused():
    SupernodeSize(k=5).admit(circle(5))
    with pytest.raises(InvalidDataset) as caught:
        SupernodeSize(k=6).admit(circle(5))
    assert caught.value.rule == "k_above_nodes"


@pytest.mark.parametrize("k", [1, 0, -2, 2.5, "many"])
def test_k_is_a_whole_number_above_one(k):
    with pytest.raises(ValidationError):
        SupernodeSize.model_validate({"k": k})
