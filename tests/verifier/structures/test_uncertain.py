"""(k, ε)-obfuscation in the verifier: worked examples, refusals, and the engine's figures recomputed."""

import math
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.forms.uncertain import Uncertain as UncertainGraph
from antifaz.graphs.forms.uncertain import entropies
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_eps_obfuscation import KEpsObfuscation
from antifaz.graphs.methods.uncertain import Uncertain
from antifaz.watch import unwatched
from verifier import Artifact, verify
from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.cells import Cells, Coder
from verifier.readers.networks import Network
from verifier.structures import uncertain
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import watched_by

SQUARE = "source,target,probability\n0,1,0.5\n1,2,0.5\n2,3,0.5\n0,3,0.5\n"
DEGREES = [2, 2, 2, 2]


def judged(
    edges: str = SQUARE,
    k: Any = 4,
    epsilon: Any = 0,
    degrees: Any = DEGREES,
    n: int = 4,
    sealed: bool = True,
    directed: bool = False,
) -> Finding:
    policy = {
        "kind": "graph",
        "method": {"name": "uncertain"},
        "attributes": {},
        "guarantees": [{"model": "k_eps_obfuscation", "k": k, "epsilon": epsilon}],
    }
    nodes = "node\n" + "".join(f"{node}\n" for node in range(n))
    artifacts = [Artifact("csv", "nodes", nodes.encode()), Artifact("edgelist", "graph", edges.encode())]
    return verify(policy, artifacts, {"degrees": degrees} if sealed else None, directed).findings[0]


def test_a_square_of_even_chances_hides_each_among_four():
    finding = judged()
    assert finding.holds
    assert finding.achieved == {"k": 4, "epsilon": 0}
    assert finding.evidence == "bytes+sealed_map"
    assert finding.assumes


def test_a_changed_probability_that_breaks_it_is_refused():
    # Two nodes have degree 2 with the chance 1/2, two with 1/4: the entropy is 1.918 bits, worth 3.78 nodes.
    finding = judged(SQUARE.replace("0,1,0.5", "0,1,1"))
    assert not finding.holds
    assert finding.achieved == {"k": 3, "epsilon": 0}
    assert finding.detail == "too many nodes can be distinguished by their degrees"
    assert judged(SQUARE.replace("0,1,0.5", "0,1,1"), k=3).holds


def test_another_degree_that_breaks_it_is_refused():
    # No node can have had three edges among these.
    assert not judged(degrees=[2, 2, 2, 3]).holds
    assert judged(degrees=[2, 2, 2, 3], epsilon=0.25).holds
    assert not judged(degrees=[2, 2, 2, 3], epsilon=0.24).holds


@pytest.mark.parametrize("wrong", ["0", "-0.5", "1.0001", "x", "", "nan", "inf"])
def test_what_is_no_probability_is_refused(wrong):
    finding = judged(SQUARE.replace("0,1,0.5", f"0,1,{wrong}"), k=2, epsilon=0.5)
    assert not finding.holds
    assert finding.achieved == {}


def test_without_the_degrees_nothing_can_be_told():
    assert judged(sealed=False).detail == "there is no sealed map of the original degrees"
    assert judged(degrees=[]).detail == "there is no sealed map of the original degrees"
    assert judged(degrees=[2.0] * 4).detail == "there is no sealed map of the original degrees"
    assert judged(degrees=[2] * 3).detail == "the sealed map and the release have different nodes"
    assert judged(degrees=[2, 2, 2, -1]).detail == "the sealed map and the release have different nodes"


def test_directed_graphs_are_refused():
    assert judged(directed=True).detail == "obfuscation is defined for undirected graphs only"


@pytest.mark.parametrize(("k", "epsilon"), [(1, 0), (True, 0), ("4", 0), (4, 1), (4, -0.1), (4, None), (4, "0")])
def test_parameters_that_are_none_are_refused(k, epsilon):
    assert not judged(k=k, epsilon=epsilon).holds


def test_a_missing_column_is_refused():
    assert not judged("source,target\n0,1\n1,2\n").holds


def test_a_graph_without_any_pair_hides_each_among_all():
    assert judged("source,target,probability\n", degrees=[0] * 4).achieved == {"k": 4, "epsilon": 0}
    assert judged("source,target,probability\n", degrees=[1] * 4).achieved == {"k": 0, "epsilon": 0}


