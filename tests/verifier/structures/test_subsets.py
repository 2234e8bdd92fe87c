"""(k, l)-anonymity: the published cubes, complete graphs, and the report beyond the limit."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.networks import Network
from verifier.structures import subsets
from verifier.verdict.verdict import Finding
from verifier.verdict.watch import watched_by

Edges = list[tuple[int, int]]


def judge(n: int, edges: Edges, k: int, l: Any, definition: Any = "neighbors", directed: bool = False) -> Finding:  # noqa: E741
    ends = np.array(edges, np.int64).reshape(-1, 2)
    network = Network("edgelist", None, ends[:, 0], ends[:, 1])
    guarantee = {"model": "kl_anonymity", "k": k, "l": l, "definition": definition}
    return find(guarantee, Evidence({}, networks=[network], n=n, graph_flaw="", directed=directed))


def cube(dimensions: int) -> Edges:
    """Corners are joined if one bit differs."""
    return [(u, u | 1 << bit) for u in range(2**dimensions) for bit in range(dimensions) if not u >> bit & 1]


def complete(n: int) -> Edges:
    return list(combinations(range(n), 2))


def test_the_cube_by_neighbors_and_not_by_indices() -> None:
    assert judge(8, cube(3), 2, 2).holds
    found = judge(8, cube(3), 2, 2, "indices")
    assert (found.holds, found.achieved["k"]) == (False, 1)
    assert found.detail == "knowledge of l nodes leaves fewer than k candidates"


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
    assert judge(7, complete(6), 2, 1).achieved["k"] == 0  # one node has no neighbors


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


# Counted by the definition, for graphs in which no two of the answers below agree by chance


def drawn(seed: int, n: int = 7) -> Edges:
    rng = np.random.default_rng(seed)
    return [edge for edge in combinations(range(n), 2) if rng.random() < (0.5, 0.75, 0.9)[seed % 3]]


def neighbors(n: int, edges: Edges) -> list[set[int]]:
    return [{v for v in range(n) if (u, v) in edges or (v, u) in edges} for u in range(n)]


def by_definition(n: int, edges: Edges, l: int, definition: str) -> int:  # noqa: E741
    near = neighbors(n, edges)
    if definition == "indices":
        patterns = [
            Counter(tuple(node in near[column] for column in chosen) for node in range(n))
            for chosen in combinations(range(n), l)
        ]
        return min(min(counts.values()) for counts in patterns)
    sets = [chosen for own in near for chosen in combinations(sorted(own), l)]
    common = [sum(set(chosen) <= other for other in near) for chosen in sets]
    return 0 if min(map(len, near)) < l else min(common)


def measured(n: int, edges: Edges, l: int, definition: str) -> tuple[int, bool]:  # noqa: E741
    ends = np.array(edges, np.int64).reshape(-1, 2)
    return subsets._MEASURES[definition](n, ends[:, 0], ends[:, 1], l)


BLOCKS = [(u, v) for u, v in combinations(range(9), 2) if u // 3 != v // 3]
WIDER = [*BLOCKS, (0, 9), (1, 9), (2, 9)]
"""Six nodes have every neighbor that node 9 has, and others too; nobody has the same."""


@pytest.mark.parametrize("definition", ["indices", "neighbors"])
def test_it_is_what_the_definition_counts(definition: str) -> None:
    cases = [(7, drawn(seed)) for seed in range(9)]
    cases += [(8, cube(3)), (9, BLOCKS), (10, WIDER), (6, complete(6)), (4, [(0, 1)])]
    found = Counter()
    for n, edges in cases:
        for l in (1, 2, 3):  # noqa: E741
            reached = by_definition(n, edges, l, definition)
            assert measured(n, edges, l, definition) == (reached, True), (n, edges, l)
            found[reached] += 1
    assert len(found) > 2, "the cases differ"


@pytest.mark.parametrize(
    ("limit", "least", "l", "definition", "n", "edges"),
    [
        ("MOST_SETS", 20, 3, "indices", 6, complete(6)),
        ("MOST_SETS", 20, 3, "neighbors", 5, complete(5)),
        # All pairs, and for every node the pairs of its neighbors: 36 + 6 * 4.
        ("MOST_PAIRS", 60, 2, "indices", 6, [(v, (v + 1) % 6) for v in range(6)]),
        ("MOST_PAIRS", 60, 2, "neighbors", 6, [(v, (v + 1) % 6) for v in range(6)]),
        # A star: 36 + 25 + 5.
        ("MOST_PAIRS", 66, 2, "indices", 6, [(0, v) for v in range(1, 6)]),
    ],
)
def test_the_limit_itself_is_within_it(
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    least: int,
    l: int,  # noqa: E741
    definition: str,
    n: int,
    edges: Edges,
) -> None:
    monkeypatch.setattr(subsets, limit, least)
    assert measured(n, edges, l, definition)[1]
    monkeypatch.setattr(subsets, limit, least - 1)
    assert not measured(n, edges, l, definition)[1]


def test_beyond_the_limit_it_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "MOST_SETS", -1)
    for n, edges in ((10, WIDER), (9, BLOCKS), (7, drawn(2)), (7, drawn(5))):
        near = neighbors(n, edges)
        same = min(sum(own == other for other in near) for own in near)
        with_all = min(sum(own <= other for other in near) for own in near)
        assert measured(n, edges, 3, "indices") == (same, False)
        if min(map(len, near)) >= 3:
            assert measured(n, edges, 3, "neighbors") == (with_all, False)
        monkeypatch.setattr(subsets, "MOST_PAIRS", 0)
        assert measured(n, edges, 2, "neighbors") == (same, False)
        assert measured(n, edges, 2, "indices") == (same, False)
        assert measured(n, edges, 1, "indices")[1]
        assert measured(n, edges, 1, "neighbors")[1]
        monkeypatch.undo()
        monkeypatch.setattr(subsets, "MOST_SETS", -1)
    assert measured(10, WIDER, 3, "neighbors") == (3, False)
    assert measured(10, WIDER, 3, "indices") == (1, False)
    # In whichever order the ends of an edge are written.
    square = [(0, 2), (3, 0), (1, 2), (1, 3)]
    assert measured(4, square, 3, "indices") == (2, False)
    monkeypatch.setattr(subsets, "MOST_PAIRS", 0)
    assert measured(4, square, 2, "neighbors") == (2, False)


@pytest.mark.parametrize(
    ("cells", "parts"), [(30, [[0, 1], [2, 3, 4], [5]]), (66, [[0, 1, 2, 3, 4], [5]]), (67, [[0, 1, 2, 3, 4, 5]])]
)
def test_shared_neighbors_come_in_parts_that_fit_into_memory(
    monkeypatch: pytest.MonkeyPatch, cells: int, parts: list[list[int]]
) -> None:
    """A star: every node takes a row of six numbers and five ways over a neighbor."""
    around = subsets.links(6, np.zeros(5, np.int64), np.arange(1, 6), directed=False)[0]
    monkeypatch.setattr(subsets, "_CELLS", cells)
    rows = list(subsets._shared_rows(around))
    assert [part.tolist() for part, _ in rows] == parts
    leaf = [[0] * 6] + [[0, *(int(v != u) for v in range(1, 6))] for u in range(1, 6)]
    assert np.concatenate([shared for _, shared in rows]).tolist() == leaf


def test_what_nobody_has_is_not_counted() -> None:
    assert subsets._least_positive(np.array([0, 3, 2]), 9) == 2
    assert subsets._least_positive(np.array([0, 1, 2]), 9) == 1
    assert subsets._least_positive(np.array([0, 0]), 9) == 9
    assert subsets._least_positive(np.array([], np.int64), 9) == 9


def test_patterns_of_pairs_of_a_path() -> None:
    around = subsets.links(4, np.array([0, 1, 2]), np.array([1, 2, 3]), directed=False)[0]
    [(rows, shared)] = subsets._shared_rows(around)
    both, one, other, none = subsets._patterns(np.array([1, 2, 2, 1]), rows, shared).tolist()
    assert both == [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert one == [[0, 1, 0, 1], [2, 0, 2, 1], [1, 2, 0, 2], [1, 0, 1, 0]]
    assert other == [[0, 2, 1, 1], [1, 0, 2, 0], [0, 2, 0, 1], [1, 1, 2, 0]]
    assert none == [[0, 1, 2, 2], [1, 0, 0, 2], [2, 0, 0, 1], [2, 2, 1, 0]]


def test_the_first_thing_that_is_wrong_is_told() -> None:
    assert judge(8, cube(3), 1, 9).detail == "k is not a whole number above 1"
    assert judge(8, cube(3), "2", 9).detail == "k is not a whole number above 1"  # type: ignore[arg-type]
    assert judge(8, cube(3), 9, 0).detail == "l is not a whole number above 0"


def test_a_count_that_is_no_longer_wanted_is_given_up() -> None:
    def watch() -> None:
        raise InterruptedError

    around = subsets.links(4, np.array([0, 1, 2]), np.array([1, 2, 3]), directed=False)[0]
    steps: list[Callable[[], object]] = [
        lambda: list(subsets._shared_rows(around)),
        lambda: subsets._smallest_part([1, 2, 4, 8], (0, 1), 4),
        lambda: subsets._fewest_around(around, 1),
    ]
    for step in steps:
        with watched_by(watch), pytest.raises(InterruptedError):
            step()
