"""Whole verdicts about temporal graphs, word for word: what is missing, what is unreadable, and the worst snapshot."""

from typing import Any

import numpy as np
import pytest

from tests.verifier.temporal.test_temporal import POLICY, RING, STEADY, files, judged, snapshots
from verifier import Artifact, verify
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.temporal import temporal
from verifier.verdict.verdict import Finding, Missing, Verdict
from verifier.verdict.watch import watched_by

DEGREE = "the attacker knows the degree of a node and nothing else about the graph"
IN_ONE_SNAPSHOT = "in one snapshot, and the attacker follows nobody over time: "
ABSENT = "the graph, the list of the nodes or that of the snapshots is missing"
ASKED = POLICY | {"guarantees": [{"model": "k_degree_anonymity", "k": 2}]}
SYMMETRIC = "the attacker knows anything about the structure of the graph around a node, and no neighbor"
TURN, MIRROR = [1, 2, 3, 0], [1, 0, 3, 2]


def refused(detail: str, k: int = 2) -> Finding:
    return Finding("k_degree_anonymity", {"k": k}, {}, False, "bytes", DEGREE, detail)


@pytest.mark.parametrize(
    ("part", "fault"),
    [("graph", "no graph"), ("nodes", "no node list"), ("snapshots", "no table of snapshots")],
)
def test_without_a_part_the_whole_verdict_is_this(part: str, fault: str) -> None:
    verdict = verify(ASKED, [file for file in files(snapshots(STEADY), ("csv",)) if file.part != part])
    assert verdict == Verdict((refused(ABSENT),), (fault,), {})
    assert isinstance(verdict.faults[0], Missing)
    assert isinstance(verdict.findings[0].detail, Missing)
    assert verdict.cannot_tell == (fault, ABSENT)


GRAPH = b"source,target,snapshot\n0,1,0\n"
NOT_ONE = "the artifacts do not show one sequence of simple graphs over 0\u2026n-1"


@pytest.mark.parametrize(
    ("form", "content", "faults", "detail"),
    [
        (
            "csv",
            b"x",
            ["csv graph: not a csv file with rows of one length in UTF-8", "no graph"],
            "an artifact could not be read",
        ),
        (
            "gml",
            b"graph [\n]\n",
            ["gml graph: not a format of temporal graphs", "no graph"],
            "an artifact could not be read",
        ),
        (
            "csv",
            b"source,target\n0,1\n",
            ["csv graph: edges without times", "no graph"],
            "an artifact could not be read",
        ),
        (
            "csv",
            b"source,target,weight\n0,1,0\n",
            ["csv graph: edges without times", "no graph"],
            "an artifact could not be read",
        ),
        (
            "csv",
            b"source,target,weight,snapshot\n0,1,3,0\n",
            ["csv graph: the header does not begin with source,target,snapshot", "no graph"],
            "an artifact could not be read",
        ),
        ("csv", b"source,target,snapshot\n0,9,0\n", ["edgelist graph: an end point is not among the nodes"], NOT_ONE),
        ("csv", b"source,target,snapshot\n0,0,0\n", ["edgelist graph: a self-loop"], NOT_ONE),
        ("csv", GRAPH + b"1,0,0\n", ["edgelist graph: a repeated edge"], NOT_ONE),
    ],
)
def test_a_graph_that_is_none_is_told_so(form: str, content: bytes, faults: list[str], detail: str) -> None:
    found = [*files(snapshots([(0, 1, 0)]), ()), Artifact(form, "graph", content)]
    assert verify(ASKED, found) == Verdict((refused(detail),), tuple(faults), {})


def test_a_graph_without_edges_needs_no_times() -> None:
    for content in (b"source,target\n", b"source,target,snapshot\n"):
        verdict = verify(ASKED, [*files(snapshots([]), ()), Artifact("csv", "graph", content)])
        assert verdict.faults == ()
        assert verdict.describe["edges_by_snapshot"] == [0, 0, 0]


def test_a_foreign_part_is_counted() -> None:
    found = [*files(snapshots(STEADY)), Artifact("csv", "table", b"a\n1\n")]
    assert verify(POLICY, found).faults == ("1 artifact(s) of a part that this kind of release does not have",)


def test_what_edges_say_beside_times_is_a_fault_of_each_that_says_it() -> None:
    content = b"source,target,snapshot,weight\n0,1,0,3\n"
    found = [*files(snapshots([(0, 1, 0)]), ()), Artifact("csv", "graph", content)]
    fault = "edgelist graph: an edge with something beside its end points and times"
    assert verify(POLICY, found).faults == (fault,)
    assert verify(POLICY | {"edge_attributes": "noise"}, found).faults == ()
    assert verify(POLICY | {"edge_attributes": "drop"}, found).faults == (fault,)