def test_small_blocks_give_the_same_chances(monkeypatch):
    rng = np.random.default_rng(1)
    ends = np.array(list(nx.barabasi_albert_graph(60, 3, seed=2).edges), dtype=np.int64)
    network = Network("edgelist", None, ends[:, 0], ends[:, 1])
    likely = rng.random(len(ends))
    known = np.arange(12)
    whole = uncertain._entropies(network, likely, 60, known)
    monkeypatch.setattr(uncertain, "_CELLS", 50)
    assert uncertain._entropies(network, likely, 60, known) == pytest.approx(whole)
    engine = UncertainGraph(Graph.from_pairs(60, ends[:, 0], ends[:, 1]), np.zeros(0))
    order = np.argsort(ends.min(axis=1) * 60 + ends.max(axis=1))
    again = entropies(UncertainGraph(engine.pairs, likely[order]), known)
    assert again == pytest.approx(whole, abs=1e-9)


def test_what_the_method_returns_holds_and_its_figure_is_found_anew():
    network = nx.karate_club_graph()
    ends = np.array(list(network.edges), dtype=np.int64)
    graph = Graph.from_pairs(34, ends[:, 0], ends[:, 1])
    goal = KEpsObfuscation(k=5, epsilon=0.1)
    released = Uncertain().apply(graph, [goal], np.random.default_rng(3), unwatched)
    likely = released.edge_columns[0].values
    rows = zip(released.graph.sources, released.graph.targets, likely, strict=True)
    edges = "source,target,probability\n" + "".join(f"{u},{v},{p}\n" for u, v, p in rows)
    finding = judged(edges, 5, 0.1, graph.degrees, 34)
    assert finding.holds
    bits = np.sort(entropies(UncertainGraph(released.graph, likely), graph.degrees))[3]
    assert finding.achieved["k"] == math.floor(2.0**bits)
    assert not judged(edges, finding.achieved["k"] + 1, 0.1, graph.degrees, 34).holds


ASSUMES = "the attacker knows the original degree of a node and nothing else about the graph"


@pytest.mark.parametrize(
    ("settings", "achieved", "detail"),
    [
        ({}, {"k": 4, "epsilon": 0}, ""),
        ({"k": 5}, {"k": 4, "epsilon": 0}, "too many nodes can be distinguished by their degrees"),
        ({"k": 1}, {}, "k is not a whole number above 1"),
        ({"k": 2}, {"k": 4, "epsilon": 0}, ""),
        ({"k": 2.0}, {}, "k is not a whole number above 1"),
        ({"epsilon": 1}, {}, "epsilon is not a share below 1"),
        ({"epsilon": -0.5}, {}, "epsilon is not a share below 1"),
        ({"epsilon": 0.999}, {"k": 4, "epsilon": 0.999}, ""),
        ({"degrees": [2, 2, 2, 3], "epsilon": 0.25}, {"k": 4, "epsilon": 0.25}, ""),
        (
            {"degrees": [2, 2, 3, 2], "epsilon": 0.2},
            {"k": 0, "epsilon": 0.2},
            "too many nodes can be distinguished by their degrees",
        ),
        ({"sealed": False}, {}, "there is no sealed map of the original degrees"),
        ({"sealed": False, "k": 1}, {}, "k is not a whole number above 1"),
        ({"degrees": np.empty(0, np.int64)}, {}, "there is no sealed map of the original degrees"),
        ({"edges": "source,target\n0,1\n"}, {}, "a probability is missing or not above 0 and at most 1"),
        ({"degrees": None}, {}, "there is no sealed map of the original degrees"),
        ({"degrees": [[2, 2, 2, 2]]}, {}, "there is no sealed map of the original degrees"),
        ({"degrees": [2] * 5}, {}, "the sealed map and the release have different nodes"),
        ({"degrees": [0] * 4}, {"k": 4, "epsilon": 0}, ""),
        ({"directed": True}, {}, "obfuscation is defined for undirected graphs only"),
        (
            {"edges": SQUARE.replace("0,1,0.5", "0,1,0")},
            {},
            "a probability is missing or not above 0 and at most 1",
        ),
    ],
)
def test_the_whole_verdict_is_this(settings: dict[str, Any], achieved: dict[str, Any], detail: str) -> None:
    required = {"k": settings.get("k", 4), "epsilon": settings.get("epsilon", 0)}
    found = judged(**settings)
    assert found == Finding("k_eps_obfuscation", required, achieved, not detail, "bytes+sealed_map", ASSUMES, detail)
    assert isinstance(found.detail, Missing) == (detail == "there is no sealed map of the original degrees")


def certain(*edges: tuple[int, int, float]) -> Network:
    coder = Coder()
    coder.add([("f", repr(chance)) for _, _, chance in edges])
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    cells = Cells("csv", "graph", ("probability",), (coder.column(),), len(edges))
    return Network("edgelist", None, ends[:, 0], ends[:, 1], None, cells)


