"""Degrees over time, as the verifier counts them: worked examples, and releases that it refuses."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.temporal import degrees as temporal_degrees
from verifier.temporal.degrees import find_degree_trajectory, find_temporal_k_degree, smallest_trajectory
from verifier.verdict.verdict import Finding
from verifier.verdict.watch import watched_by

# Two pictures of six nodes in which every degree is that of two nodes or more.
FIRST, SECOND = [(0, 1), (1, 2), (2, 3)], [(0, 5), (4, 5), (4, 1)]


def moments_of(n: int, pictures: list[list[tuple[int, int]]], directed: bool = False) -> TemporalEvidence:
    rows = np.array([(u, v, t) for t, edges in enumerate(pictures) for u, v in edges], dtype=np.int64).reshape(-1, 3)
    return TemporalEvidence({}, Timeline(n, len(pictures), directed, *rows.T), "")


def asked(**settings: object) -> dict[str, object]:
    return {"model": "temporal_k_degree_anonymity", "k": 2, **settings}


def test_accepts_degrees_and_sequences_that_occur_twice_and_states_the_smallest_trajectory():
    finding = find_temporal_k_degree(asked(), moments_of(6, [FIRST, SECOND, FIRST, SECOND]))
    assert finding.holds
    # Node by node the degrees are 1 2 2 1 0 0 and 1 1 0 0 2 2.
    assert finding.achieved == {"k": 2, "nodes": 2, "snapshots": 2, "smallest_trajectory": 1}
    assert finding.required == {"k": 2, "recurrence": "vector", "directed": "pairs"}


def test_refuses_a_sequence_that_occurs_once():
    finding = find_temporal_k_degree(asked(), moments_of(6, [FIRST, SECOND, FIRST]))
    assert not finding.holds
    assert finding.detail == "fewer than k snapshots share a degree sequence"
    assert find_temporal_k_degree(asked(recurrence="multiset"), moments_of(6, [FIRST, SECOND, FIRST])).holds


def test_refuses_a_degree_that_one_node_has():
    finding = find_temporal_k_degree(asked(), moments_of(6, [FIRST[1:], FIRST[1:]]))
    assert not finding.holds
    assert finding.detail == "in a snapshot fewer than k nodes share a degree"
    assert finding.achieved["nodes"] == 1


def test_refuses_pairs_that_hold_only_when_directions_are_judged_separately():
    arcs = [(0, 2), (1, 0)]
    assert not find_temporal_k_degree(asked(), moments_of(4, [arcs, arcs], directed=True)).holds
    assert find_temporal_k_degree(asked(directed="separate"), moments_of(4, [arcs, arcs], directed=True)).holds


def test_refuses_a_trajectory_that_one_node_has():
    finding = find_degree_trajectory({"k": 2}, moments_of(6, [FIRST, SECOND]))
    assert not finding.holds
    assert finding.detail == "fewer than k nodes share a trajectory of degrees"
    assert finding.achieved == {"k": 1, "smallest_trajectory": 1}
    assert find_degree_trajectory({"k": 2}, moments_of(6, [FIRST, FIRST])).holds


@pytest.mark.parametrize(
    "settings", [{"k": 1}, {"k": True}, {"k": "2"}, {"k": None}, {"recurrence": "both"}, {"directed": None}]
)
def test_refuses_a_guarantee_that_is_none(settings):
    finding = find_temporal_k_degree(asked(**settings), moments_of(6, [FIRST, FIRST]))
    assert not finding.holds
    assert finding.achieved == {}
    if "k" in settings:
        assert not find_degree_trajectory(settings, moments_of(6, [FIRST, FIRST])).holds


@pytest.mark.parametrize("nothing", [moments_of(0, [[], []]), moments_of(3, [])])
def test_refuses_a_release_without_nodes_or_snapshots(nothing):
    assert not find_temporal_k_degree(asked(), nothing).holds
    assert not find_degree_trajectory({"k": 2}, nothing).holds


def test_refuses_whatever_could_not_be_read():
    unread = replace(moments_of(6, [FIRST, FIRST]), flaw="an artifact cannot be read")
    for find in (find_temporal_k_degree, find_degree_trajectory):
        assert not find(asked(), unread).holds
        assert find(asked(), unread).detail == "an artifact cannot be read"


def test_empty_snapshots_are_snapshots():
    finding = find_temporal_k_degree(asked(), moments_of(3, [[], []]))
    assert finding.holds
    assert finding.achieved == {"k": 2, "nodes": 3, "snapshots": 2, "smallest_trajectory": 3}


def test_a_verdict_that_is_no_longer_wanted_is_given_up():
    def watch() -> None:
        raise InterruptedError

    for find in (find_temporal_k_degree, find_degree_trajectory):
        with watched_by(watch), pytest.raises(InterruptedError):
            find(asked(), moments_of(6, [FIRST, FIRST]))


def test_trajectories_are_told_apart_by_any_one_snapshot():
    assert smallest_trajectory(moments_of(4, [[(0, 1), (2, 3)]] * 3).timeline) == 4
    assert smallest_trajectory(moments_of(4, [[(0, 1), (2, 3)]] * 3 + [[(0, 1)]]).timeline) == 2


MOMENT = "the attacker knows the degree of a node at one time, or all degrees at one time, and follows nobody over time"
THROUGHOUT = (
    "the attacker knows the degree of a node (both degrees if directed) at every time and nothing else about the graphs"
)
RING = [(0, 1), (1, 2), (2, 3), (0, 3)]
TRIANGLE = [(0, 1), (1, 2), (0, 2)]


@pytest.mark.parametrize(
    ("settings", "evidence", "achieved", "detail"),
    [
        ({}, moments_of(4, [RING, RING]), (4, 2, 4), ""),
        ({"k": 2}, moments_of(4, [RING, [], RING, []]), (4, 2, 4), ""),
        ({"k": 3}, moments_of(4, [RING, RING]), (4, 2, 4), "fewer than k snapshots share a degree sequence"),
        ({"k": 3}, moments_of(4, [FIRST, FIRST]), (2, 2, 2), "in a snapshot fewer than k nodes share a degree"),
        # One of four nodes has no edge: it is counted too.
        ({}, moments_of(4, [TRIANGLE, TRIANGLE]), (1, 2, 1), "in a snapshot fewer than k nodes share a degree"),
        ({}, moments_of(5, [[(0, 1)], [(0, 1)], RING[:1]]), (2, 3, 2), ""),
        # The same degrees at other nodes: a sequence node by node recurs less often than as a multiset.
        ({}, moments_of(6, [FIRST, SECOND]), (2, 1, 1), "fewer than k snapshots share a degree sequence"),
        ({"recurrence": "multiset"}, moments_of(6, [FIRST, SECOND]), (2, 2, 1), ""),
        ({"k": 1}, moments_of(4, [RING, RING]), None, "k is not a whole number above 1"),
        ({"recurrence": "x"}, moments_of(4, [RING]), None, "the recurrence is neither vector nor multiset"),
        ({"directed": "x"}, moments_of(4, [RING]), None, "directed is neither pairs nor separate"),
        ({}, moments_of(0, [[], []]), None, "there is no node or no snapshot"),
        ({}, moments_of(3, []), None, "there is no node or no snapshot"),
    ],
)
def test_the_whole_verdict_at_every_moment_is_this(settings, evidence, achieved, detail):
    required = {"k": 2, "recurrence": "vector", "directed": "pairs", **settings}
    reached = {}
    if achieved:
        nodes, snapshots, throughout = achieved
        reached = {"k": min(nodes, snapshots), "nodes": nodes, "snapshots": snapshots}
        reached["smallest_trajectory"] = throughout
    model = "temporal_k_degree_anonymity"
    found = find_temporal_k_degree(asked(**settings), evidence)
    assert found == Finding(model, required, reached, not detail, "bytes", MOMENT, detail)


@pytest.mark.parametrize(
    ("k", "evidence", "smallest", "detail"),
    [
        (4, moments_of(4, [RING, RING]), 4, ""),
        (5, moments_of(4, [RING, RING]), 4, "fewer than k nodes share a trajectory of degrees"),
        (2, moments_of(4, [RING, FIRST]), 2, ""),
        (3, moments_of(4, [RING, FIRST]), 2, "fewer than k nodes share a trajectory of degrees"),
        # 1 then 0, 0 then 1, 1 then 1, and twice 0 then 0.
        (2, moments_of(5, [[(0, 1)], [(1, 2)]]), 1, "fewer than k nodes share a trajectory of degrees"),
        # Degrees 1 and 2 change places between the moments.
        (2, moments_of(6, [[(0, 1), (1, 2)], [(1, 0), (0, 2)]]), 1, "fewer than k nodes share a trajectory of degrees"),
        (1, moments_of(4, [RING]), None, "k is not a whole number above 1"),
        (2, moments_of(0, [[]]), None, "there is no node or no snapshot"),
        (2, moments_of(4, []), None, "there is no node or no snapshot"),
    ],
)
def test_the_whole_verdict_throughout_is_this(k, evidence, smallest, detail):
    reached = {} if smallest is None else {"k": smallest, "smallest_trajectory": smallest}
    found = find_degree_trajectory({"k": k}, evidence)
    assert found == Finding("degree_trajectory_anonymity", {"k": k}, reached, not detail, "bytes", THROUGHOUT, detail)


def test_both_directions_of_a_degree_count():
    # Node 0 sends one and receives two, node 3 sends two and receives one: three in all, and yet not alike.
    arcs = [(0, 1), (1, 0), (2, 0), (3, 1), (3, 2), (1, 3)]
    lines = temporal_degrees._paired(4, *np.array(arcs).T)
    sent_and_received = {(1, 2): 0, (2, 2): 1, (1, 1): 2, (2, 1): 3}
    assert lines.nodes.tolist() == [0, 1, 2, 3]
    assert lines.values.tolist() == [3 * sent + received for sent, received in sent_and_received]
    assert smallest_trajectory(moments_of(4, [[(0, 1), (2, 0), (3, 0), (3, 1), (3, 2)]], directed=True).timeline) == 1
    swapped = moments_of(4, [[(0, 1), (2, 1), (1, 2), (3, 2), (3, 0)]] * 2, directed=True)
    assert find_temporal_k_degree(asked(), swapped).achieved["nodes"] == 1
    both = moments_of(3, [[(0, 1), (1, 2), (2, 0)]] * 2, directed=True)
    assert find_temporal_k_degree(asked(k=2), both).achieved == {
        "k": 2,
        "nodes": 3,
        "snapshots": 2,
        "smallest_trajectory": 3,
    }


def test_without_nodes_no_trajectory_is_shared():
    assert smallest_trajectory(moments_of(0, [[], []]).timeline) == 0
    assert smallest_trajectory(moments_of(3, []).timeline) == 3


def counted_one_by_one(n, pictures, directed, separate, by_node):
    """The fewest nodes and snapshots that share, and the fewest nodes alike throughout, from lists of degrees."""
    out = [[sum(u == node for u, _ in edges) for node in range(n)] for edges in pictures]
    into = [[sum(v == node for _, v in edges) for node in range(n)] for edges in pictures]
    paired = [list(zip(*both, strict=True)) for both in zip(out, into, strict=True)]
    summed = [[sum(pair) for pair in row] for row in paired]
    layers = [summed] if not directed else [out, into] if separate else [paired]
    nodes = min(min(Counter(row).values()) for layer in layers for row in layer)
    orders = [[tuple(row if by_node else sorted(row)) for row in layer] for layer in layers]
    throughout = Counter(zip(*(paired if directed else summed), strict=True))
    return nodes, min(min(Counter(order).values()) for order in orders), min(throughout.values())


@pytest.mark.parametrize("directed", [False, True])
def test_it_is_what_counting_one_by_one_finds(directed):
    rng = np.random.default_rng(7)
    found = Counter()
    for case in range(30):
        n = int(rng.integers(3, 7))
        pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
        picks = [[pair for pair in pairs if rng.random() < (0.2, 0.5, 0.9)[case % 3]] for _ in range(2)]
        pictures = [picks[int(place)] for place in rng.integers(0, 2, 4)]
        evidence = moments_of(n, pictures, directed)
        for separate, by_node in ((False, True), (True, True), (False, False), (True, False)):
            settings = {"directed": "separate" if separate else "pairs"}
            settings["recurrence"] = "vector" if by_node else "multiset"
            achieved = find_temporal_k_degree(asked(**settings), evidence).achieved
            wanted = counted_one_by_one(n, pictures, directed, separate, by_node)
            assert (achieved["nodes"], achieved["snapshots"], achieved["smallest_trajectory"]) == wanted
            found[wanted] += 1
    assert len(found) > 4, "the cases differ"


def test_who_differed_once_differs_for_good():
    # Degrees 1 2 1 0, and then 2 for all: two are alike throughout, two are alone.
    assert smallest_trajectory(moments_of(4, [FIRST[:2], RING]).timeline) == 1
    assert smallest_trajectory(moments_of(4, [FIRST, RING]).timeline) == 2


def test_every_step_over_time_may_be_given_up():
    def watch():
        raise InterruptedError

    timeline = moments_of(4, [RING]).timeline
    (lines,) = temporal_degrees._layers(timeline, True)
    steps = [
        lambda: temporal_degrees._fewest_nodes(lines, timeline),
        lambda: temporal_degrees._fewest_snapshots(lines, timeline, True),
        lambda: smallest_trajectory(timeline),
    ]
    for step in steps:
        with watched_by(watch), pytest.raises(InterruptedError):
            step()


def test_the_last_group_the_last_direction_and_no_edge_at_all_count():
    star = [(0, 1), (0, 2), (0, 3)]
    assert find_temporal_k_degree(asked(), moments_of(4, [star, star])).achieved["nodes"] == 1
    arcs = moments_of(4, [[(0, 3), (1, 3)]] * 2, directed=True)
    assert find_temporal_k_degree(asked(directed="separate"), arcs).achieved["nodes"] == 1
    empty = moments_of(3, [[], []], directed=True)
    assert find_temporal_k_degree(asked(), empty).achieved["nodes"] == 3
