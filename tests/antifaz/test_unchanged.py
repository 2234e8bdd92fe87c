"""A release that is its original: detected by its result, whatever the method's name."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz import catalogue
from antifaz.errors import InvalidPolicy
from antifaz.graphs.analysis.same import has_same_edges
from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.kinds.graph import GraphDataset, ReleasedGraph
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.unchanged import refuse_emptied, refuse_unchanged
from formats.core.raw import RawColumn

GATED = {"max_reidentified": 0.5}
PERTURBATIONS = [
    part.wire_name()
    for part in catalogue.parts("methods", "graph")
    if issubclass(part, Perturbation) and "share" in part.model_fields
]


def rules_of(dataset: Dataset, document: dict[str, Any]) -> list[str]:
    policy = parse_policy(document)
    checked = check(dataset, policy)
    protected = protect(checked, policy, np.random.default_rng(3))
    return [reason.rule for reason in refuse_unchanged(checked, protected, policy)]


def graph_of(drawn: nx.Graph, directed: bool = False) -> Dataset:
    pairs = np.array(list(drawn.edges), dtype=np.int64).reshape(-1, 2)
    return GraphDataset((), len(drawn), graph=Graph.from_pairs(len(drawn), pairs[:, 0], pairs[:, 1], directed))


def perturb(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "graph", "method": {"name": name, **more}, "gate": GATED}


def waive(rule: str) -> dict[str, Any]:
    return {"waivers": [{"rule": rule, "reason": "a test"}]}


SMALL = graph_of(nx.gnm_random_graph(30, 60, seed=4))


# --- graphs ----------------------------------------------------------------------------------------------------------


def test_there_are_perturbations_to_try() -> None:
    assert len(PERTURBATIONS) >= 5


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_share_that_changes_nothing_needs_the_waiver_of_renumbering(name: str) -> None:
    assert rules_of(SMALL, perturb(name, share=1e-12)) == ["naive"]
    assert rules_of(SMALL, perturb(name, share=1e-12) | waive("no_guarantee")) == ["naive"]
    assert rules_of(SMALL, perturb(name, share=1e-12) | waive("naive")) == []


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_share_that_changes_edges_needs_none(name: str) -> None:
    assert rules_of(SMALL, perturb(name, share=0.2)) == []


@pytest.mark.parametrize("drawn", [nx.complete_graph(6), nx.star_graph(6), nx.empty_graph(4)], ids=["K6", "star", "0"])
def test_a_graph_in_which_no_edges_can_be_switched_needs_the_waiver(drawn: nx.Graph) -> None:
    assert rules_of(graph_of(drawn), perturb("random_switch", share=1)) == ["naive"]
    assert rules_of(graph_of(drawn, directed=True), perturb("random_switch", share=1)) == ["naive"]


def test_a_graph_that_has_a_structural_guarantee_as_it_is_needs_no_waiver() -> None:
    promised = {
        "kind": "graph",
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
        "method": {"name": "k_degree"},
    }
    ring = graph_of(nx.cycle_graph(12))
    policy = parse_policy(promised)
    checked = check(ring, policy)
    protected = protect(checked, policy, np.random.default_rng(3))
    assert has_same_edges(checked.graph, protected.graph)
    assert rules_of(ring, promised) == []


def test_a_guarantee_about_attributes_alone_does_not_cover_the_structure() -> None:
    town = RawColumn("town", (np.arange(30) % 2).astype(np.int32), np.array(["a", "b"], dtype=object))
    document = perturb("random_perturbation", share=1e-12) | {
        "attributes": {"town": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
    }
    assert rules_of(GraphDataset((town,), 30, graph=SMALL.graph), document) == ["naive"]


def test_with_a_guarantee_by_mechanism_nothing_is_compared() -> None:
    policy = parse_policy(
        {
            "kind": "graph",
            "guarantees": [{"model": "edge_local_dp", "epsilon": 1, "density": {"declared": 0.4}}],
            "method": {"name": "edge_local_dp"},
        }
    )
    checked = check(graph_of(nx.path_graph(5)), policy)
    # Noise may leave every pair as it was: that is an outcome like any other.
    same = ProtectedGraph(checked.graph, np.arange(5))
    assert has_same_edges(checked.graph, same)
    assert refuse_unchanged(checked, ReleasedGraph({}, same), policy) == []


def test_edges_are_compared_by_the_nodes_behind_them() -> None:
    path = Graph.from_pairs(4, np.array([0, 1, 2]), np.array([1, 2, 3]))
    turned = path.relabeled(np.array([3, 2, 1, 0]))
    assert has_same_edges(path, ProtectedGraph(turned, np.array([3, 2, 1, 0])))
    # The same picture with other people in it is another graph.
    assert not has_same_edges(path, ProtectedGraph(path, np.array([1, 0, 2, 3])))
    # Nor is one in which an edge leads to an added node.
    assert not has_same_edges(path, ProtectedGraph(path, np.array([0, 1, 2, -1])))


def test_an_edge_that_was_turned_around_is_another_edge() -> None:
    one = Graph.from_pairs(2, np.array([0]), np.array([1]), directed=True)
    other = Graph.from_pairs(2, np.array([1]), np.array([0]), directed=True)
    assert not has_same_edges(one, ProtectedGraph(other, np.arange(2)))
    assert has_same_edges(one, ProtectedGraph(other, np.array([1, 0])))


# --- tables ----------------------------------------------------------------------------------------------------------


def people(ages: list[str], towns: list[str] | None = None) -> Dataset:
    columns = [encoded("age", ages), encoded("town", towns or ["a", "b"] * (len(ages) // 2))]
    return Dataset((*columns, encoded("ill", ["x", "y"] * (len(ages) // 2))), len(ages))


def encoded(name: str, cells: list[str]) -> RawColumn:
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


def masked(method: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {
            "age": {"role": "quasi_identifier"},
            "town": {"role": "quasi_identifier"},
            "ill": {"role": "sensitive"},
        },
        "method": method,
        "gate": {"max_prosecutor_risk": 0.5},
        **more,
    }


TWENTY = [str(20 + n // 4) for n in range(20)]
SUPPRESS = {"name": "suppress"}


def test_a_table_as_it_came_needs_the_waiver_also_if_its_measured_risk_is_low() -> None:
    assert rules_of(people(TWENTY), masked(SUPPRESS)) == ["no_guarantee"]
    assert rules_of(people(TWENTY), masked(SUPPRESS, **waive("no_guarantee"))) == []


@pytest.mark.parametrize(
    "method",
    [
        {"name": "rounding", "base": 1},
        {"name": "additive_noise", "amount": 1e-12},
        {"name": "top_bottom_coding", "share": 1e-9},
        {"name": "pram", "attributes": ["ill"]},
        {"name": "pipeline", "steps": [SUPPRESS, {"name": "rounding", "base": 1}]},
    ],
    ids=lambda method: method["name"],
)
def test_a_method_that_leaves_every_quasi_identifier_as_it_was_needs_the_waiver(method: dict[str, Any]) -> None:
    assert rules_of(people(TWENTY), masked(method)) == ["no_guarantee"]


def test_a_number_that_is_written_otherwise_is_the_same_number() -> None:
    assert rules_of(people([f"{age}.0" for age in TWENTY]), masked({"name": "rounding", "base": 1})) == ["no_guarantee"]


@pytest.mark.parametrize(
    "method",
    [{"name": "rounding", "base": 10}, {"name": "suppress", "attributes": ["town"]}, {"name": "synthetic"}],
    ids=lambda method: method["name"],
)
def test_a_table_with_other_quasi_identifiers_needs_none(method: dict[str, Any]) -> None:
    assert rules_of(people(TWENTY), masked(method)) == []


def test_a_table_that_is_k_anonymous_as_it_is_needs_none() -> None:
    assert rules_of(people(TWENTY), masked(SUPPRESS, guarantees=[{"model": "k_anonymity", "k": 2}])) == []


def test_rows_left_out_do_not_make_the_others_another_table() -> None:
    # With no guarantee to reach, only a missing value leaves a row out.
    document = masked(SUPPRESS)
    document["attributes"]["age"]["missing"] = "suppress_row"
    assert rules_of(people(["", *TWENTY[1:]]), document) == ["no_guarantee"]


def test_a_guarantee_that_lets_records_stand_alone_does_not_count() -> None:
    alone = people([str(n) for n in range(20)])
    loose = {"model": "t_closeness", "t": 0.6, "distance": "equal", "attribute": "ill"}
    assert rules_of(alone, masked(SUPPRESS, guarantees=[loose])) == ["no_guarantee"]
    assert rules_of(people(TWENTY), masked(SUPPRESS, guarantees=[loose])) == []


def test_a_table_without_quasi_identifiers_is_judged_by_all_that_it_shows() -> None:
    attributes = {name: {"role": "sensitive"} for name in ("age", "town", "ill")}
    assert rules_of(people(TWENTY), masked(SUPPRESS, attributes=attributes)) == ["no_guarantee"]
    hidden = masked({"name": "suppress", "attributes": ["ill"]}, attributes=attributes)
    assert rules_of(people(TWENTY), hidden) == []


# --- gates and guarantees that cannot fail ---------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 0.51])
@pytest.mark.parametrize(
    "rule", ["max_prosecutor_risk", "max_journalist_risk", "max_marketer_risk", "max_linkage_rate"]
)
def test_a_gate_above_one_half_is_no_substitute_for_a_guarantee(rule: str, limit: float) -> None:
    with pytest.raises(InvalidPolicy, match=r"of 0\.5 or below") as caught:
        parse_policy(masked(SUPPRESS, gate={rule: limit}))
    assert caught.value.pointer == "/guarantees"
    assert parse_policy(masked(SUPPRESS, gate={rule: 0.5})).guarantees == ()


def test_a_graphs_gate_above_one_half_is_none_either() -> None:
    with pytest.raises(InvalidPolicy, match=r"of 0\.5 or below"):
        parse_policy(perturb("random_switch") | {"gate": {"max_reidentified": 0.51}})


def test_a_guarantee_that_cannot_fail_counts_as_absent() -> None:
    loose = {"model": "t_closeness", "t": 1, "distance": "equal", "attribute": "ill"}
    with pytest.raises(InvalidPolicy, match="a guarantee that can fail"):
        parse_policy(masked({"name": "mondrian"}, guarantees=[loose], gate={}))
    parse_policy(masked({"name": "mondrian"}, guarantees=[{**loose, "t": 0.9}], gate={}))
    for_few = {"model": "k_eps_obfuscation", "k": 2, "epsilon": 0.51}
    with pytest.raises(InvalidPolicy, match="a guarantee that can fail"):
        parse_policy({"kind": "graph", "guarantees": [for_few], "method": {"name": "uncertain"}})


SIXTY = people([str(20 + n) for n in range(60)])
"""Sixty people, each with an age of their own."""


# --- releases that keep nothing --------------------------------------------------------------------------------------


def kept_rules(dataset: Dataset, document: dict[str, Any], protected: Any = None) -> list[str]:
    policy = parse_policy(document)
    checked = check(dataset, policy)
    made = protect(checked, policy, np.random.default_rng(3)) if protected is None else protected(checked)
    return [reason.rule for reason in refuse_emptied(checked, made, policy)]


ONLY_KNOWN = {"attributes": {name: {"role": "quasi_identifier"} for name in ("age", "town", "ill")}}
WHOLE = [{"model": "k_anonymity", "k": 60}]


def test_a_table_of_which_nothing_is_left_is_refused() -> None:
    document = masked({"name": "mondrian"}, guarantees=WHOLE, gate={}) | ONLY_KNOWN
    assert kept_rules(SIXTY, document) == ["nothing_kept"]
    # With a sensitive column as it is, something is left; so it is with smaller classes.
    assert kept_rules(SIXTY, masked({"name": "mondrian"}, guarantees=WHOLE, gate={})) == []
    assert kept_rules(SIXTY, document | {"guarantees": [{"model": "k_anonymity", "k": 10}]}) == []


def test_a_table_of_which_almost_all_rows_are_left_out_is_refused() -> None:
    twins = people(["20", "20", *(str(40 + n) for n in range(58))], ["a"] * 60)
    document = masked({"name": "suppress"}, guarantees=[{"model": "k_anonymity", "k": 2}], gate={})
    assert kept_rules(twins, document) == ["nothing_kept"]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_an_empty_or_a_complete_graph_of_an_ordinary_one_is_refused(directed: bool, full: bool) -> None:
    drawn = nx.gnm_random_graph(30, 60, seed=4, directed=directed)
    made = nx.complete_graph(30, nx.DiGraph if directed else None) if full else nx.empty_graph(30)
    pairs = np.array(list(made.edges), dtype=np.int64).reshape(-1, 2)
    shown = ProtectedGraph(Graph.from_pairs(30, pairs[:, 0], pairs[:, 1], directed), np.arange(30))
    document = {
        "kind": "graph",
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
        "method": {"name": "k_degree"},
    }
    assert kept_rules(graph_of(drawn, directed), document, lambda _: ReleasedGraph({}, shown)) == ["nothing_kept"]
    assert kept_rules(graph_of(drawn, directed), document) == []


def test_with_a_guarantee_by_mechanism_an_empty_graph_is_an_outcome_like_any_other() -> None:
    promise = {"model": "edge_local_dp", "epsilon": 1, "density": {"declared": 0.4}}
    document = {"kind": "graph", "guarantees": [promise], "method": {"name": "edge_local_dp"}}
    empty = ProtectedGraph(Graph.from_pairs(30, np.zeros(0), np.zeros(0)), np.arange(30))
    assert kept_rules(SMALL, document, lambda _: ReleasedGraph({}, empty)) == []
