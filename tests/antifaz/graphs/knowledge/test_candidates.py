"""Candidate sets: sizes, probabilities, and which of them are disclosed."""

import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import chances, class_sizes, mean, shares, smallest, withheld, withheld_shares


def test_shares_are_counted_by_size():
    sizes = class_sizes(np.array([1, 2, 2, 3, 3, 3, 3, 3]))
    assert sizes.tolist() == [1, 2, 2, 5, 5, 5, 5, 5]
    assert shares(sizes) == {"1": 0.125, "2-4": 0.25, "5-10": 0.625, "11-20": 0.0, "21+": 0.0}
    assert smallest(sizes) == 1


def test_shares_of_few_nodes_of_the_original_are_withheld():
    told = withheld_shares(np.array([1] * 4 + [2] * 20 + [5] * 25 + [11] * 22 + [30] * 129))
    # One alone would be the rest of the others: the smallest other is withheld too.
    assert told == {"1": "<0.05", "2-4": ">=0.05", "5-10": 0.125, "11-20": 0.11, "21+": 0.645}
    assert withheld(9) == "<10"
    assert withheld(10) == 10


def test_a_guess_among_the_candidates_finds_the_node_if_it_is_there():
    released = ProtectedGraph(Graph(4, np.zeros(0, dtype=np.int64)), np.array([2, 0, 1, -1]))
    known, seen = np.array([7, 7, 9]), np.array([9, 7, 8, 7])
    # Node 0 shows 7 like the made-up node, node 1 shows something else, node 2 alone shows 9.
    assert chances(known, seen, released).tolist() == [0.5, 0.0, 1.0]


def test_nobody_has_no_chance():
    assert mean(np.zeros(0)) == 0.0
    assert smallest(np.zeros(0, dtype=np.int64)) == 0
    assert shares(np.zeros(0, dtype=np.int64))["1"] == pytest.approx(0)
