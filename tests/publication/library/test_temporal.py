"""Temporal graphs in memory: read like files, protected, verified and returned."""

import datetime
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import antifaz
from antifaz import InvalidDataset, TemporalGraph

POLICY: dict[str, Any] = {
    "kind": "temporal_graph",
    "guarantees": [{"model": "temporal_k_degree_anonymity", "k": 2}],
    "method": {"name": "temporal_k_degree"},
}


def contacts(n: int = 24, days: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    ends = rng.integers(0, n, (2, 40 * days))
    moments = pd.Timestamp("2026-03-02") + pd.to_timedelta(rng.integers(0, 24 * days, 40 * days), "h")
    return pd.DataFrame(
        {"source": ends[0], "target": ends[1], "time": moments, "minutes": rng.integers(1, 9, 40 * days)}
    )


def edges_of(graph: TemporalGraph) -> set[tuple[frozenset[str], int]]:
    return {(frozenset((str(u), str(v))), t) for u, v, t in graph.to_networkx().edges(keys=True)}


def test_frames_arrays_and_networks_with_the_same_contacts_are_the_same_temporal_graph():
    frame = contacts()
    network = nx.MultiGraph()
    for row in frame.itertuples():
        network.add_edge(row.source, row.target, time=row.time.to_pydatetime())
    by_frame = TemporalGraph.from_pandas(frame, window="day")
    by_arrays = TemporalGraph.from_arrays(frame["source"], frame["target"], frame["time"].to_numpy(), window="day")
    by_network = TemporalGraph.from_networkx(network, window="day")
    assert edges_of(by_frame) == edges_of(by_arrays) == edges_of(by_network)
    assert list(by_frame.snapshots) == [f"2026-03-0{day}T00:00:00Z" for day in (2, 3, 4, 5)]
    assert by_frame.self_loops == by_network.self_loops == int((frame["source"] == frame["target"]).sum())
    assert by_frame.repeated == by_network.repeated
    assert len(by_frame) == frame[["source", "target"]].stack().nunique()


def test_a_temporal_graph_comes_out_protected_verified_and_assessed():
    graph = TemporalGraph.from_pandas(contacts(), window="day")
    release = antifaz.protect(graph, POLICY, np.random.default_rng(3))
    assert antifaz.verify(release).holds
    network = release.to_networkx()
    assert network.is_multigraph()
    assert list(network.graph["snapshots"]) == list(graph.snapshots)
    assert sorted(network.nodes) == list(range(len(graph)))
    degrees = [
        tuple(sorted(dict(network.edge_subgraph([e for e in network.edges(keys=True) if e[2] == t]).degree).values()))
        for t in range(4)
    ]
    assert min(degrees.count(each) for each in degrees) >= 2
    assert antifaz.assess(release, np.random.default_rng(3)).utility["edge_jaccard"]
    assert len(release.to_pandas()) == len(graph)


def test_attributes_of_nodes_and_edges_come_along():
    nodes = pd.DataFrame({"id": range(30), "town": ["Vic", "Olot", "Girona"] * 10})
    graph = TemporalGraph.from_pandas(contacts(), window="day", nodes=nodes, directed=True)
    assert graph.columns == ["town"]
    assert len(graph) == 30
    kept = {
        **POLICY,
        "attributes": {"town": {"role": "insensitive"}},
        "guarantees": [{"model": "degree_trajectory_anonymity", "k": 2}],
        "method": {"name": "temporal_k_degree", "target": "trajectory"},
    }
    release = antifaz.protect(graph, kept, np.random.default_rng(3))
    network = release.to_networkx()
    assert network.is_directed()
    assert sorted(town for _, town in network.nodes(data="town")) == ["Girona"] * 10 + ["Olot"] * 10 + ["Vic"] * 10
    assert sorted(release.to_pandas()["town"]) == sorted(nodes["town"])


def test_a_network_keeps_its_lonely_nodes_and_the_attributes_of_all():
    network = nx.DiGraph()
    network.add_node("lonely", age=50)
    network.add_edge("a", "b", time=1, weight=2.5)
    network.add_edge("b", "a", time=2, weight=1.5)
    graph = TemporalGraph.from_networkx(network)
    assert (len(graph), graph.columns, list(graph.snapshots)) == (3, ["age"], ["1", "2"])
    assert sorted(graph.to_networkx().edges(keys=True)) == [("a", "b", 0), ("b", "a", 1)]
    assert [edge.name for edge in graph.dataset.edges] == ["weight"]


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (lambda: TemporalGraph.from_arrays(["a"], ["b"], ["secret"]), None),
        (lambda: TemporalGraph.from_arrays(["a"], ["b", "c"], [1, 2]), "ragged"),
        (lambda: TemporalGraph.from_arrays([], [], []), "no_records"),
        (lambda: TemporalGraph.from_networkx(nx.Graph([("secret", "b")])), "no_time"),
        (lambda: TemporalGraph.from_networkx(nx.Graph([("a", "b", {"time": 1, "x": ["secret"]})])), "nested"),
        (lambda: TemporalGraph.from_pandas(pd.DataFrame({"source": [1], "target": [2]})), "missing_column"),
    ],
)
def test_what_is_no_temporal_graph_is_refused_without_a_value(wrong, rule):
    with pytest.raises(InvalidDataset) as refusal:
        wrong()
    assert "secret" not in str(refusal.value)
    assert rule is None or refusal.value.rule == rule


def test_days_are_those_of_utc():
    east = datetime.timezone(datetime.timedelta(hours=2))
    graph = TemporalGraph.from_arrays(["a"], ["b"], [datetime.datetime(2026, 3, 2, 1, tzinfo=east)], window="day")
    assert list(graph.snapshots) == ["2026-03-01T00:00:00Z"]


def test_weights_of_contacts_are_noised_by_snapshot_and_labels_are_dropped():
    # Weights tell pair and day apart: 100 by day, and a step of ten from pair to pair.
    pairs = [(f"n{u}", f"n{u + 1}") for u in range(20)]
    rows = [(u, v, day, 1000 * day + 10 * place, "met") for day in (1, 2) for place, (u, v) in enumerate(pairs)]
    frame = pd.DataFrame(rows, columns=["source", "target", "time", "weight", "label"])
    graph = TemporalGraph.from_pandas(frame)
    noised = {**POLICY, "edge_attributes": "noise", "formats": ["csv"]}
    noised["guarantees"] = [{"model": "k_degree_anonymity", "k": 2}]
    noised["method"] = {"name": "k_degree", "effort": "fast"}
    release = antifaz.protect(graph, noised, np.random.default_rng(3))
    assert antifaz.verify(release).holds
    edges = list(release.to_networkx().edges(keys=True, data=True))
    assert {name for *_, about in edges for name in about} == {"weight", "snapshot"}
    original = {day: {1000 * (day + 1) + 10 * place for place in range(20)} for day in (0, 1)}
    off = np.array([min(abs(about["weight"] - each) for each in original[day]) for *_, day, about in edges])
    account = release.account["edge_noise"]["weight"]
    assert account["unchanged"] < 0.5
    # An edge that was added has the weight of any other, of either day; the others lie around their own.
    assert (off < 6 * account["deviation"]).mean() > 0.8
    assert len({about["weight"] for *_, about in edges}) > 20
