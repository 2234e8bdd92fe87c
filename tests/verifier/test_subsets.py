"""(k, l)-anonymity: the published cubes, complete graphs, and what is said beyond the limit."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from verifier import subsets
from verifier.findings import Evidence, find
from verifier.networks import Network
from verifier.verdict import Finding

Edges = list[tuple[int, int]]


def judge(n: int, edges: Edges, k: int, l: Any, definition: Any = "neighbors", directed: bool = False) -> Finding:  # noqa: E741
    ends = np.array(edges, np.int64).reshape(-1, 2)
    network = Network("edgelist", None, ends[:, 0], ends[:, 1])
    guarantee = {"model": "kl_anonymity", "k": k, "l": l, "definition": definition}
    return find(guarantee, Evidence({}, networks=[network], n=n, graph_flaw="", directed=directed))


def cube(dimensions: int) -> Edges:
    """Corners are joined where one bit differs."""
    return [(u, u | 1 << bit) for u in range(2**dimensions) for bit in range(dimensions) if not u >> bit & 1]


def complete(n: int) -> Edges:
    return list(combinations(range(n), 2))


def test_the_cube_by_neighbors_and_not_by_indices() -> None:
    assert judge(8, cube(3), 2, 2).holds
    found = judge(8, cube(3), 2, 2, "indices")
    assert (found.holds, found.achieved["k"]) == (False, 1)
    assert found.detail == "what is known of l nodes leaves fewer than k"


def test_the_cube_of_four_dimensions_by_both() -> None:
    for definition in ("neighbors", "indices"):
        assert judge(16, cube(4), 2, 2, definition).achieved == {"k": 2, "l": 2, "definition": definition}
        assert not judge(16, cube(4), 3, 2, definition).holds


def test_complete_graphs_trade_k_for_l_by_neighbors_and_hide_nobody_by_indices() -> None:
    for k in range(2, 7):
        assert judge(7, complete(7), k, 7 - k).achieved["k"] == k
        assert judge(7, complete(7), k, 1, "indices").achieved["k"] == 1


def test_fewer_neighbors_than_l_are_refused() -> None:
    star = [(0, v) for v in range(1, 6)]
    assert judge(6, star, 2, 2).achieved["k"] == 0
    assert judge(7, complete(6), 2, 1).achieved["k"] == 0  # one node is joined to nobody


@pytest.mark.parametrize(
    ("k", "l", "definition"),
    [(2, 0, "neighbors"), (2, True, "neighbors"), (2, 1, "any"), (1, 1, "indices"), (6, 3, "indices")],
)
def test_parameters_without_sense_hold_nothing(k: int, l: Any, definition: str) -> None:  # noqa: E741
    found = judge(8, cube(3), k, l, definition)
    assert not found.holds
    assert found.achieved == {}
    assert not judge(8, cube(3), 2, 1, directed=True).holds


def test_beyond_the_limit_only_what_is_easily_shown_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [(u, v) for u, v in combinations(range(9), 2) if u // 3 != v // 3]
    exact = {definition: judge(9, blocks, 3, 3, definition) for definition in ("neighbors", "indices")}
    assert all(found.holds for found in exact.values())
    monkeypatch.setattr(subsets, "MOST_SETS", 0)
    for definition in ("neighbors", "indices"):
        assert judge(9, blocks, 3, 3, definition).achieved["k"] == 3
        undecided = judge(9, complete(9), 3, 3, definition)
        assert (undecided.holds, undecided.detail) == (False, "it could not be decided within the limit")
    monkeypatch.setattr(subsets, "MOST_PAIRS", 0)
    for definition in ("neighbors", "indices"):
        assert judge(9, blocks, 3, 2, definition).achieved["k"] == 3
        assert judge(9, complete(9), 3, 2, definition).detail == "it could not be decided within the limit"


def test_some_nodes_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "_CELLS", 20)
    assert judge(16, cube(4), 2, 2, "indices").achieved["k"] == 2
    assert judge(8, cube(3), 2, 2).achieved["k"] == 2
