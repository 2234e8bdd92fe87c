"""Whole verdicts about graphs, word for word: what is required, reached, assumed and shown, for every way to fail."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.networks import Network
from verifier.structures import structure, subsets
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import watched_by

CIRCLE = [(v, (v + 1) % 6) for v in range(6)]
TURNS = [[(v + step) % 6 for v in range(6)] for step in (1, 2)]
STAR = [(0, v) for v in range(1, 6)]
BLOCKS = [(u, v) for u in range(6) for v in range(u + 1, 6) if u // 2 != v // 2]
"""Three pairs of nodes; each node is joined to those of the other pairs."""

ASSUMES = {
    "k_candidate_anonymity": (
        "the attacker knows the degree of a node, and of the nodes around it, as far as the query goes"
    ),
    "neighborhood_twins": "the attacker knows all neighbors of a node, and anything about the structure of the graph",
    "k_automorphism": ("the attacker knows anything about the structure of the graph around a node, and no neighbor"),
    "k_neighborhood_anonymity": (
        "the attacker knows how the nodes around a node are joined, within the radius, and no attribute of them"
    ),
    "k_degree_anonymity": "the attacker knows the degree of a node and nothing else about the graph",
}
KL_ASSUMES = {
    "indices": "the attacker knows of at most l nodes which are neighbors of a node and which are not",
    "neighbors": "the attacker knows at most l neighbors of a node",
}


def shown(n: int, *graphs: list[tuple[int, int]], directed: bool = False, sealed: Any = None) -> Evidence:
    """Artifacts that show these graphs, and the additional evidence."""
    ends = [np.array(edges, np.int64).reshape(-1, 2).T for edges in graphs]
    networks = [Network("edgelist", None, *each) for each in ends]
    return Evidence({}, networks=networks, n=n, graph_flaw="", directed=directed, sealed_map=sealed)


def judged(model: str, evidence: Evidence, **settings: Any) -> Finding:
    return find({"model": model, **settings}, evidence)


def expected(model: str, required: dict[str, Any], achieved: dict[str, Any], detail: str = "") -> Finding:
    where = "bytes+sealed_map" if model == "k_automorphism" else "bytes"
    assumes = KL_ASSUMES[required["definition"]] if model == "kl_anonymity" else ASSUMES[model]
    return Finding(model, required, achieved, not detail, where, assumes, detail)


K_FLAW = "k is not a whole number above 1"
FUNCTIONS = {"automorphisms": TURNS}
CASES: list[tuple[str, Evidence, dict[str, Any], dict[str, Any], str]] = [
    ("k_candidate_anonymity", shown(6, CIRCLE), {"k": 6, "query": "H3"}, {"k": 6, "query": "H3"}, ""),
    (
        "k_candidate_anonymity",
        shown(6, CIRCLE),
        {"k": 7, "query": "H1"},
        {"k": 6, "query": "H1"},
        "the query has fewer than k candidates for a node",
    ),
    ("k_candidate_anonymity", shown(6, CIRCLE), {"k": 1, "query": "H1"}, {}, K_FLAW),
    ("k_candidate_anonymity", shown(6, CIRCLE), {"k": 2, "query": "H5"}, {}, "the query is not one of H1 to H4"),
    ("neighborhood_twins", shown(6, BLOCKS), {"k": 2}, {"k": 2}, ""),
    ("neighborhood_twins", shown(6, BLOCKS), {"k": 3}, {"k": 2}, "fewer than k nodes share a neighborhood"),
    ("neighborhood_twins", shown(6, BLOCKS), {"k": 1}, {}, K_FLAW),
    (
        "neighborhood_twins",
        shown(3, [(0, 1), (2, 1)], directed=True),
        {"k": 2},
        {"k": 1},
        "fewer than k nodes share a neighborhood",
    ),
    ("neighborhood_twins", shown(4, [(0, 2), (1, 2), (0, 3), (1, 3)], directed=True), {"k": 2}, {"k": 2}, ""),
    ("k_automorphism", shown(6, CIRCLE, sealed=FUNCTIONS), {"k": 3}, {"k": 3}, ""),
    ("k_automorphism", shown(6, CIRCLE, sealed=FUNCTIONS), {"k": 4}, {"k": 3}, "there are fewer than k - 1 functions"),
    ("k_automorphism", shown(6, CIRCLE, sealed=FUNCTIONS), {"k": 1}, {}, K_FLAW),
    ("k_automorphism", shown(6, CIRCLE), {"k": 2}, {}, "there is no sealed map with functions over the nodes"),
    (
        "k_automorphism",
        shown(6, CIRCLE, sealed={"automorphisms": [[1, 1, 3, 2, 5, 4]]}),
        {"k": 2},
        {},
        "a function is not a permutation of the nodes",
    ),
    (
        "k_automorphism",
        shown(6, CIRCLE, sealed={"automorphisms": [TURNS[0], TURNS[0]]}),
        {"k": 2},
        {},
        "a node is sent to itself, or twice to one node",
    ),
    (
        "k_automorphism",
        shown(6, CIRCLE, sealed={"automorphisms": [[0, 5, 4, 3, 2, 1]]}),
        {"k": 2},
        {},
        "a node is sent to itself, or twice to one node",
    ),
    (
        "k_automorphism",
        shown(6, CIRCLE, CIRCLE[:5], sealed=FUNCTIONS),
        {"k": 2},
        {},
        "a function does not keep the edges",
    ),
    (
        "k_neighborhood_anonymity",
        shown(6, CIRCLE),
        {"k": 6, "radius": 1, "labels": "ignored"},
        {"k": 6, "radius": 1},
        "",
    ),
    (
        "k_neighborhood_anonymity",
        shown(6, STAR),
        {"k": 2, "radius": 2, "labels": "ignored"},
        {"k": 1, "radius": 2},
        "fewer than k nodes share a neighborhood",
    ),
    ("k_neighborhood_anonymity", shown(6, CIRCLE), {"k": 1, "radius": 1, "labels": "ignored"}, {}, K_FLAW),
    (
        "k_neighborhood_anonymity",
        shown(6, CIRCLE),
        {"k": 2, "radius": 0, "labels": "ignored"},
        {},
        "the radius is not a whole number above 0",
    ),
    (
        "k_neighborhood_anonymity",
        shown(6, CIRCLE, directed=True),
        {"k": 2, "radius": 1, "labels": "ignored"},
        {},
        "it is defined for undirected graphs",
    ),
    (
        "kl_anonymity",
        shown(6, BLOCKS),
        {"k": 2, "l": 1, "definition": "indices"},
        {"k": 2, "l": 1, "definition": "indices"},
        "",
    ),
    (
        "kl_anonymity",
        shown(6, BLOCKS),
        {"k": 5, "l": 1, "definition": "neighbors"},
        {"k": 4, "l": 1, "definition": "neighbors"},
        "knowledge of l nodes leaves fewer than k candidates",
    ),
    (
        "kl_anonymity",
        shown(6, BLOCKS),
        {"k": 3, "l": 1, "definition": "indices"},
        {"k": 2, "l": 1, "definition": "indices"},
        "knowledge of l nodes leaves fewer than k candidates",
    ),
    ("kl_anonymity", shown(6, BLOCKS), {"k": 1, "l": 1, "definition": "neighbors"}, {}, K_FLAW),
    (
        "kl_anonymity",
        shown(6, BLOCKS),
        {"k": 2, "l": 0, "definition": "indices"},
        {},
        "l is not a whole number above 0",
    ),
    (
        "kl_anonymity",
        shown(6, BLOCKS),
        {"k": 4, "l": 3, "definition": "neighbors"},
        {},
        "k + l is above the number of nodes",
    ),
    (
        "kl_anonymity",
        shown(6, BLOCKS, directed=True),
        {"k": 2, "l": 1, "definition": "neighbors"},
        {},
        "it is defined for undirected graphs",
    ),
    ("k_degree_anonymity", shown(6, STAR), {"k": 2}, {"k": 1}, "a group of nodes with one degree is smaller than k"),
]


@pytest.mark.parametrize(("model", "evidence", "required", "achieved", "detail"), CASES)
def test_the_whole_verdict_is_this(
    model: str, evidence: Evidence, required: dict[str, Any], achieved: dict[str, Any], detail: str
) -> None:
    assert judged(model, evidence, **required) == expected(model, required, achieved, detail)


@pytest.mark.parametrize(("model", "evidence", "required", "achieved", "detail"), CASES)
def test_a_graph_that_could_not_be_read_is_the_first_reason(
    model: str, evidence: Evidence, required: dict[str, Any], achieved: dict[str, Any], detail: str
) -> None:
    broken = replace(evidence, graph_flaw="it is broken")
    assert judged(model, broken, **required) == expected(model, required, {}, "it is broken")


def test_what_was_not_given_is_told_apart_from_what_is_wrong() -> None:
    absent = [None, {}, {"automorphisms": ()}, {"automorphisms": [[0.5] * 6]}, {"automorphisms": [[1, 2], [0]]}]
    for sealed in absent:
        assert isinstance(judged("k_automorphism", shown(6, CIRCLE, sealed=sealed), k=2).detail, Missing)
    assert not isinstance(judged("k_automorphism", shown(6, CIRCLE, sealed=FUNCTIONS), k=4).detail, Missing)
    assert judged("k_automorphism", shown(6, CIRCLE, sealed={"automorphisms": np.array(TURNS, np.uint8)}), k=3).holds


def test_a_definition_and_a_radius_that_are_not_named_are_the_usual_ones() -> None:
    found = judged("kl_anonymity", shown(6, BLOCKS), k=2, l=1)
    assert found == expected(
        "kl_anonymity", {"k": 2, "l": 1, "definition": "neighbors"}, {"k": 4, "l": 1, "definition": "neighbors"}
    )
    found = judged("k_neighborhood_anonymity", shown(6, CIRCLE), k=2)
    assert found == expected(
        "k_neighborhood_anonymity", {"k": 2, "radius": 1, "labels": "ignored"}, {"k": 6, "radius": 1}
    )
    unknown = judged("kl_anonymity", shown(6, BLOCKS), k=2, l=1, definition="any")
    assert unknown.detail == "no verifier of this definition"
    assert unknown.assumes == KL_ASSUMES["neighbors"]


def test_k_and_l_may_add_up_to_all_nodes() -> None:
    complete = [(u, v) for u in range(5) for v in range(u)]
    assert judged("kl_anonymity", shown(5, complete), k=3, l=2).holds
    assert judged("kl_anonymity", shown(5, complete), k=4, l=2).detail == "k + l is above the number of nodes"


def test_the_worst_of_all_artifacts_counts_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    for graphs in ((BLOCKS, BLOCKS[1:]), (BLOCKS[1:], BLOCKS), (BLOCKS, BLOCKS, BLOCKS[1:])):
        assert judged("neighborhood_twins", shown(6, *graphs), k=2).achieved == {"k": 1}
        assert judged("kl_anonymity", shown(6, *graphs), k=2, l=1).achieved["k"] == 3
        assert judged("k_neighborhood_anonymity", shown(6, *graphs), k=2).achieved["k"] == 2
        assert judged("k_candidate_anonymity", shown(6, *graphs), k=2, query="H1").achieved["k"] == 2
    seen = []
    monkeypatch.setitem(subsets._MEASURES, "neighbors", lambda n, *ends: seen.append(ends) or (2, True))
    judged("kl_anonymity", shown(6, BLOCKS, [edge[::-1] for edge in BLOCKS], BLOCKS[1:]), k=2, l=1)
    assert len(seen) == 2, "a graph that another artifact shows as well is judged once"


def test_a_query_goes_as_far_as_its_number() -> None:
    """The middle of a path is alone as soon as the query reaches the ends from it, and not before."""
    for depth in range(1, 6):
        path = [(v, v + 1) for v in range(2 * depth)]
        reached = [judged("k_candidate_anonymity", shown(len(path) + 1, path), k=2, query=f"H{d}") for d in range(1, 5)]
        assert [found.achieved["k"] for found in reached] == [2] * (depth - 1) + [1] * (5 - depth)


def test_rows_are_numbered_by_what_they_hold() -> None:
    bounds, values = np.array([0, 2, 2, 4, 5, 7, 7]), np.array([3, 1, 3, 2, 1, 3, 1])
    numbers, count = structure._row_numbers(bounds, values)
    rows = [tuple(values[a:b].tolist()) for a, b in pairwise(bounds)]
    assert count == len(set(rows)) == 4
    assert sorted(set(numbers.tolist())) == [0, 1, 2, 3]
    assert len(set(zip(rows, numbers.tolist(), strict=True))) == 4


def test_links_are_those_of_both_ends_in_order() -> None:
    ends = np.array([2, 0, 0]), np.array([0, 3, 1])
    (both,) = structure.links(4, *ends, directed=False)
    assert (both.bounds.tolist(), both.others.tolist()) == ([0, 3, 4, 5, 6], [1, 2, 3, 0, 0, 0])
    assert both.nodes.tolist() == [0, 0, 0, 1, 2, 3]
    leave, arrive = structure.links(4, *ends, directed=True)
    assert (leave.bounds.tolist(), leave.others.tolist()) == ([0, 2, 2, 3, 3], [1, 3, 0])
    assert (arrive.bounds.tolist(), arrive.others.tolist()) == ([0, 1, 2, 2, 3], [2, 0, 0])


def test_a_judgment_that_is_no_longer_wanted_is_given_up() -> None:
    def watch() -> None:
        raise InterruptedError

    steps: list[Callable[[], object]] = [
        lambda: structure._row_numbers(np.array([0, 1]), np.array([0])),
        lambda: list(structure._not_kept(np.array(TURNS), shown(6, CIRCLE))),
    ]
    for step in steps:
        with watched_by(watch), pytest.raises(InterruptedError):
            step()


def test_two_functions_never_agree_on_a_node() -> None:
    """These agree on nodes 0 and 2 alone, which both send to a larger one; without edges any function keeps them."""
    sealed = {"automorphisms": [[1, 0, 3, 2], [1, 2, 3, 0]]}
    found = judged("k_automorphism", shown(4, [], sealed=sealed), k=2)
    assert found.detail == "a node is sent to itself, or twice to one node"
    # A wrong function is reported before a missing one.
    broken = judged("k_automorphism", shown(6, CIRCLE[:5], sealed=FUNCTIONS), k=4)
    assert broken.detail == "a function does not keep the edges"


@pytest.mark.parametrize("wrong", [1, 2.5, "2", True, None])
def test_a_number_of_nodes_is_a_whole_number(wrong: Any) -> None:
    assert judged("neighborhood_twins", shown(6, BLOCKS), k=wrong).detail == K_FLAW
    if wrong != 1:
        far = judged("k_neighborhood_anonymity", shown(6, BLOCKS), k=2, radius=wrong)
        assert far.detail == "the radius is not a whole number above 0"
        few = judged("kl_anonymity", shown(6, BLOCKS), k=2, l=wrong)
        assert few.detail == "l is not a whole number above 0"