def test_directions_are_told_apart_only_where_there_are_any() -> None:
    both = [*files(snapshots([(0, 1, 0), (1, 0, 0)], directed=True), ("csv",))]
    assert verify(POLICY, both, None, directed=True).describe["edges"] == 2
    assert verify(POLICY, both, None, directed=False).faults == ("edgelist graph: a repeated edge",)


def test_an_edge_over_several_snapshots_is_in_each() -> None:
    graphml = (
        b'<graphml><key id="e0" for="edge" attr.name="first" attr.type="long"/>'
        b'<key id="e1" for="edge" attr.name="last" attr.type="long"/><graph edgedefault="undirected">'
        b'<node id="0"/><node id="1"/><node id="2"/><node id="3"/>'
        b'<edge source="1" target="0"><data key="e0">0</data><data key="e1">2</data></edge>'
        b'<edge source="2" target="3"><data key="e0">1</data><data key="e1">1</data></edge></graph></graphml>'
    )
    csv = b"source,target,snapshot\n0,1,0\n0,1,1\n0,1,2\n2,3,1\n"
    found = [*files(snapshots([]), ()), Artifact("graphml", "graph", graphml), Artifact("csv", "graph", csv)]
    verdict = verify(POLICY, found)
    assert verdict.faults == ()
    assert verdict.describe == {
        "nodes": 4,
        "edges": 4,
        "snapshots": 3,
        "empty_snapshots": 0,
        "edges_by_snapshot": [1, 2, 1],
        "smallest_trajectory": 2,
        "unique_trajectories": 0.0,
    }


def test_the_worst_snapshot_is_told_and_the_first_of_several() -> None:
    asked = {"model": "k_degree_anonymity", "k": 3}
    [found] = judged(snapshots([*STEADY, (0, 1, 1)]), asked).findings
    achieved = {"k": 2, "snapshot": 1, "aggregate": {"k": 4}}
    detail = "snapshot 1: a group of nodes with one degree is smaller than k"
    assert found == Finding("k_degree_anonymity", {"k": 3}, achieved, False, "bytes", IN_ONE_SNAPSHOT + DEGREE, detail)
    [found] = judged(snapshots([(0, 1, 0), (0, 1, 1), (0, 1, 2)]), asked).findings
    assert found.achieved == {"k": 2, "snapshot": 0, "aggregate": {"k": 2}}
    [found] = judged(snapshots([*STEADY, (0, 1, 1)]), asked | {"k": 2}).findings
    assert found == Finding("k_degree_anonymity", {"k": 2}, achieved, True, "bytes", IN_ONE_SNAPSHOT + DEGREE, "")


def test_what_does_not_hold_is_worse_than_what_reached_less() -> None:
    fewer = Finding("m", {}, {"k": 1}, True, "bytes", "")
    broken = Finding("m", {}, {"k": 9}, False, "bytes", "", "x")
    assert temporal._rank(broken) < temporal._rank(fewer)
    assert temporal._rank(fewer) == (True, [1.0])
    assert temporal._rank(Finding("m", {}, {"k": 2, "query": "H1", "l": 3}, True, "bytes", "")) == (True, [2.0, 3.0])


def test_every_snapshot_has_symmetries_of_its_own() -> None:
    rows = [(u, v, 0) for u, v in RING] + [(0, 1, 1), (2, 3, 1)]
    series = snapshots(rows, length=2)
    policy = POLICY | {"guarantees": [{"model": "k_automorphism", "k": 2}]}

    def seen(found: Any) -> Finding:
        return verify(policy, files(series), found).findings[0]

    assumes = IN_ONE_SNAPSHOT + SYMMETRIC
    held = seen({"automorphisms": [[TURN], [MIRROR]]})
    achieved = {"k": 2, "snapshot": 0, "aggregate": {}}
    assert held == Finding("k_automorphism", {"k": 2}, achieved, True, "bytes+sealed_map", assumes, "")
    kept = seen({"automorphisms": [[TURN], [TURN]]})
    detail = "snapshot 1: a function does not keep the edges"
    assert kept == Finding("k_automorphism", {"k": 2}, {}, False, "bytes+sealed_map", assumes, detail)
    missing = "there is no sealed map with functions over the nodes"
    for found, place in (
        ({"automorphisms": [[TURN]]}, 1),
        ({"automorphisms": [None, [MIRROR]]}, 0),
        ({}, 0),
        (None, 0),
    ):
        assert seen(found).detail == f"snapshot {place}: {missing}"
        assert isinstance(seen(found).detail, Missing)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("k_candidate_anonymity", {"query": "H2"}),
        ("neighborhood_twins", {}),
        ("kl_anonymity", {"l": 1, "definition": "indices"}),
        ("k_neighborhood_anonymity", {"radius": 1}),
    ],
)
def test_every_guarantee_of_graphs_is_one_of_snapshots(model: str, more: dict[str, Any]) -> None:
    square = [(u, v, t) for u, v in RING for t in (0, 1)]
    [found] = judged(snapshots(square, length=2), {"model": model, "k": 2, **more}).findings
    assert found.holds
    assert found.model == model
    assert (found.achieved["snapshot"], found.achieved["aggregate"]["k"]) == (0, found.achieved["k"])


