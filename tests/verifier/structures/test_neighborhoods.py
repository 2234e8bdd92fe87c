"""Isomorphic neighborhoods: hand-made balls, ambiguous orders, renumbered graphs, and the limits."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from verifier import Artifact, verify
from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.networks import Network
from verifier.structures import neighborhoods
from verifier.structures.neighborhoods import smallest_group
from verifier.verdict.verdict import Finding


def judge(network: nx.Graph, k: int, directed: bool = False, **asked: Any) -> Finding:
    ends = np.array(list(network.edges), np.int64).reshape(-1, 2)
    read = Network("edgelist", None, ends[:, 0], ends[:, 1])
    evidence = Evidence({}, networks=[read], n=len(network), graph_flaw="", directed=directed)
    return find({"model": "k_neighborhood_anonymity", "k": k, **asked}, evidence)


def around_a_hub(*rims: nx.Graph) -> nx.Graph:
    """A node that is joined to all nodes of some graphs side by side."""
    rim = nx.disjoint_union_all(rims)
    size = len(rim)
    rim.add_edges_from((size, v) for v in range(size))
    return rim


def test_a_hub_is_alone_with_its_neighborhood() -> None:
    found = judge(nx.wheel_graph(7), 2)
    assert (found.holds, found.achieved) == (False, {"k": 1, "radius": 1})
    assert found.detail == "fewer than k nodes share a neighborhood"
    assert judge(nx.disjoint_union(nx.wheel_graph(7), nx.wheel_graph(7)), 2).holds


def test_a_circle_of_six_is_not_two_triangles() -> None:
    one = around_a_hub(nx.cycle_graph(6))
    other = around_a_hub(nx.cycle_graph(3), nx.cycle_graph(3))
    assert judge(nx.disjoint_union(one, other), 2).achieved["k"] == 1
    assert judge(nx.disjoint_union(other, other), 2).achieved["k"] == 2


@pytest.mark.parametrize("seed", range(6))
def test_circles_in_any_order_are_recognized(seed: int) -> None:
    """Refinement sees one color on the rim, and to set a node of a short or a long circle apart differs."""
    one = around_a_hub(nx.cycle_graph(3), nx.cycle_graph(4), nx.cycle_graph(5))
    names = [*np.random.default_rng(seed).permutation(12).tolist(), 12]
    other = nx.relabel_nodes(one, dict(enumerate(names)))
    assert judge(nx.disjoint_union(one, nx.convert_node_labels_to_integers(other, ordering="sorted")), 2).holds


def test_the_radius_counts() -> None:
    circles = nx.disjoint_union(nx.cycle_graph(6), nx.cycle_graph(4))
    assert judge(circles, 10).achieved["k"] == 10
    assert judge(circles, 4, radius=2).achieved == {"k": 4, "radius": 2}
    assert judge(nx.path_graph(4), 2, radius=50).achieved["k"] == 2


def test_nodes_without_edges_are_alike() -> None:
    assert judge(nx.empty_graph(5), 5).holds
    assert judge(nx.disjoint_union(nx.complete_graph(3), nx.empty_graph(1)), 2).achieved["k"] == 1


@pytest.mark.parametrize("asked", [{"radius": 0}, {"radius": 1.5}, {"radius": True}, {"directed": True}])
def test_questions_without_sense_hold_nothing(asked: dict[str, Any]) -> None:
    found = judge(nx.cycle_graph(6), 2, **asked)
    assert not found.holds
    assert found.achieved == {}


def test_beyond_the_limit_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = around_a_hub(nx.cycle_graph(3), nx.cycle_graph(4), nx.cycle_graph(5))
    twice = nx.disjoint_union(one, nx.relabel_nodes(one, {v: (v + 5) % 12 for v in range(12)}))
    twice = nx.convert_node_labels_to_integers(twice, ordering="sorted")
    monkeypatch.setattr(neighborhoods, "MOST_LINKS", 10)
    found = judge(twice, 2)
    assert (found.holds, found.detail) == (False, "it could not be decided within the limit")
    assert found.achieved["k"] == 0


def test_the_search_for_isomorphisms_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two regular graphs that refinement cannot tell apart: the rook's graph and Shrikhande's.
    rook = nx.convert_node_labels_to_integers(nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    steps = [(0, 1), (1, 0), (1, 1)]
    shrikhande = nx.Graph(
        (4 * a + b, 4 * ((a + x) % 4) + (b + y) % 4) for a in range(4) for b in range(4) for x, y in steps
    )
    hubs = nx.disjoint_union(around_a_hub(rook), around_a_hub(shrikhande))
    assert judge(hubs, 2).achieved["k"] == 1
    monkeypatch.setattr(neighborhoods, "MOST_TRIES", 3)
    found = judge(hubs, 2)
    assert not found.holds


def test_balls_in_parts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    network = nx.disjoint_union(nx.gnm_random_graph(20, 40, seed=3), nx.gnm_random_graph(20, 40, seed=3))
    ends = np.array(list(network.edges), np.int64)
    whole = [smallest_group(40, ends[:, 0], ends[:, 1], radius) for radius in (1, 2)]
    monkeypatch.setattr(neighborhoods, "_BATCH", 60)
    assert [smallest_group(40, ends[:, 0], ends[:, 1], radius) for radius in (1, 2)] == whole
    assert all(smallest >= 2 for smallest, _ in whole)


def labeled(towns: list[str], role: str = "quasi_identifier", **asked: Any) -> Finding:
    """Six nodes in a circle, released with an attribute, as bytes."""
    edges = "".join(f"{node},{(node + 1) % 6}\n" for node in range(6))
    nodes = "".join(f"{node},{town}\n" for node, town in enumerate(towns))
    files = [
        Artifact("edgelist", "graph", f"source,target\n{edges}".encode()),
        Artifact("csv", "nodes", f"node,town\n{nodes}".encode()),
    ]
    guarantee = {"model": "k_neighborhood_anonymity", "k": 2, **asked}
    return verify({"kind": "graph", "attributes": {"town": {"role": role}}, "guarantees": [guarantee]}, files).findings[
        0
    ]


def test_labels_of_neighbors_tell_nodes_apart_only_if_they_are_compared() -> None:
    towns = ["a", "b", "b", "b", "a", "a"]
    assert labeled(towns).achieved == {"k": 6, "radius": 1}
    assert labeled(towns).required["labels"] == "ignored"
    assert "no attribute of them" in labeled(towns).assumes
    found = labeled(towns, labels="compared")
    # By itself and its two neighbors: a|ab, b|ab, b|bb, b|ab, a|ab, a|aa.
    assert (found.holds, found.achieved, found.required["labels"]) == (False, {"k": 1, "radius": 1}, "compared")
    assert found.detail == "fewer than k nodes share a neighborhood"
    assert "their quasi-identifiers" in found.assumes
    assert labeled(["a", "b", "a", "b", "a", "b"], labels="compared").achieved["k"] == 3


def test_what_is_compared_must_be_there_and_be_all_that_is_released() -> None:
    assert labeled(["a"] * 6, labels="some").detail == "labels are neither ignored nor compared"
    other = labeled(["a"] * 6, role="insensitive", labels="compared")
    assert other.detail == "an attribute of the nodes is released that is neither a label nor sensitive"
    assert labeled(["a", "b"] * 3, role="sensitive", labels="compared").achieved["k"] == 6
    assert not judge(nx.cycle_graph(6), 2, labels="compared").detail
    evidence = Evidence({"attributes": {"town": {"role": "quasi_identifier"}}}, n=6, graph_flaw="", flaw="")
    asked = {"model": "k_neighborhood_anonymity", "k": 2, "labels": "compared"}
    assert find(asked, evidence).detail == "there is no table of the nodes' labels"
