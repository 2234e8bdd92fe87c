"""Planted accounts: what is planted, what is found again, and what that reveals; checked by hand."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz.errors import Infeasible, Reason
from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph
from antifaz.graphs.knowledge.subgraph_attack import Plan, attack_by_planting, find, homes, plant
from antifaz.watch import Watch, unwatched
from tests.antifaz.graphs.networks import graph_of, random_graph, renumbered, unchanged

TRIANGLE_AND_TAIL = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]], dtype=np.bool_)
TWO_TIES = np.array([[1, 0, 0, 0], [1, 0, 0, 1]], dtype=np.bool_)
PLAN = Plan(TRIANGLE_AND_TAIL, TWO_TIES)


def plan(people: int, rng: np.random.Generator) -> Plan:
    return Plan(PLAN.joined, PLAN.ties[: min(people, 2)])


def naive(graph: Graph, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
    names = rng.permutation(graph.n)
    return ProtectedGraph(graph.relabeled(names), np.argsort(names))


def attack(graph: Graph, again: Any, runs: int = 5) -> dict[str, Any]:
    released = ProtectedGraph(graph, np.arange(graph.n), again=again)
    return attack_by_planting(plan, runs, graph, released, np.random.default_rng(0), unwatched)


def test_accounts_are_joined_as_planned_and_the_rest_stays_as_it_was() -> None:
    ring = graph_of(nx.cycle_graph(5))
    copy, accounts = plant(ring, PLAN, np.array([2, 4]), np.random.default_rng(0))
    assert accounts.tolist() == [5, 6, 7, 8]
    edges = set(zip(copy.sources.tolist(), copy.targets.tolist(), strict=True))
    old = set(zip(ring.sources.tolist(), ring.targets.tolist(), strict=True))
    assert edges - old == {(5, 6), (5, 7), (6, 7), (7, 8), (2, 5), (4, 5), (4, 8)}
    assert old < edges


def test_accounts_have_attributes_that_others_have() -> None:
    ring = graph_of(nx.cycle_graph(5))
    town = NodeAttribute("town", "quasi_identifier", np.array([3, 3, 4, 4, 4]), 9)
    copy, _ = plant(Graph(5, ring.keys, attributes=(town,)), PLAN, np.array([2, 4]), np.random.default_rng(0))
    codes = copy.attributes[0].codes
    assert codes[:5].tolist() == [3, 3, 4, 4, 4]
    assert len(codes) == 9
    assert set(codes[5:].tolist()) <= {3, 4}


def test_the_accounts_are_found_where_they_are() -> None:
    copy, accounts = plant(graph_of(nx.complete_graph(9)), PLAN, np.array([2, 4]), np.random.default_rng(0))
    released = renumbered(copy, seed=3)
    places = find(PLAN, copy, accounts, released.graph)
    assert released.origin[places].tolist() == accounts.tolist()


def test_accounts_that_could_be_exchanged_are_not_settled_and_the_others_are() -> None:
    # Without ties the first two of the triangle look alike; the third and the tail do not.
    loose = Plan(TRIANGLE_AND_TAIL, TWO_TIES[:0])
    copy, accounts = plant(graph_of(nx.complete_graph(9)), loose, np.zeros(0, np.int64), np.random.default_rng(0))
    places = find(loose, copy, accounts, copy)
    assert places.tolist() == [-1, -1, accounts[2], accounts[3]]


def test_a_pattern_that_is_everywhere_is_not_found() -> None:
    # Planted next to many copies of itself, without ties, nothing distinguishes the accounts.
    pieces = nx.disjoint_union_all([nx.from_numpy_array(TRIANGLE_AND_TAIL.astype(int))] * 60)
    loose = Plan(TRIANGLE_AND_TAIL, TWO_TIES[:0])
    copy, accounts = plant(graph_of(pieces), loose, np.zeros(0, np.int64), np.random.default_rng(0))
    assert find(loose, copy, accounts, copy).tolist() == [-1, -1, -1, -1]


def test_a_renumbered_copy_gives_every_target_away() -> None:
    found = attack(graph_of(nx.complete_graph(12)), naive)
    assert found["rate"] == found["found"] == 1.0
    assert found["mistaken"] == found["refused"] == 0
    assert found["baseline"] == pytest.approx(1 / 12)


def test_a_copy_without_its_edges_gives_nobody_away() -> None:
    def emptied(graph: Graph, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
        return unchanged(Graph(graph.n, graph.keys[:0]))

    assert attack(random_graph(40, 100), emptied)["rate"] == 0.0


def test_a_target_whose_ties_another_got_is_mistaken() -> None:
    def exchanged(graph: Graph, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
        # The accounts stay, and every other node has the place of the next one.
        people = graph.n - 4
        return ProtectedGraph(graph, np.append((np.arange(people) + 1) % people, people + np.arange(4)))

    found = attack(graph_of(nx.complete_graph(12)), exchanged)
    assert found["rate"] == 0.0
    assert found["mistaken"] == found["found"] == 1.0


def test_a_copy_that_the_policy_would_refuse_gives_nobody_away() -> None:
    def refuse(graph: Graph, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
        raise Infeasible([Reason("k_degree_anonymity")])

    found = attack(random_graph(40, 100), refuse)
    assert found["rate"] == 0.0
    assert found["refused"] == found["runs"] == 5


def test_without_a_second_protection_nothing_is_claimed() -> None:
    found = attack(random_graph(40, 100), None)
    assert found["rate"] is None
    assert "protected again" in found["not_run"]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_graph_of_hardly_anybody_can_be_attacked(n: int) -> None:
    assert 0.0 <= attack(graph_of(nx.empty_graph(n)), naive)["rate"] <= 1.0


def test_homes_of_nodes_that_are_not_released_are_nowhere() -> None:
    released = ProtectedGraph(graph_of(nx.empty_graph(3)), np.array([3, -1, 0]))
    assert homes(graph_of(nx.empty_graph(4)), released).tolist() == [2, -1, -1, 0]
