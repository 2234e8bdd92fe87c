"""verify a temporal graph: read every artifact as one timeline, look for faults of form, verify every guarantee.

A guarantee of graphs must hold in every snapshot; its figure in the aggregate of all snapshots is also reported and
decides nothing. A guarantee of tables is about the nodes' attributes.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.evidence.release_parts import (
    count_nodes,
    describe_table,
    disagreements,
    foreign_parts,
    node_table_faults,
    read_tables,
    table_flaw,
)
from verifier.evidence.unchanged import find_unchanged_attributes
from verifier.evidence.unchanged_nodes import count_exposed_over_time, find_unchanged_nodes
from verifier.judges import find
from verifier.readers.cells import Cells
from verifier.readers.columns import expected_columns
from verifier.readers.forms import edge_column_faults
from verifier.readers.graphs import read_graph
from verifier.readers.networks import Network, covers, node_numbers
from verifier.readers.policies import OVER_CLASSES
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.temporal.degrees import find_degree_trajectory, find_temporal_k_degree, trajectory_sizes
from verifier.temporal.pairs import find_temporal_edge_local_dp
from verifier.verdict.arrays import distinct
from verifier.verdict.verdict import Artifact, Finding, Missing, Unreadable, Verdict
from verifier.verdict.watch import look

SNAPSHOT, FIRST, LAST, BEGIN = "snapshot", "first", "last", "begin"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,11})", re.ASCII)
_MOMENT = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z", re.ASCII)
_OF_NODES = (*OVER_CLASSES, "local_differential_privacy")
_OF_SNAPSHOTS = (
    "k_degree_anonymity",
    "k_candidate_anonymity",
    "neighborhood_twins",
    "k_automorphism",
    "kl_anonymity",
    "k_neighborhood_anonymity",
)
_IN_ONE_SNAPSHOT = "in one snapshot, and the attacker follows nobody over time"
_LONG = ("kl_anonymity", "k_neighborhood_anonymity")
_MOST_CELLS = 2**63 - 1
"""Most pairs of nodes in all snapshots, joined or not: each has a number."""
_MOST_AGGREGATE_EDGES = 5_000
"""Most edges of an aggregate for which slow guarantees are computed; the result decides nothing."""


@dataclass(frozen=True)
class _Listed:
    """The content of one artifact: its edges in its order, and the first and last snapshot of each."""

    network: Network
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def verify_temporal(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], sealed_map: Mapping[str, Any] | None, directed: bool
) -> Verdict:
    """Verify a released temporal graph by its bytes; see `verifier.verify`."""
    faults = foreign_parts(artifacts, ("graph", "nodes", "snapshots"))
    tables, unreadable = read_tables([artifact for artifact in artifacts if artifact.part == "nodes"])
    windows, unreadable_windows = read_tables([artifact for artifact in artifacts if artifact.part == "snapshots"])
    listed, unreadable_graphs = _read_listed([artifact for artifact in artifacts if artifact.part == "graph"], directed)
    networks = [each.network for each in listed]
    n, form = count_nodes(tables, networks)
    length, window_faults = _count_snapshots(windows)
    form += window_faults
    timeline, edge_faults = _timeline(listed, n, length, directed) if not form else (None, [])
    form += edge_faults + ([] if listed else [Missing("no graph")])
    tables += [network.attributes for network in networks if network.attributes is not None]
    unreadable += unreadable_windows + unreadable_graphs
    faults += unreadable + form + node_table_faults(tables, policy) + edge_column_faults(networks, policy)
    faults += _edge_name_faults(networks, policy)
    of_nodes = Evidence(policy, tables, table_flaw(tables, unreadable), directed=directed, sealed_map=sealed_map)
    flaw = _flaw(unreadable, form)
    evidence = TemporalEvidence(policy, flaw=flaw, sealed_map=sealed_map)
    if timeline is not None:
        evidence = replace(evidence, timeline=timeline)
    findings = tuple(_find(guarantee, evidence, of_nodes) for guarantee in policy.get("guarantees") or ())
    outcome = () if faults else (find_unchanged_attributes(of_nodes), _unchanged_nodes(evidence))
    describe = {} if flaw else _describe(evidence.timeline, of_nodes)
    return Verdict(findings, tuple(faults), describe, tuple(found for found in outcome if found is not None))


def _unchanged_nodes(evidence: TemporalEvidence) -> Finding | None:
    """The share of nodes that are joined as in the original and alone, in one snapshot or in all."""
    known, timeline = (evidence.sealed_map or {}).get("original_edges"), evidence.timeline
    if not known:
        return None
    exposed = count_exposed_over_time(known, timeline.n, list(timeline.pairs()), timeline.directed)
    return find_unchanged_nodes(evidence.policy, exposed, timeline.n)


def _flaw(unreadable: Sequence[str], form: Sequence[str]) -> str:
    if unreadable:
        return "an artifact could not be read"
    if form and all(isinstance(fault, Missing) for fault in form):
        return Missing("the graph, the list of the nodes or that of the snapshots is missing")
    return "the artifacts do not show one sequence of simple graphs over 0…n-1" if form else ""


# --- reading ---------------------------------------------------------------------------------------------------------


def _read_listed(artifacts: Iterable[Artifact], directed: bool) -> tuple[list[_Listed], list[str]]:
    listed, faults = [], []
    for artifact in artifacts:
        look()
        try:
            listed.append(_read(artifact, directed))
        except Unreadable as problem:
            faults.append(f"{artifact.format} {artifact.part}: {problem}")
    return listed, faults


def _read(artifact: Artifact, directed: bool) -> _Listed:
    if artifact.format not in ("csv", "graphml", "node-link"):
        raise Unreadable("not a format of temporal graphs")
    form = "edgelist" if artifact.format == "csv" else artifact.format
    network = read_graph(Artifact(form, "graph", artifact.content), directed, with_columns=True, repeated=True)
    names = (FIRST, LAST) if artifact.format == "graphml" else (SNAPSHOT, SNAPSHOT)
    if network.edges is None:
        if len(network.sources):
            raise Unreadable("edges without times")
        return _Listed(network, *(np.empty(0, np.int64),) * 2)
    if not set(names) <= set(network.edges.names):
        raise Unreadable("edges without times")
    if artifact.format == "csv" and network.edges.names[0] != SNAPSHOT:
        raise Unreadable("the header does not begin with source,target,snapshot")
    first, last = (node_numbers(network.edges.column(name)) for name in names)
    return _Listed(replace(network, edges=_without(network.edges, names)), first, last)


def _without(cells: Cells, names: Sequence[str]) -> Cells | None:
    """The columns of edges except these; None if none is left."""
    kept = [place for place, name in enumerate(cells.names) if name not in names]
    if not kept:
        return None
    columns = tuple(cells.columns[place] for place in kept)
    return Cells(cells.format, cells.part, tuple(cells.names[place] for place in kept), columns, cells.rows)


def _count_snapshots(windows: Sequence[Cells]) -> tuple[int, list[str]]:
    """The number of snapshots, from the tables of snapshots: edges alone cannot show empty ones."""
    if not windows:
        return 0, [Missing("no table of snapshots")]
    faults = [fault for cells in windows for fault in _window_faults(cells)]
    return windows[0].rows, faults or disagreements(windows, True)


def _window_faults(cells: Cells) -> list[str]:
    if cells.names != (SNAPSHOT, BEGIN):
        return [f"{cells.label}: the columns are not {SNAPSHOT} and {BEGIN}"]
    numbers = node_numbers(cells.column(SNAPSHOT))
    if not cells.rows or not covers(numbers, cells.rows) or (np.diff(numbers) != 1).any():
        return [f"{cells.label}: the snapshots are not 0…n-1, in order"]
    column = cells.column(BEGIN)
    texts = [column.texts[code] for code in column.codes]
    if all(map(_MOMENT.fullmatch, texts)):
        ordered = sorted(set(texts)) == texts
    elif all(map(_NUMBER.fullmatch, texts)):
        ordered = sorted({int(text) for text in texts}) == [int(text) for text in texts]
    else:
        return [f"{cells.label}: a window begins with something that is no moment and no number"]
    return [] if ordered else [f"{cells.label}: windows that do not follow each other"]


def _timeline(listed: Sequence[_Listed], n: int, length: int, directed: bool) -> tuple[Timeline | None, list[str]]:
    """The timeline that all artifacts show, or why they do not show the same one."""
    if n * n * length > _MOST_CELLS:
        return None, ["more pairs of nodes in all snapshots than can be distinguished"]
    keys, faults = [], []
    for each in listed:
        faults += _edge_faults(each, n, length)
        if not faults:
            keys.append(_keys(each, n, directed))
            if (np.diff(keys[-1]) == 0).any():
                faults.append(f"{each.network.label}: a repeated edge")
    if faults or not keys:
        return None, faults
    if not all(np.array_equal(keys[0], other) for other in keys[1:]):
        return None, ["the artifacts show different edges"]
    times, pairs = keys[0] // np.int64(n * n), keys[0] % np.int64(n * n)
    return Timeline(n, length, directed, pairs // np.int64(n), pairs % np.int64(n), times), []


def _edge_faults(listed: _Listed, n: int, length: int) -> list[str]:
    network, label = listed.network, listed.network.label
    ends = np.concatenate([network.sources, network.targets])
    if ends.size and not (ends.min() >= 0 and ends.max() < n):
        return [f"{label}: an end point is not among the nodes"]
    if ends.size and not (
        listed.first.min() >= 0 and (listed.first <= listed.last).all() and listed.last.max() < length
    ):
        return [f"{label}: an edge at a time that is not among the snapshots"]
    return [f"{label}: a self-loop"] if (network.sources == network.targets).any() else []


def _keys(listed: _Listed, n: int, directed: bool) -> NDArray[np.int64]:
    """One number for every edge of every snapshot, sorted."""
    first, second = listed.network.sources, listed.network.targets
    if not directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    spans = listed.last - listed.first + 1
    offsets = np.arange(spans.sum()) - np.repeat(np.cumsum(spans) - spans, spans)
    times = np.repeat(listed.first, spans) + offsets
    return np.sort((times * np.int64(n) + np.repeat(first, spans)) * np.int64(n) + np.repeat(second, spans))


def _edge_name_faults(networks: Sequence[Network], policy: Mapping[str, Any]) -> list[str]:
    """Edges have only ends and times, unless the policy keeps or perturbs their attributes."""
    if policy.get("edge_attributes") in ("keep", "noise"):
        return []
    said = [network for network in networks if network.edges is not None]
    return [f"{network.label}: an edge with something beside its end points and times" for network in said]


# --- judging ---------------------------------------------------------------------------------------------------------


def _find(guarantee: Mapping[str, Any], evidence: TemporalEvidence, of_nodes: Evidence) -> Finding:
    """Verify one guarantee; a model without a verifier never holds."""
    look()
    model = str(guarantee.get("model"))
    if model in _JUDGES:
        return _JUDGES[model](guarantee, evidence)
    if model in _OF_NODES:
        return find(guarantee, of_nodes)
    if model in _OF_SNAPSHOTS:
        return _find_in_each(guarantee, evidence)
    required = {name: value for name, value in guarantee.items() if name != "model"}
    return Finding(model, required, {}, False, "bytes", "", "no verifier")


def _find_in_each(guarantee: Mapping[str, Any], evidence: TemporalEvidence) -> Finding:
    """Verify a guarantee of graphs in every snapshot; the worst one decides. The aggregate is reported too.

    It holds against an attacker who knows one snapshot: a node that is one of k in each may be the only one in all.
    """
    timeline = evidence.timeline
    if evidence.flaw or not timeline.length:
        return find(guarantee, Evidence(evidence.policy, graph_flaw=evidence.flaw or "there is no snapshot"))
    worst, place = None, 0
    for t, (sources, targets) in enumerate(timeline.pairs()):
        finding = find(guarantee, _as_graph(evidence, sources, targets, _known_of(evidence.sealed_map, t)))
        if worst is None or _rank(finding) < _rank(worst):
            worst, place = finding, t
    assert worst is not None
    beside = {"snapshot": place, "aggregate": _aggregate(guarantee, evidence)}
    detail = worst.detail and type(worst.detail)(f"snapshot {place}: {worst.detail}")
    achieved = {**worst.achieved, **beside} if worst.achieved else {}
    return replace(worst, achieved=achieved, assumes=f"{_IN_ONE_SNAPSHOT}: {worst.assumes}", detail=detail)


def _rank(finding: Finding) -> tuple[bool, list[float]]:
    """Sort key of findings, worst first: those that do not hold, then by achieved figure."""
    reached = [float(value) for value in finding.achieved.values() if isinstance(value, int | float)]
    return finding.holds, reached


def _known_of(sealed_map: Mapping[str, Any] | None, t: int) -> Mapping[str, Any]:
    """The sealed information about one snapshot: its symmetries."""
    found = (sealed_map or {}).get("automorphisms") or ()
    return {"automorphisms": found[t]} if t < len(found) and found[t] is not None else {}


def _as_graph(
    evidence: TemporalEvidence, sources: NDArray[np.int64], targets: NDArray[np.int64], known: Mapping[str, Any]
) -> Evidence:
    """One snapshot, or the aggregate, as a separate graph."""
    network = Network("timeline", None, sources, targets)
    timeline = evidence.timeline
    return Evidence(evidence.policy, (), "", [network], timeline.n, "", timeline.directed, known)


def _aggregate(guarantee: Mapping[str, Any], evidence: TemporalEvidence) -> dict[str, Any] | None:
    """The figure of the guarantee for the pairs that are joined at any time; None if that would take too long."""
    timeline = evidence.timeline
    pairs = distinct(timeline.sources * np.int64(timeline.n) + timeline.targets)
    if guarantee.get("model") in _LONG and len(pairs) > _MOST_AGGREGATE_EDGES:
        return None
    look()
    whole = _as_graph(evidence, pairs // np.int64(timeline.n), pairs % np.int64(timeline.n), {})
    return dict(find(guarantee, whole).achieved)


_JUDGES: dict[str, Callable[[Mapping[str, Any], TemporalEvidence], Finding]] = {
    "temporal_k_degree_anonymity": find_temporal_k_degree,
    "degree_trajectory_anonymity": find_degree_trajectory,
    "edge_local_dp": find_temporal_edge_local_dp,
}


def _describe(timeline: Timeline, of_nodes: Evidence) -> dict[str, Any]:
    edges = np.diff(timeline.starts)
    sizes = trajectory_sizes(timeline)
    description: dict[str, Any] = {
        "nodes": timeline.n,
        "edges": len(timeline.times),
        "snapshots": timeline.length,
        "empty_snapshots": int((edges == 0).sum()),
        "edges_by_snapshot": edges.tolist(),
        "smallest_trajectory": int(sizes.min()) if sizes.size else 0,
        # The share of nodes that anyone who knows their degrees at all times tells from all others.
        "unique_trajectories": int((sizes == 1).sum()) / max(timeline.n, 1),
    }
    if of_nodes.tables and expected_columns(of_nodes.policy):
        description["node_classes"] = describe_table(of_nodes)
    return description
