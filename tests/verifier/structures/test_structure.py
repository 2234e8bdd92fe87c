"""Findings about structure: worked examples, every kind of wrong sealed function, and sizes that are handled easily."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from verifier import verify
from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.networks import Network
from verifier.structures.structure import smallest_candidates, twin_sizes
from verifier.verdict.verdict import Finding

Edges = Sequence[tuple[int, int]]
ALICE, BOB, CAROL, DAVE, ED, FRED, GREG, HARRY = range(8)
PUBLISHED = [(ALICE, BOB), (CAROL, BOB), (BOB, DAVE), (BOB, ED), (DAVE, ED), (DAVE, FRED), (DAVE, GREG), (ED, GREG)]
PUBLISHED += [(ED, HARRY), (FRED, GREG), (HARRY, GREG)]
CIRCLE = [(v, (v + 1) % 6) for v in range(6)]
TURNS = [[(v + step) % 6 for v in range(6)] for step in (1, 2)]


def judge(n: int, edges: Edges, guarantee: dict[str, Any], sealed: Any = None, directed: bool = False) -> Finding:
    ends = np.array(edges, np.int64).reshape(-1, 2)
    network = Network("edgelist", None, ends[:, 0], ends[:, 1])
    sealed_map = None if sealed is None else {"automorphisms": sealed}
    evidence = Evidence({}, networks=[network], n=n, graph_flaw="", directed=directed, sealed_map=sealed_map)
    return find(guarantee, evidence)


def test_the_published_example_of_refinement() -> None:
    found = judge(8, PUBLISHED, {"model": "k_candidate_anonymity", "k": 2, "query": "H1"})
    assert (found.holds, found.achieved, found.evidence) == (True, {"k": 2, "query": "H1"}, "bytes")
    found = judge(8, PUBLISHED, {"model": "k_candidate_anonymity", "k": 2, "query": "H2"})
    assert (found.holds, found.achieved["k"]) == (False, 1)
    assert found.detail == "the query has fewer than k candidates for a node"


@pytest.mark.parametrize(
    "asked", [{"k": 2}, {"k": 2, "query": "H0"}, {"k": 1, "query": "H1"}, {"k": True, "query": "H1"}]
)
def test_queries_without_sense_hold_nothing(asked: dict[str, Any]) -> None:
    found = judge(6, CIRCLE, {"model": "k_candidate_anonymity", **asked})
    assert not found.holds
    assert found.detail


def test_the_published_blocks_of_twins() -> None:
    pairs = [(1, 2), (1, 4), (1, 5), (2, 4), (3, 5), (4, 5)]
    edges = [(3 * (a - 1) + i, 3 * (b - 1) + j) for a, b in pairs for i in range(3) for j in range(3)]
    assert len(edges) == 54
    assert judge(15, edges, {"model": "neighborhood_twins", "k": 3}).achieved == {"k": 3}
    assert not judge(15, edges, {"model": "neighborhood_twins", "k": 4}).holds
    assert not judge(15, edges[1:], {"model": "neighborhood_twins", "k": 2}).holds


def test_the_turns_of_a_circle_are_automorphisms() -> None:
    found = judge(6, CIRCLE, {"model": "k_automorphism", "k": 3}, TURNS)
    assert (found.holds, found.achieved, found.evidence) == (True, {"k": 3}, "bytes+sealed_map")
    assert judge(6, CIRCLE, {"model": "k_automorphism", "k": 2}, TURNS).holds
    found = judge(6, CIRCLE, {"model": "k_automorphism", "k": 4}, TURNS)
    assert (found.holds, found.detail) == (False, "there are fewer than k - 1 functions")


@pytest.mark.parametrize(
    "sealed",
    [
        None,
        [],
        [0, 1, 2],
        [[1, 2, 0]],
        [TURNS[0], [1, 2]],
        [[0.5] * 6],
        [["a"] * 6],
        [[1, 1, 3, 2, 5, 4]],
        [[6, 2, 3, 4, 5, 0]],
        [[-1, 2, 3, 4, 5, 0]],
        [[0, 5, 4, 3, 2, 1]],
        [TURNS[0], TURNS[0]],
        [[3, 4, 5, 0, 2, 1]],
    ],
    ids=[
        "none",
        "empty",
        "flat",
        "short",
        "ragged",
        "halves",
        "texts",
        "not onto",
        "above",
        "below",
        "stays",
        "agree",
        "edges",
    ],
)
def test_functions_that_prove_nothing(sealed: Any) -> None:
    found = judge(6, CIRCLE, {"model": "k_automorphism", "k": 2}, sealed)
    assert not found.holds
    assert found.detail
    assert found.achieved == {}


def test_direction_must_be_kept() -> None:
    mirror = [[5, 4, 3, 2, 1, 0]]
    assert judge(6, CIRCLE, {"model": "k_automorphism", "k": 2}, mirror).holds
    assert not judge(6, CIRCLE, {"model": "k_automorphism", "k": 2}, mirror, directed=True).holds


def test_every_different_graph_is_judged() -> None:
    networks = [Network("edgelist", None, *np.array(edges, np.int64).T) for edges in (CIRCLE, CIRCLE[:5])]
    evidence = Evidence({}, networks=networks, n=6, graph_flaw="")
    assert find({"model": "k_candidate_anonymity", "k": 3, "query": "H1"}, evidence).achieved["k"] == 2
    assert find({"model": "neighborhood_twins", "k": 2}, evidence).achieved["k"] == 1


def test_it_is_found_in_the_bytes_of_a_release(draw: Any) -> None:
    files = draw(6, CIRCLE)
    guarantees = [
        {"model": "k_candidate_anonymity", "k": 6, "query": "H4"},
        {"model": "k_automorphism", "k": 3},
        {"model": "k_neighborhood_anonymity", "k": 6},
        {"model": "kl_anonymity", "k": 2, "l": 1},
    ]
    policy = {"kind": "graph", "attributes": {}, "guarantees": guarantees}
    verdict = verify(policy, list(files.values()), {"automorphisms": np.array(TURNS)})
    assert verdict.holds
    assert not verify(policy, list(files.values())).holds


def test_a_hundred_thousand_edges_are_no_trouble() -> None:
    rng = np.random.default_rng(1)
    n = 30_000
    keys = np.unique(rng.integers(0, n * n, 110_000))
    sources, targets = keys // n, keys % n
    proper = sources < targets
    sources, targets = sources[proper], targets[proper]
    both = np.concatenate([sources, sources + n]), np.concatenate([targets, targets + n])
    assert smallest_candidates(2 * n, *both, False, 4) == 2
    blown = np.concatenate([sources, sources + n, sources, sources + n])
    assert (
        int(twin_sizes(2 * n, blown, np.concatenate([*both[1:], both[1][len(targets) :], targets]), False).min()) == 2
    )
    turn = (np.arange(2 * n) + n) % (2 * n)
    edges = np.stack(both, axis=1)
    assert judge(2 * n, edges, {"model": "k_automorphism", "k": 2}, [turn]).holds  # type: ignore[arg-type]