def test_an_aggregate_that_would_take_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [{"model": "kl_anonymity", "k": 2, "l": 1}, {"model": "k_neighborhood_anonymity", "k": 2}]
    asked.append({"model": "k_degree_anonymity", "k": 2})

    def beside() -> list[Any]:
        return [finding.achieved["aggregate"] for finding in judged(snapshots(STEADY), *asked).findings]

    whole = [{"k": 2, "l": 1, "definition": "neighbors"}, {"k": 4, "radius": 1}, {"k": 4}]
    monkeypatch.setattr(temporal, "_MOST_AGGREGATE_EDGES", 4)
    assert beside() == whole
    monkeypatch.setattr(temporal, "_MOST_AGGREGATE_EDGES", 3)
    assert beside() == [None, None, {"k": 4}]


def test_without_snapshots_or_a_verifier_nothing_holds() -> None:
    nothing = np.empty(0, np.int64)
    empty = TemporalEvidence({}, Timeline(4, 0, False, nothing, nothing, nothing), "")
    asked = {"model": "k_degree_anonymity", "k": 2}
    assert temporal._find_in_each(asked, empty) == refused("there is no snapshot")
    unread = TemporalEvidence({}, Timeline(4, 1, False, nothing, nothing, nothing), "it is broken")
    assert temporal._find_in_each(asked, unread) == refused("it is broken")
    assert temporal._find_in_each(asked, TemporalEvidence({})) == refused("there is no temporal graph")
    [found] = judged(snapshots(STEADY), {"model": "anything", "k": 2, "l": 3}).findings
    assert found == Finding("anything", {"k": 2, "l": 3}, {}, False, "bytes", "", "no verifier")


def test_attributes_of_nodes_are_judged_as_a_table() -> None:
    policy = POLICY | {
        "attributes": {"town": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}],
    }
    nodes = Artifact("csv", "nodes", b"node,town\n0,a\n1,a\n2,b\n3,b\n")
    found = [file for file in files(snapshots(STEADY), ("csv",)) if file.part != "nodes"]
    verdict = verify(policy, [*found, nodes])
    assert verdict.faults == ()
    assert [(each.holds, each.achieved) for each in verdict.findings] == [(True, {"k": 2}), (False, {"k": 2})]
    assert verdict.describe["node_classes"]["smallest"] == 2


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (b"0,2001-02-03T00:00:00Z\n1,2001-02-04T00:00:00Z\n", ""),
        (b"0,2001-02-04T00:00:00Z\n1,2001-02-03T00:00:00Z\n", "windows that do not follow each other"),
        (b"0,2001-02-03T00:00:00Z\n1,2001-02-03T00:00:00Z\n", "windows that do not follow each other"),
        (b"0,9\n1,10\n", ""),
        (b"0,10\n1,9\n", "windows that do not follow each other"),
        (b"0,9\n1,9\n", "windows that do not follow each other"),
        (b"0,'-3\n1,0\n", "a window begins with something that is no moment and no number"),
        (b"0,-3\n1,0\n", ""),
        (b"0,-0\n1,x\n", "a window begins with something that is no moment and no number"),
        (b"0,1\n1,01\n", "a window begins with something that is no moment and no number"),
        (b"0,0\n1,999999999999\n", ""),
        (b"0,0\n1,1000000000000\n", "a window begins with something that is no moment and no number"),
        (b"0,2001-02-03T00:00:00Z\n1,5\n", "a window begins with something that is no moment and no number"),
        (
            b"0,2001-02-03T00:00:00Z\n1,2001-02-03T00:00:61Z\n",
            "a window begins with something that is no moment and no number",
        ),
        (b"1,0\n2,1\n", "the snapshots are not 0\u2026n-1, in order"),
        (b"1,0\n0,1\n", "the snapshots are not 0\u2026n-1, in order"),
        (b"0,0\n0,1\n", "the snapshots are not 0\u2026n-1, in order"),
        (b"", "the snapshots are not 0\u2026n-1, in order"),
    ],
)
def test_windows_of_time_follow_each_other(rows: bytes, fault: str) -> None:
    found = [file for file in files(snapshots([], length=2), ("csv",)) if file.part != "snapshots"]
    found.append(Artifact("csv", "snapshots", b"snapshot,begin\n" + rows))
    assert list(verify(POLICY, found).faults) == ([f"csv snapshots: {fault}"] if fault else [])


