"""Released temporal graphs: what the verifier reads, what it refuses, and how it judges guarantees of graphs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from antifaz.temporal.snapshots import Snapshots
from formats.writing import render_nodes, render_snapshots, render_windows
from verifier import Artifact, verify

FORMATS = ("csv", "graphml", "node-link")
POLICY: dict[str, Any] = {"kind": "temporal_graph", "method": {"name": "k_degree"}, "guarantees": []}


def snapshots(rows: Any, n: int = 4, length: int = 3, directed: bool = False) -> Snapshots:
    sources, targets, times = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    return Snapshots.from_rows(n, sources, targets, times, [str(t) for t in range(length)], directed)


def files(series: Snapshots, forms: tuple[str, ...] = FORMATS) -> list[Artifact]:
    written = [Artifact(form, "graph", b"".join(render_snapshots(series, form))) for form in forms]
    written += [Artifact(form, "nodes", b"".join(render_nodes(series.n, (), form))) for form in ("csv", "parquet")]
    windows = [
        Artifact(form, "snapshots", b"".join(render_windows(series.labels, form))) for form in ("csv", "parquet")
    ]
    return written + windows


def judged(series: Snapshots, *guarantees: dict[str, Any], **policy: Any) -> Any:
    asked = POLICY | {"guarantees": list(guarantees)} | policy
    return verify(asked, files(series), None, series.directed)


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
STEADY = [(u, v, t) for u, v in RING for t in (0, 2)]
"""A ring at times 0 and 2, nothing at time 1."""


def test_reads_every_format_and_describes_what_everybody_can_see() -> None:
    verdict = judged(snapshots(STEADY))
    assert verdict.holds, verdict.faults
    assert verdict.describe == {
        "nodes": 4,
        "edges": 8,
        "snapshots": 3,
        "empty_snapshots": 1,
        "edges_by_snapshot": [4, 0, 4],
        "smallest_trajectory": 4,
        "unique_trajectories": 0.0,
    }


# In each snapshot two nodes or more share every degree; over both, four nodes are alone.
APART = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (0, 5, 1), (4, 5, 1), (1, 4, 1)]
PER_SNAPSHOT = [
    {"model": "k_degree_anonymity", "k": 2},
    {"model": "k_candidate_anonymity", "k": 2, "query": "H1"},
    {"model": "k_neighborhood_anonymity", "k": 2},
    {"model": "kl_anonymity", "k": 2, "l": 1},
    {"model": "neighborhood_twins", "k": 2},
    {"model": "k_automorphism", "k": 2},
]


@pytest.mark.parametrize("guarantee", PER_SNAPSHOT, ids=lambda guarantee: guarantee["model"])
def test_a_guarantee_of_graphs_says_that_its_attacker_knows_one_snapshot(guarantee) -> None:
    (finding,) = judged(snapshots(APART, 6, 2), guarantee).findings
    assert finding.assumes.startswith("in one snapshot, and the attacker follows nobody over time: ")
    assert len(finding.assumes.split(": ", 1)[1]) > 20, "and what else it assumes"


def test_the_share_of_nodes_that_are_alone_over_time_is_stated_although_each_snapshot_is_anonymous() -> None:
    verdict = judged(snapshots(APART, 6, 2), {"model": "k_degree_anonymity", "k": 2})
    assert verdict.holds, verdict
    # Node by node the degrees are 1 2 2 1 0 0, then 1 1 0 0 2 2: (1,1) (2,1) (2,0) (1,0) (0,2) (0,2).
    assert verdict.describe["smallest_trajectory"] == 1
    assert verdict.describe["unique_trajectories"] == pytest.approx(4 / 6)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), max_size=20),
    st.booleans(),
    st.integers(2, 4),
)
@effort(max_examples=60)
def test_a_guarantee_of_graphs_holds_if_and_only_if_it_does_in_every_snapshot(
    rows: Any, directed: bool, k: int
) -> None:
    series = snapshots(rows, directed=directed)
    finding = judged(series, {"model": "k_degree_anonymity", "k": k}).findings[0]
    smallest = min(_fewest(series, t) for t in range(3))
    assert finding.holds == (smallest >= k)
    assert finding.achieved["k"] == smallest
    whole = Snapshots.from_graphs([series.aggregate], ["0"])
    assert finding.achieved["aggregate"] == {"k": _fewest(whole, 0)}


def _fewest(series: Snapshots, t: int) -> int:
    """The fewest nodes that share a degree, counted one by one."""
    out, into = series.out_degrees[t].tolist(), series.in_degrees[t].tolist()
    known = list(zip(out, into, strict=True)) if series.directed else [a + b for a, b in zip(out, into, strict=True)]
    return min(known.count(degree) for degree in known)


def test_says_in_which_snapshot_a_guarantee_breaks() -> None:
    finding = judged(snapshots([*STEADY, (0, 1, 1)]), {"model": "k_degree_anonymity", "k": 3}).findings[0]
    assert not finding.holds
    assert finding.achieved["snapshot"] == 1
    assert finding.detail.startswith("snapshot 1: ")


def test_a_guarantee_of_other_forms_of_graphs_has_no_verifier() -> None:
    for model in ("supernode_size", "k_eps_obfuscation", "anything"):
        assert judged(snapshots(STEADY), {"model": model, "k": 2}).findings[0].detail == "no verifier"


def _changed(part: str, form: str, old: bytes, new: bytes) -> list[Artifact]:
    found = files(snapshots(STEADY))
    place = next(i for i, file in enumerate(found) if (file.part, file.format) == (part, form))
    content = bytes(found[place].content)
    assert old in content
    found[place] = Artifact(form, part, content.replace(old, new, 1))
    return found


@pytest.mark.parametrize(
    ("part", "form", "old", "new", "faults"),
    [
        ("graph", "csv", b"0,1,0\n", b"0,1,1\n", ["the artifacts show different edges"]),
        ("graph", "csv", b"0,1,0\n", b"0,1,0\n1,0,0\n", ["edgelist graph: a repeated edge"]),
        ("graph", "csv", b"0,1,0\n", b"0,1,3\n", ["edgelist graph: an edge at a time that is not among the snapshots"]),
        (
            "graph",
            "csv",
            b"0,1,0\n",
            b"0,1,-1\n",
            ["edgelist graph: an edge at a time that is not among the snapshots"],
        ),
        ("graph", "csv", b"0,1,0\n", b"0,1,x\n", ["edgelist graph: an edge at a time that is not among the snapshots"]),
        ("graph", "csv", b"0,1,0\n", b"0,4,0\n", ["edgelist graph: an end point is not among the nodes"]),
        ("graph", "csv", b"0,1,0\n", b"1,1,0\n", ["edgelist graph: a self-loop"]),
        ("graph", "csv", b"source,target,snapshot", b"source,target,moment", ["csv graph: edges without times"]),
        ("graph", "csv", b"0,1,0\n", b"0,1,0,7\n", ["csv graph: not a csv file with rows of one length in UTF-8"]),
        (
            "graph",
            "graphml",
            b'<data key="e1">0</data>',
            b'<data key="e1">1</data>',
            ["the artifacts show different edges"],
        ),
        (
            "graph",
            "graphml",
            b'<data key="e1">2</data>',
            b'<data key="e1">1</data>',
            ["graphml graph: an edge at a time that is not among the snapshots"],
        ),
        (
            "graph",
            "graphml",
            b'<data key="e0">0</data>',
            b"",
            ["graphml graph: an edge at a time that is not among the snapshots"],
        ),
        (
            "graph",
            "graphml",
            b"</graph>",
            b"<!-- Ana --></graph>",
            ["graphml graph: a document type, comment or processing instruction"],
        ),
        ("graph", "node-link", b'"snapshot": 0', b'"snapshot": 1', ["the artifacts show different edges"]),
        (
            "graph",
            "node-link",
            b'"multigraph": true',
            b'"multigraph": false',
            ["node-link graph: something beside nodes and edges"],
        ),
        (
            "graph",
            "node-link",
            b'"snapshot": 0',
            b'"snapshot": 0, "who": "Ana"',
            ["node-link graph: an edge with something beside its end points and times"],
        ),
        (
            "nodes",
            "csv",
            b"3\n",
            b"",
            ["the artifacts list different numbers of nodes", "the artifacts of one part show different rows"],
        ),
        ("snapshots", "csv", b"2,2\n", b"", ["the artifacts of one part show different rows"]),
        (
            "snapshots",
            "csv",
            b"2,2\n",
            b"2,Ana\n",
            ["csv snapshots: a window begins with something that is no moment and no number"],
        ),
        ("snapshots", "csv", b"2,2\n", b"2,0\n", ["csv snapshots: windows that do not follow each other"]),
        (
            "snapshots",
            "csv",
            b"snapshot,begin",
            b"snapshot,end",
            ["csv snapshots: the columns are not snapshot and begin"],
        ),
        (
            "graph",
            "csv",
            b"source,target,snapshot\n",
            b"source,target,snapshot,snapshot\n",
            ["csv graph: not a csv file with rows of one length in UTF-8"],
        ),
        ("graph", "csv", b"0,1,0\n", b"0,-1,0\n", ["edgelist graph: an end point is not among the nodes"]),
        ("graph", "csv", b"0,1,0\n", b"0,5,0\n", ["edgelist graph: an end point is not among the nodes"]),
        ("graph", "csv", b"0,1,0\n", b"0,1,2\n", ["edgelist graph: a repeated edge"]),
        ("snapshots", "csv", b"0,0\n", b"1,0\n", ["csv snapshots: the snapshots are not 0…n-1, in order"]),
        (
            "snapshots",
            "csv",
            b"0,0\n1,1\n2,2\n",
            b"1,1\n0,0\n2,2\n",
            ["csv snapshots: the snapshots are not 0…n-1, in order"],
        ),
        ("snapshots", "csv", b"0,0\n1,1\n2,2\n", b"", ["csv snapshots: the snapshots are not 0…n-1, in order"]),
        (
            "snapshots",
            "csv",
            b"0,0\n1,1\n2,2\n",
            b"0,2\n1,1\n2,0\n",
            ["csv snapshots: windows that do not follow each other"],
        ),
        (
            "snapshots",
            "csv",
            b"0,0\n1,1\n2,2\n",
            b"0,-3\n1,-2\n2,0\n",
            ["the artifacts of one part show different rows"],
        ),
        (
            "snapshots",
            "csv",
            b"2,2\n",
            b"2,02\n",
            ["csv snapshots: a window begins with something that is no moment and no number"],
        ),
        (
            "snapshots",
            "csv",
            b"2,2\n",
            b"2,2x\n",
            ["csv snapshots: a window begins with something that is no moment and no number"],
        ),
        (
            "snapshots",
            "csv",
            b"2,2\n",
            b"2,1234567890123\n",
            ["csv snapshots: a window begins with something that is no moment and no number"],
        ),
        ("graph", "graphml", b'attr.name="first"', b'attr.name="begin"', ["graphml graph: edges without times"]),
        ("graph", "graphml", b'attr.name="last"', b'attr.name="end"', ["graphml graph: edges without times"]),
    ],
)
def test_refuses_artifacts_that_do_not_show_one_timeline(
    part: str, form: str, old: bytes, new: bytes, faults: list[str]
) -> None:
    assert list(verify(POLICY, _changed(part, form, old, new)).faults) == faults


def test_a_foreign_part_or_format_is_refused() -> None:
    found = files(snapshots(STEADY))
    assert verify(POLICY, [*found, Artifact("csv", "table", b"a\n1\n")]).faults
    assert verify(POLICY, [*found, Artifact("gml", "graph", b"graph [\n]\n")]).faults


@pytest.mark.parametrize("part", ["graph", "nodes", "snapshots"])
def test_cannot_tell_without_a_part(part: str) -> None:
    asked = POLICY | {"guarantees": [{"model": "k_degree_anonymity", "k": 2}]}
    verdict = verify(asked, [file for file in files(snapshots(STEADY), ("csv",)) if file.part != part])
    assert not verdict.holds
    assert verdict.cannot_tell


def test_directions_must_be_those_of_the_release() -> None:
    assert verify(POLICY, files(snapshots(STEADY)), None, directed=True).faults


def test_moments_say_where_windows_begin() -> None:
    series = Snapshots(2, np.array([1]), np.array([0, 1, 1]), labels=("2001-02-03T00:00:00Z", "2001-02-04T00:00:00Z"))
    assert verify(POLICY, files(series)).holds
    mixed = Snapshots(2, np.array([1]), np.array([0, 1, 1]), labels=("2001-02-03T00:00:00Z", "5"))
    assert verify(POLICY, files(mixed)).faults


def test_what_edges_say_beside_times_needs_a_policy_that_wants_it() -> None:
    content = b"source,target,snapshot,weight\n0,1,0,3\n"
    found = [file for file in files(snapshots([(0, 1, 0)]), ()) if file.part != "graph"]
    found.append(Artifact("csv", "graph", content))
    assert verify(POLICY, found).faults
    assert verify(POLICY | {"edge_attributes": "keep"}, found).holds


def test_pairs_that_cannot_be_told_apart_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.temporal.temporal._MOST_CELLS", 4 * 4 * 3)
    assert judged(snapshots(STEADY)).holds
    monkeypatch.setattr("verifier.temporal.temporal._MOST_CELLS", 4 * 4 * 3 - 1)
    verdict = judged(snapshots(STEADY), {"model": "temporal_k_degree_anonymity", "k": 2})
    assert not verdict.holds
    assert "more pairs of nodes in all snapshots than can be distinguished" in verdict.faults
