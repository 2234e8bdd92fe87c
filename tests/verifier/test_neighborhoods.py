"""Isomorphic neighborhoods: hand-made balls, orders that do not tell, renumbered graphs, and the limits."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from verifier import neighborhoods
from verifier.findings import Evidence, find
from verifier.neighborhoods import smallest_group
from verifier.networks import Network
from verifier.verdict import Finding


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
    assert found.detail == "a neighborhood is that of fewer than k nodes"
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
