"""Findings about degrees over time: shared degrees in each snapshot, shared degree sequences, shared trajectories.

Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025 (degrees and degree sequences that recur). Rossi, Musolesi and
Torsello, "On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015 (trajectories).

Only degrees above zero are stored, one line for each node and snapshot; a node without a line has degree zero.
Sequences are compared number by number, never by a hash.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from verifier.evidence.models import Whole
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.structures.structure import k_flaw
from verifier.verdict.verdict import Finding
from verifier.verdict.watch import look

_MOMENT_ASSUMES = (
    "the attacker knows the degree of a node at one time, or all degrees at one time, and follows nobody over time"
)
_TRAJECTORY_ASSUMES = (
    "the attacker knows the degree of a node (both degrees if directed) at every time and nothing else about the graphs"
)


@dataclass(frozen=True)
class Lines:
    """Degrees above zero, sorted by snapshot and then by node."""

    times: Whole
    nodes: Whole
    values: Whole
    """The degree, or one number for a pair of degrees."""


def find_temporal_k_degree(guarantee: Mapping[str, Any], evidence: TemporalEvidence) -> Finding:
    """The fewest nodes that share a degree at one time, and the fewest snapshots that share a degree sequence."""
    recurrence, directions = guarantee.get("recurrence", "vector"), guarantee.get("directed", "pairs")
    required = {"k": guarantee.get("k"), "recurrence": recurrence, "directed": directions}
    timeline = evidence.timeline
    flaw = evidence.flaw or _extent_flaw(timeline) or k_flaw(required["k"]) or _form_flaw(recurrence, directions)
    achieved: dict[str, Any] = {}
    if not flaw:
        layers = list(_layers(timeline, directions == "pairs"))
        nodes = min(_fewest_nodes(lines, timeline) for lines in layers)
        snapshots = min(_fewest_snapshots(lines, timeline, recurrence == "vector") for lines in layers)
        achieved = {"k": min(nodes, snapshots), "nodes": nodes, "snapshots": snapshots}
        achieved["smallest_trajectory"] = smallest_trajectory(timeline)
        flaw = "" if nodes >= guarantee["k"] else "in a snapshot fewer than k nodes share a degree"
        if not flaw and snapshots < guarantee["k"]:
            flaw = "fewer than k snapshots share a degree sequence"
    return Finding("temporal_k_degree_anonymity", required, achieved, not flaw, "bytes", _MOMENT_ASSUMES, flaw)


def _extent_flaw(timeline: Timeline) -> str:
    return "" if timeline.n and timeline.length else "there is no node or no snapshot"


def _form_flaw(recurrence: object, directions: object) -> str:
    if recurrence not in ("vector", "multiset"):
        return "the recurrence is neither vector nor multiset"
    return "" if directions in ("pairs", "separate") else "directed is neither pairs nor separate"


def find_degree_trajectory(guarantee: Mapping[str, Any], evidence: TemporalEvidence) -> Finding:
    """The fewest nodes that share their degrees at all times."""
    required = {"k": guarantee.get("k")}
    timeline = evidence.timeline
    flaw = evidence.flaw or _extent_flaw(timeline) or k_flaw(required["k"])
    achieved: dict[str, Any] = {}
    if not flaw:
        smallest = smallest_trajectory(timeline)
        achieved = {"k": smallest, "smallest_trajectory": smallest}
        flaw = "" if smallest >= guarantee["k"] else "fewer than k nodes share a trajectory of degrees"
    return Finding("degree_trajectory_anonymity", required, achieved, not flaw, "bytes", _TRAJECTORY_ASSUMES, flaw)


def smallest_trajectory(timeline: Timeline) -> int:
    """The fewest nodes with the same degrees (pairs of degrees if directed) at all times; 0 without nodes."""
    sizes = trajectory_sizes(timeline)
    return int(sizes.min()) if sizes.size else 0


def trajectory_sizes(timeline: Timeline) -> Whole:
    """How many nodes have each of the trajectories that occur.

    All nodes begin in one class; every snapshot splits off the nodes with edges by their class and degree. Nodes
    without edges stay, so at the end two nodes are in one class if and only if their degrees are always equal.
    """
    (lines,) = _layers(timeline, True)
    bounds = np.searchsorted(lines.times, np.arange(timeline.length + 1))
    members, classes = np.zeros(timeline.n, np.int64), 1
    for start, stop in pairwise(bounds):
        look()
        nodes, values = lines.nodes[start:stop], lines.values[start:stop]
        _, ranks = np.unique(values, return_inverse=True)
        keys = members[nodes] * np.int64(stop - start) + ranks
        found, places = np.unique(keys, return_inverse=True)
        members[nodes] = classes + places
        classes += len(found)
    return np.asarray(np.unique(members, return_counts=True)[1], dtype=np.int64)


def _layers(timeline: Timeline, joint: bool) -> Iterator[Lines]:
    """The degrees known to the attacker: one layer, or one for each direction."""
    outward = timeline.times * np.int64(timeline.n) + timeline.sources
    inward = timeline.times * np.int64(timeline.n) + timeline.targets
    if not timeline.directed:
        yield _counted(timeline.n, np.concatenate([outward, inward]))
    elif joint:
        yield _paired(timeline.n, outward, inward)
    else:
        yield _counted(timeline.n, outward)
        yield _counted(timeline.n, inward)


def _counted(n: int, cells: Whole) -> Lines:
    found, counts = np.unique(cells, return_counts=True)
    return Lines(found // n, found % n, counts.astype(np.int64))


def _paired(n: int, outward: Whole, inward: Whole) -> Lines:
    found, places = np.unique(np.concatenate([outward, inward]), return_inverse=True)
    sent = np.bincount(places[: len(outward)], minlength=len(found)).astype(np.int64)
    received = np.bincount(places[len(outward) :], minlength=len(found)).astype(np.int64)
    return Lines(found // n, found % n, sent * (received.max(initial=0) + 1) + received)


def _fewest_nodes(lines: Lines, timeline: Timeline) -> int:
    """The fewest nodes that share a degree in one snapshot, those without edges included."""
    look()
    order = np.lexsort((lines.values, lines.times))
    times, values = lines.times[order], lines.values[order]
    begins = np.flatnonzero((np.diff(times, prepend=-1) != 0) | (np.diff(values, prepend=-1) != 0))
    sizes = np.diff(begins, append=len(times))
    idle = timeline.n - np.bincount(lines.times, minlength=timeline.length)
    return int(min(sizes.min(initial=timeline.n), idle[idle > 0].min(initial=timeline.n)))


def _fewest_snapshots(lines: Lines, timeline: Timeline, by_node: bool) -> int:
    """The fewest snapshots that share a degree sequence, node by node or as a multiset."""
    bounds = np.searchsorted(lines.times, np.arange(timeline.length + 1))
    seen: Counter[tuple[bytes, bytes]] = Counter()
    for start, stop in pairwise(bounds):
        look()
        nodes, values = lines.nodes[start:stop], lines.values[start:stop]
        seen[(nodes.tobytes(), values.tobytes()) if by_node else (b"", np.sort(values).tobytes())] += 1
    return min(seen.values())
