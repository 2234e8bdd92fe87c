"""Protect, for graphs: weights of edges, attributes of nodes, and labels that are compared."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.analysis import centrality
from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.betweenness_centrality import BetweennessCentrality
from antifaz.kinds import kind_named
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.watch import unwatched
from tests.antifaz.protection_samples import cells_of, encoded, graph_policy
from tests.oracles import definitions as by

# Weights and labels of edges


def weighted_ring(n: int = 30) -> Dataset:
    """A circle with a chord: the edge from v to the next has the weight v + 0.5."""
    graph = Graph.from_pairs(n, np.append(np.arange(n), 0), np.append((np.arange(n) + 1) % n, n // 2))
    weights = [f"{u}.5" if v == u + 1 else "99.5" for u, v in zip(graph.sources, graph.targets, strict=True)]
    kinds = ["kin" if v == u + 1 else "work" for u, v in zip(graph.sources, graph.targets, strict=True)]
    return GraphDataset((), n, graph=graph, edges=(encoded("weight", weights), encoded("kind", kinds)))


def released_weights(protected: Any) -> dict[tuple[int, int], float]:
    graph, column = protected.graph.graph, protected.edges[0]
    ends = protected.graph.origin[graph.sources], protected.graph.origin[graph.targets]
    pairs = zip(np.minimum(*ends).tolist(), np.maximum(*ends).tolist(), strict=True)
    return dict(zip(pairs, map(float, cells_of(column)), strict=True))


UNIQUE_WEIGHTS = [{"rule": "free_text", "reason": "weights by which the test tells the edges"}]


def test_edges_keep_their_weights_and_labels_where_the_policy_says_so() -> None:
    policy = graph_policy(edge_attributes="keep", waivers=UNIQUE_WEIGHTS)
    checked = check(weighted_ring(), policy)
    protected = protect(checked, policy, np.random.default_rng(5))
    assert [column.name for column in protected.edges] == ["weight", "kind"]
    weights = released_weights(protected)
    kept = [pair for pair in weights if pair[1] == pair[0] + 1]
    assert len(kept) >= 20
    assert all(weights[pair] == pair[0] + 0.5 for pair in kept)


def test_an_added_edge_has_the_weight_of_another() -> None:
    policy = graph_policy(edge_attributes="keep", waivers=UNIQUE_WEIGHTS)
    protected = protect(check(weighted_ring(), policy), policy, np.random.default_rng(5))
    known = {float(value) for value in weighted_ring().edges[0].values}
    assert set(released_weights(protected).values()) <= known


def test_noised_weights_are_numbers_near_the_true_ones_and_labels_are_dropped() -> None:
    policy = graph_policy(edge_attributes="noise")
    protected = protect(check(weighted_ring(), policy), policy, np.random.default_rng(5))
    assert [column.name for column in protected.edges] == ["weight"]
    weights = released_weights(protected)
    off = np.array([weight - pair[0] - 0.5 for pair, weight in weights.items() if pair[1] == pair[0] + 1])
    # A tenth of the weights' deviation is 1.7 steps, so rounding takes 23 % of the noise away. Noise narrower than a
    # step would lose all but 7 %.
    assert (off != 0).mean() > 0.5
    assert np.abs(off).max() < 20


def test_dropped_weights_are_nowhere() -> None:
    policy = graph_policy()
    assert protect(check(weighted_ring(), policy), policy, np.random.default_rng(5)).edges == ()


def test_labels_of_edges_that_are_mostly_unique_need_a_waiver() -> None:
    dataset = weighted_ring()
    unique = encoded("note", [f"met at {place}" for place in range(dataset.graph.m if dataset.graph else 0)])
    dataset = replace(dataset, edges=(unique,))
    with pytest.raises(InvalidDataset) as caught:
        check(dataset, graph_policy(edge_attributes="keep"))
    assert (caught.value.rule, caught.value.column) == ("free_text", "note")
    waiver = [{"rule": "free_text", "reason": "places are public"}]
    assert check(dataset, graph_policy(edge_attributes="keep", waivers=waiver)).edges


def test_what_supernodes_say_of_attributes_is_explained_node_by_node() -> None:
    ring = weighted_ring()
    towns = encoded("town", ["north" if node < 16 else "south" for node in range(ring.n)])
    policy = parse_policy(
        {
            "kind": "graph",
            "attributes": {"town": {"role": "quasi_identifier"}},
            "guarantees": [{"model": "supernode_size", "k": 4}],
            "method": {"name": "sangreea"},
        }
    )
    checked = check(replace(ring, columns=(towns,)), policy)
    protected = protect(checked, policy, np.random.default_rng(2))
    told = kind_named(policy.kind).explain(checked, protected, policy)
    assert told["suppressed"]["method"] == 0
    assert [attribute["name"] for attribute in told["attributes"]] == ["town"]
    assert protected.nodes is not None
    assert [column.name for column in protected.nodes.columns] == ["size", "edges", "town"]


def circle_of(n: int, **columns: list[str]) -> GraphDataset:
    ends = np.arange(n)
    extra = np.arange(0, n, 3)
    graph = Graph.from_pairs(n, np.concatenate([ends, extra]), np.concatenate([(ends + 1) % n, (extra + 5) % n]))
    return GraphDataset(tuple(encoded(name, cells) for name, cells in columns.items()), n, graph=graph)


@pytest.mark.parametrize("columns", [{}, {"town": [f"t{i % 5}" for i in range(30)]}])
def test_policies_tried_on_one_graph_find_out_about_it_once(columns, monkeypatch):
    searched = []
    search = centrality.search

    def counted(graph: Graph, *given: Any) -> Any:
        searched.append(graph)
        return search(graph, *given)

    monkeypatch.setattr(centrality, "search", counted)
    dataset, rng = circle_of(30, **columns), np.random.default_rng(4)
    roles = ("insensitive", "identifier", "insensitive")
    released = []
    for role in roles:
        policy = graph_policy(attributes={name: {"role": role} for name in columns})
        checked = check(dataset, policy)
        released.append(protect(checked, policy, rng))
        BetweennessCentrality().measure(checked.graph, released[-1].graph, rng, unwatched)
    # Once the original, and every release.
    assert [graph.n for graph in searched] == [30] * (1 + len(roles))
    assert len({id(each.graph.graph.found) for each in released} | {id(checked.graph.found)}) == 1 + len(roles)


def test_made_up_nodes_go_with_attributes_that_are_all_identifiers():
    policy = parse_policy(
        {
            "kind": "graph",
            "attributes": {"name": {"role": "identifier"}, "id": {"role": "identifier"}},
            "guarantees": [{"model": "k_automorphism", "k": 2}],
            "method": {"name": "k_automorphism", "effort": "fast"},
        }
    )
    names = [f"p{i}" for i in range(15)]
    released = protect(check(circle_of(15, name=names, id=names), policy), policy, np.random.default_rng(0))
    assert released.graph.graph.n == 16
    assert released.columns == ()


def labeled_policy(k: int, labels: str, **changes: Any) -> Any:
    guarantees = [{"model": "k_neighborhood_anonymity", "k": k, "labels": labels}]
    return parse_policy(
        {
            "kind": "graph",
            "attributes": {"town": {"role": "quasi_identifier"}, "illness": {"role": "sensitive"}},
            "guarantees": guarantees + ([{"model": "k_anonymity", "k": k}] if labels == "ignored" else []),
            "method": {"name": "k_neighborhood", "effort": "fast"},
            **changes,
        }
    )


@pytest.mark.parametrize("n", [24, 25])
def test_neighborhoods_with_labels_are_alike_node_by_node(n):
    rng = np.random.default_rng(5)
    towns = [f"t{t}" for t in rng.integers(0, 4, n)]
    dataset = circle_of(n, town=towns, illness=[f"i{t}" for t in rng.integers(0, 3, n)])
    compared, ignored = labeled_policy(3, "compared"), labeled_policy(3, "ignored")
    released = protect(check(dataset, compared), compared, np.random.default_rng(1))
    assert neighborhoods_of(released) >= 3
    assert {column.name for column in released.columns} == {"town", "illness"}
    separate = protect(check(dataset, ignored), ignored, np.random.default_rng(1))
    assert neighborhoods_of(separate) < 3, "classes of the table alone are no labels of neighborhoods"


def neighborhoods_of(released: Any) -> int:
    graph = released.graph.graph
    town = next(column for column in released.columns if column.name == "town")
    return by.neighborhood_k(
        graph.n, list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)), 1, town.codes.tolist()
    )


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"method": {"name": "k_automorphism", "remainder": "isolated"}}, "/guarantees/0/labels"),
        ({"node_method": {"name": "mondrian"}}, "/node_method"),
        ({"attributes": {"town": {"role": "insensitive"}}}, "/attributes/town/role"),
    ],
)
def test_labels_are_compared_only_where_they_are_made_alike(changes, pointer):
    with pytest.raises(InvalidPolicy) as refusal:
        labeled_policy(3, "compared", **changes)
    assert pointer in [each for each, _ in refusal.value.faults]


def test_more_than_k_is_not_promised_of_labels_that_are_compared():
    labels = {"model": "k_neighborhood_anonymity", "k": 3, "labels": "compared"}
    labeled_policy(3, "compared", guarantees=[labels, {"model": "k_anonymity", "k": 3}])
    for more in ({"model": "k_anonymity", "k": 4}, {"model": "l_diversity", "l": 2, "attribute": "illness"}):
        with pytest.raises(InvalidPolicy) as refusal:
            labeled_policy(3, "compared", guarantees=[labels, more])
        assert "/guarantees/1" in [pointer for pointer, _ in refusal.value.faults]
