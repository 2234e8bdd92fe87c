"""Records and nodes that are unchanged and alone: a share that no gate, guarantee or parameter accepts."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz.assessment import assess, gate_figures, refuse
from antifaz.policy import parse_policy
from antifaz.protection import Dataset, GraphDataset, check, protect
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