def test_every_artifact_is_judged_and_the_worst_counts() -> None:
    square = certain((0, 1, 0.5), (1, 2, 0.5), (2, 3, 0.5), (0, 3, 0.5))
    worse = certain((0, 1, 1.0), (1, 2, 0.5), (2, 3, 0.5), (0, 3, 0.5))
    broken = certain((0, 1, 1.5), (1, 2, 0.5), (2, 3, 0.5), (0, 3, 0.5))
    asked = {"model": "k_eps_obfuscation", "k": 4, "epsilon": 0}
    evidence = Evidence({}, n=4, graph_flaw="", sealed_map={"degrees": DEGREES})
    for networks, k, detail in (
        ([square, worse], 3, "too many nodes can be distinguished by their degrees"),
        ([worse, square], 3, "too many nodes can be distinguished by their degrees"),
        ([square, broken], 4, "a probability is missing or not above 0 and at most 1"),
        ([broken, worse], 3, "a probability is missing or not above 0 and at most 1"),
    ):
        found = find(asked, replace(evidence, networks=networks))
        assert (found.holds, found.achieved, found.detail) == (False, {"k": k, "epsilon": 0}, detail)
    unread = replace(evidence, networks=[square], graph_flaw="it is broken")
    assert (find(asked, unread).detail, find(asked, unread).achieved) == ("it is broken", {})


@pytest.mark.parametrize(
    ("cells", "highest", "count"),
    # Of 1, 2, 3 and 4 nodes: 5, 12, 21 and 32 numbers; up to degree 1 only, 3, 8, 15 and 24.
    [(21, 5, 3), (20, 5, 2), (32, 5, 4), (4, 5, 1), (11, 5, 1), (12, 5, 2), (15, 1, 3), (14, 1, 2), (24, 1, 4)],
)
def test_so_many_nodes_fit_into_memory(monkeypatch: pytest.MonkeyPatch, cells: int, highest: int, count: int) -> None:
    monkeypatch.setattr(uncertain, "_CELLS", cells)
    assert uncertain._block(np.array([0, 1, 2, 3]), highest) == count


def test_chances_of_degrees_by_hand() -> None:
    edges = np.array([[0.5, 0.5, 0.0], [1.0, 0.25, 0.5]])
    assert uncertain._convolve(edges, 9).tolist() == [[0.25, 0.5, 0.25, 0], [0, 0.375, 0.5, 0.125]]
    assert uncertain._convolve(edges, 3).tolist() == [[0.25, 0.5, 0.25, 0], [0, 0.375, 0.5, 0.125]]
    assert uncertain._convolve(edges, 2).tolist() == [[0.25, 0.5, 0.25], [0, 0.375, 0.5]]
    assert uncertain._convolve(edges, 1).tolist() == [[0.25, 0.5], [0, 0.375]]
    assert uncertain._convolve(edges, 0).tolist() == [[0.25], [0]]
    assert uncertain._convolve(np.empty((2, 0)), 3).tolist() == [[1], [1]]


def test_nodes_come_by_their_numbers_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    star = certain((2, 0, 0.5), (2, 1, 0.25), (2, 4, 1.0))
    likely = np.array([0.5, 0.25, 1.0])
    rows = [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.75, 0.25, 0, 0], [0, 1, 0, 0], [0, 0.375, 0.5, 0.125]]
    [block] = uncertain._degree_chances(star, likely, 5, 3)
    assert block.tolist() == rows
    monkeypatch.setattr(uncertain, "_CELLS", 18)
    blocks = list(uncertain._degree_chances(star, likely, 5, 3))
    assert [block.tolist() for block in blocks] == [[row[:2] for row in rows[:3]], rows[3:]]
    monkeypatch.setattr(uncertain, "_CELLS", 1)
    blocks = list(uncertain._degree_chances(star, likely, 5, 1))
    assert [block.tolist() for block in blocks] == [[[1]], [[0.5, 0.5]], [[0.75, 0.25]], [[0, 1]], [[0, 0.375]]]


def test_chances_that_are_no_longer_wanted_are_given_up() -> None:
    def watch() -> None:
        raise InterruptedError

    with watched_by(watch), pytest.raises(InterruptedError):
        uncertain._convolve(np.array([[0.5]]), 1)
    with watched_by(watch), pytest.raises(InterruptedError):
        next(uncertain._degree_chances(certain(), np.empty(0), 2, 1))
