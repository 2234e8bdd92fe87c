"""Records and nodes that are unchanged and alone: a share that no gate, guarantee or parameter accepts."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz import catalogue
from antifaz.assessment import assess, gate_figures, refuse
from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.part import Guarantee
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from tests.antifaz.test_unchanged import SIXTY, SMALL, encoded, graph_of, masked, perturb, rules_of, waive


@pytest.mark.parametrize(
    "gate", ["max_journalist_risk", "max_marketer_risk", "max_linkage_rate", "max_prosecutor_risk"]
)
def test_one_changed_cell_of_sixty_rows_is_no_protection_whatever_the_gate_measures(gate: str) -> None:
    document = masked(
        {"name": "top_bottom_coding", "share": 0.02}, gate={gate: 0.5}, report={"sampling_fraction": 1e-3}
    )
    assert rules_of(SIXTY, document) == ["no_guarantee"]
    assert rules_of(SIXTY, document | waive("no_guarantee")) == []


@pytest.mark.parametrize(
    ("gate", "report"),
    [
        ({"max_journalist_risk": 0.5}, {"sampling_fraction": 0.001}),
        ({"max_marketer_risk": 0.5}, {"sampling_fraction": 0.001}),
        ({"max_prosecutor_risk": 0.5}, {"threshold": 1}),
        ({"max_linkage_rate": 0.5}, {"attacks": [{"name": "record_linkage", "targets": 1}]}),
    ],
    ids=lambda value: next(iter(value)),
)
def test_no_parameter_of_the_report_lowers_what_a_gate_reads(gate: dict[str, Any], report: dict[str, Any]) -> None:
    policy = parse_policy(masked({"name": "top_bottom_coding", "share": 0.02}, gate=gate, report=report))
    checked = check(SIXTY, policy)
    protected = protect(checked, policy, np.random.default_rng(3))
    assessment = assess(checked, protected, policy, np.random.default_rng(4))
    plain = parse_policy(masked({"name": "top_bottom_coding", "share": 0.02}, gate=gate))
    measured = assess(checked, protected, plain, np.random.default_rng(4))
    assert gate_figures(protected, assessment) == gate_figures(protected, measured)
    assert [reason.rule for reason in refuse(policy, protected, assessment)] == list(gate)
    # The report itself shows what the steward asked for.
    if "sampling_fraction" in report:
        assert assessment.after["journalist"]["max"] == 0.001


def test_a_loose_guarantee_does_not_accept_records_that_are_unchanged_and_alone() -> None:
    ills = ["rare", *["x"] * 59]
    rare = Dataset((*SIXTY.columns[:2], encoded("ill", ills)), 60)
    loose = {"model": "t_closeness", "t": 0.9, "distance": "equal", "attribute": "ill"}
    assert rules_of(rare, masked({"name": "mondrian"}, guarantees=[loose], gate={})) == ["no_guarantee"]
    tight = [loose, {"model": "k_anonymity", "k": 2}]
    assert rules_of(rare, masked({"name": "mondrian"}, guarantees=tight, gate={})) == []


@pytest.mark.parametrize(
    "step",
    [
        {"name": "suppress", "attributes": ["town"]},
        {"name": "rank_swapping", "percent": 100, "attributes": ["town"]},
        {"name": "generalize", "levels": {"town": 1}},
    ],
    ids=lambda step: step["name"],
)
def test_changing_one_column_of_every_record_does_not_protect_those_that_the_others_single_out(
    step: dict[str, Any],
) -> None:
    # Every town is changed in every record, and the ages, which nobody shares, are as uploaded.
    ills, towns = ["rare", *["x"] * 59], [f"t{row}" for row in range(60)]
    table = Dataset((SIXTY.columns[0], encoded("town", towns), encoded("ill", ills)), 60)
    loose = {"model": "t_closeness", "t": 0.99, "distance": "equal", "attribute": "ill"}
    halves = {"kind": "levels", "rows": [[town, "east" if row % 2 else "west", "*"] for row, town in enumerate(towns)]}
    roles = {
        "age": {"role": "quasi_identifier"},
        "town": {"role": "quasi_identifier", "hierarchy": halves},
        "ill": {"role": "sensitive"},
    }
    method = step if step["name"] == "generalize" else {"name": "pipeline", "steps": [step, {"name": "mondrian"}]}
    document = masked(method, guarantees=[loose], gate={}, attributes=roles)
    assert rules_of(table, document) == ["no_guarantee"]
    assert rules_of(table, document | waive("no_guarantee")) == []


def test_one_edge_of_three_hundred_is_no_protection() -> None:
    sparse = graph_of(nx.gnm_random_graph(150, 300, seed=3))
    assert rules_of(sparse, perturb("random_perturbation", share=1 / 300)) == ["naive"]
    assert rules_of(sparse, perturb("random_perturbation", share=1 / 300) | waive("naive")) == []
    assert rules_of(sparse, perturb("random_perturbation", share=0.3)) == []


def test_an_insensitive_column_counts_if_nothing_but_a_gate_protects() -> None:
    roles = {"age": {"role": "insensitive"}, "town": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}}
    dummy = masked({"name": "suppress", "attributes": ["town"]}, attributes=roles) | waive("free_text")
    assert rules_of(SIXTY, dummy) == ["no_guarantee"]
    promised = dummy | {"guarantees": [{"model": "k_anonymity", "k": 2}]}
    assert rules_of(SIXTY, promised) == []


def test_attributes_of_nodes_that_are_unchanged_and_alone_are_refused_too() -> None:
    ages = encoded("age", [str(20 + n) for n in range(30)])
    document = perturb("random_perturbation", share=0.3) | {
        "attributes": {"age": {"role": "quasi_identifier"}, "vote": {"role": "sensitive"}},
        "guarantees": [{"model": "t_closeness", "t": 0.99, "distance": "equal", "attribute": "vote"}],
    }
    votes = encoded("vote", ["rare", *["x"] * 29])
    assert rules_of(GraphDataset((ages, votes), 30, graph=SMALL.graph), document) == ["no_guarantee"]


def randomized(**changes: Any) -> dict[str, Any]:
    """Noise in the sensitive column; all others as they are."""
    promise = {"model": "local_differential_privacy", "epsilon": 1.0}
    method = {"name": "randomized_response", "values": {"ill": ["x", "y"]}}
    return masked(method, guarantees=[promise], gate={}) | changes


def test_noise_in_one_column_does_not_accept_records_that_are_unchanged_and_alone_in_others() -> None:
    assert rules_of(SIXTY, randomized()) == ["no_guarantee"]
    assert rules_of(SIXTY, randomized() | waive("no_guarantee")) == []
    harmless = {"age": {"role": "insensitive"}, "town": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}}
    assert rules_of(SIXTY, randomized(attributes=harmless) | waive("free_text")) == ["no_guarantee"]
    hidden = {"age": {"role": "identifier"}, "town": {"role": "identifier"}, "ill": {"role": "sensitive"}}
    assert rules_of(SIXTY, randomized(attributes=hidden)) == []


def test_noise_that_seldom_changes_a_value_that_only_one_record_has_is_no_protection() -> None:
    roles = {name: {"role": "identifier"} for name in ("town", "ill")} | {"age": {"role": "sensitive"}}
    method = {"name": "randomized_response", "values": {"age": [str(age) for age in range(150)]}}

    def drawn(epsilon: float) -> dict[str, Any]:
        promise = {"model": "local_differential_privacy", "epsilon": epsilon}
        return randomized(attributes=roles, method=method, guarantees=[promise])

    # The truth is shown with a probability of 0.9999997 and of 0.018; nearly all rows of the release are alone.
    assert rules_of(SIXTY, drawn(20)) == ["no_guarantee"]
    assert rules_of(SIXTY, drawn(1)) == []


def test_noise_on_edges_does_not_accept_attributes_of_nodes_that_are_unchanged_and_alone() -> None:
    ages, votes = encoded("age", [str(20 + n) for n in range(30)]), encoded("vote", ["rare", *["x"] * 29])
    policy = parse_policy(
        {
            "kind": "graph",
            "attributes": {"age": {"role": "quasi_identifier"}, "vote": {"role": "sensitive"}},
            "guarantees": [
                {"model": "edge_local_dp", "epsilon": 3, "density": {"declared": 0.1}},
                {"model": "t_closeness", "t": 0.99, "distance": "equal", "attribute": "vote"},
            ],
            "method": {"name": "edge_local_dp"},
        }
    )
    checked = check(GraphDataset((ages, votes), 30, graph=SMALL.graph), policy)
    with pytest.raises(Infeasible) as refused:
        protect(checked, policy, np.random.default_rng(3))
    assert [reason.rule for reason in refused.value.reasons] == ["no_guarantee"]


@pytest.mark.parametrize("epsilon", [20.001, 50.0])
def test_a_mechanism_that_almost_never_changes_anything_counts_as_absent(epsilon: float) -> None:
    weak = [{"model": "local_differential_privacy", "epsilon": epsilon}]
    with pytest.raises(InvalidPolicy, match="a guarantee that can fail"):
        parse_policy(randomized(guarantees=weak))
    edges = {"model": "edge_local_dp", "epsilon": epsilon, "density": {"declared": 0.1}}
    with pytest.raises(InvalidPolicy, match="a guarantee that can fail"):
        parse_policy({"kind": "graph", "guarantees": [edges], "method": {"name": "edge_local_dp"}})
    strong = [{"model": "local_differential_privacy", "epsilon": 20.0}]
    parse_policy(randomized(guarantees=strong))


def test_every_guarantee_by_mechanism_says_what_it_draws() -> None:
    for part in catalogue.parts("guarantees"):
        assert issubclass(part, Guarantee)
        assert (part.draws is not None) == (part.evidence == "mechanism"), part.wire_name()
