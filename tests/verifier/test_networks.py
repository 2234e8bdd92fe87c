"""Networks: ids, edges and what makes a graph simple."""

import numpy as np
import pytest

from verifier.cells import Coder
from verifier.networks import Network, covers, edge_faults, edge_keys, node_numbers


def network(*edges: tuple[int, int]) -> Network:
    sources, targets = np.array(edges, np.int64).reshape(-1, 2).T
    return Network("edgelist", None, sources, targets)


def test_an_id_is_the_plain_decimal_text_of_a_number() -> None:
    coder = Coder()
    coder.add(["0", "12", "012", " 1", "+1", "-1", "1.0", "", "٣", "9" * 30, ("i", "7"), ("f", "7.0"), None, True])
    assert node_numbers(coder.column()).tolist() == [0, 12, -1, -1, -1, -1, -1, -1, -1, -1, 7, -1, -1, -1]


@pytest.mark.parametrize(
    ("ids", "expected"), [([2, 0, 1], True), ([0, 1], False), ([0, 1, 1], False), ([1, 2, 3], False)]
)
def test_nodes_are_0_to_n_minus_1_each_once(ids: list[int], expected: bool) -> None:
    assert covers(np.array(ids), 3) is expected


def test_the_orientation_counts_only_in_a_directed_graph() -> None:
    assert np.array_equal(edge_keys(network((2, 0), (0, 1)), 3, False), edge_keys(network((1, 0), (0, 2)), 3, False))
    assert not np.array_equal(edge_keys(network((2, 0)), 3, True), edge_keys(network((0, 2)), 3, True))


def test_faults_of_edges() -> None:
    assert edge_faults(network((0, 1), (1, 2)), 3, False) == []
    assert edge_faults(network(), 3, False) == []
    assert edge_faults(network((0, 1), (1, 0)), 3, True) == []
    assert edge_faults(network((0, 1), (1, 0)), 3, False) == ["edgelist graph: a repeated edge"]
    assert edge_faults(network((0, 1), (0, 1)), 3, True) == ["edgelist graph: a repeated edge"]
    assert edge_faults(network((1, 1)), 3, True) == ["edgelist graph: a self-loop"]
    assert edge_faults(network((0, 3)), 3, False) == ["edgelist graph: an end point is not among the nodes"]
    assert edge_faults(network((-1, 0)), 3, False) == ["edgelist graph: an end point is not among the nodes"]