def test_what_is_known_of_nodes_reaches_their_guarantees() -> None:
    towns = {"attributes": {"town": {"role": "quasi_identifier"}}, "privacy_unit": "person"}
    policy = POLICY | towns | {"guarantees": [{"model": "k_anonymity", "k": 2}]}
    nodes = Artifact("csv", "nodes", b"node,town\n0,a\n1,a\n2,b\n3,b\n")
    found = [*(file for file in files(snapshots(STEADY), ("csv",)) if file.part != "nodes"), nodes]
    assert verify(policy, found, {"units": [0, 1, 2, 3]}).findings[0].achieved == {"k": 2}
    assert verify(policy, found, {"units": [0, 0, 2, 3]}).findings[0].achieved == {"k": 1}
    asked = POLICY | {"guarantees": [{"model": "local_differential_privacy", "epsilon": 1}]}
    assert verify(asked, found).findings[0].detail != "no verifier"


def test_a_graph_that_names_nodes_otherwise_than_their_table_is_refused() -> None:
    policy = POLICY | {"attributes": {"town": {"role": "insensitive"}}}
    parts = [file for file in files(snapshots([(0, 1, 0)], n=2), ()) if file.part == "snapshots"]
    parts.append(Artifact("csv", "nodes", b"node,town\n0,a\n1,b\n"))
    linked = (
        '{"directed": false, "multigraph": true, "graph": {},'
        ' "nodes": [{"id": 0, "town": "a"}, {"id": 1, "town": "%s"}],'
        ' "edges": [{"source": 0, "target": 1, "snapshot": 0}]}'
    )
    for town, faults in (("b", ()), ("c", ("the artifacts of one part show different rows",))):
        assert verify(policy, [*parts, Artifact("node-link", "graph", (linked % town).encode())]).faults == faults


def test_whatever_could_not_be_read_is_told() -> None:
    for part in ("nodes", "snapshots", "graph"):
        found = [file for file in files(snapshots(STEADY), ("csv",)) if file.part != part]
        verdict = verify(ASKED, [*found, Artifact("csv", part, b'a\n"')])
        assert verdict.faults[0].startswith(f"csv {part}: ")
        assert verdict.findings[0].detail == "an artifact could not be read"


def test_a_release_that_is_no_longer_wanted_is_not_read() -> None:
    def watch() -> None:
        raise InterruptedError

    with watched_by(watch), pytest.raises(InterruptedError):
        temporal._read_listed([Artifact("csv", "graph", GRAPH)], False)
    evidence = TemporalEvidence({}, Timeline(4, 1, False, *np.zeros((3, 0), np.int64)), "")
    for step in (temporal._aggregate, lambda asked, seen: temporal._find(asked, seen, temporal.Evidence({}))):
        with watched_by(watch), pytest.raises(InterruptedError):
            step({"model": "anything"}, evidence)


def test_a_repeated_edge_is_one_in_any_artifact() -> None:
    twice = GRAPH + b"1,0,0\n"
    for graphs in ((GRAPH, twice), (twice, GRAPH)):
        found = [*files(snapshots([(0, 1, 0)]), ()), *(Artifact("csv", "graph", content) for content in graphs)]
        assert verify(POLICY, found).faults == ("edgelist graph: a repeated edge",)


@pytest.mark.parametrize("model", ["temporal_k_degree_anonymity", "degree_trajectory_anonymity"])
def test_a_guarantee_over_time_is_judged_over_all_snapshots(model: str) -> None:
    square = [(u, v, t) for u, v in RING for t in (0, 1)]
    [found] = judged(snapshots(square, length=2), {"model": model, "k": 2}).findings
    assert (found.model, found.holds, found.achieved["smallest_trajectory"]) == (model, True, 4)
