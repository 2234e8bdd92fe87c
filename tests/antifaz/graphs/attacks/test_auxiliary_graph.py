"""Auxiliary graph attack: the more the attacker's graph overlaps, the more people are found."""

import numpy as np
import pytest

from antifaz.graphs.attacks.auxiliary_graph import AuxiliaryGraph, _overlapping
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, overlap: float) -> dict:
    return AuxiliaryGraph(overlap=overlap).attempt(graph, released, np.random.default_rng(0), unwatched)


def test_more_overlap_finds_more_people():
    graph = random_graph(600, 5000)
    rates = [attempt(graph, renumbered(graph), overlap)["rate"] for overlap in (1.0, 0.8, 0.1)]
    assert rates[0] > 0.97
    assert rates[1] > 0.7
    assert rates[2] < 0.1


def test_the_other_graph_shares_the_stated_edges():
    graph = random_graph(500, 4000)
    other = _overlapping(graph, 0.75, np.random.default_rng(0))
    shared = len(np.intersect1d(graph.keys, other.keys))
    assert shared / graph.m == pytest.approx(0.75, abs=0.04)
    assert other.m == pytest.approx(graph.m, rel=0.05)


def test_a_graph_without_nodes_has_nobody_to_find():
    empty = Graph(0, np.zeros(0, dtype=np.int64))
    assert attempt(empty, renumbered(empty), 0.5)["rate"] == 0.0
