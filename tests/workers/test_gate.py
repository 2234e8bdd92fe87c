"""The gate: a measured figure beyond its limit is a reason to refuse, and so is one that could not be measured."""

from typing import Any

import pytest

from antifaz import catalogue
from antifaz.assessment import _NEEDED_BY_GATE, Assessment, refuse
from antifaz.errors import Infeasible, Reason
from antifaz.kinds.kind import Protected
from antifaz.policy.parse import parse_policy
from tests.system.samples import graph_policy, table_policy
from workers.run.problems import reason_json, refusal_of


def reasons(
    gate: dict[str, float], account: dict[str, Any], assessment: Assessment | None = None, graph: bool = False
) -> list[Reason]:
    policy = parse_policy(graph_policy(2, gate=gate) if graph else table_policy(2, gate=gate))
    return refuse(policy, Protected(account), assessment or Assessment())


ROWS = {"rows_in": 10, "rows_out": 10, "rows_suppressed": 0}


@pytest.mark.parametrize(
    ("rule", "assessment"),
    [
        ("max_prosecutor_risk", Assessment(after={"prosecutor": {"max": 0.5}})),
        ("max_journalist_risk", Assessment(after={"journalist": {"max": 0.5}})),
        ("max_marketer_risk", Assessment(after={"marketer": {"value": 0.5}})),
        ("max_homogeneous", Assessment(after={"homogeneity": {"value": 0.5}})),
        (
            "max_linkage_rate",
            Assessment(attacks=[{"name": "other", "rate": 0}, {"name": "record_linkage", "rate": 0.5}]),
        ),
        ("max_loss", Assessment(utility={"ncp": {"value": 0.5}})),
    ],
)
def test_a_figure_of_a_table_may_reach_its_limit_and_not_exceed_it(rule: str, assessment: Assessment) -> None:
    assert reasons({rule: 0.5}, ROWS, assessment) == []
    assert reasons({rule: 0.4999}, ROWS, assessment) == [Reason(rule, 0.4999, 0.5)]
    assert reasons({rule: 1}, ROWS) == [Reason(rule, 1, None, "the figure could not be measured")]


def test_suppressed_rows_are_a_share_of_those_that_came_in() -> None:
    account = {"rows_in": 8, "rows_out": 6, "rows_suppressed": 2}
    assert reasons({"max_suppressed": 0.25}, account) == []
    assert reasons({"max_suppressed": 0.2}, account) == [Reason("max_suppressed", 0.2, 0.25)]
    unmeasured = [Reason("max_suppressed", 0.2, None, "the figure could not be measured")]
    assert reasons({"max_suppressed": 0.2}, {"rows_in": 0, "rows_suppressed": 0}) == unmeasured
    assert reasons({"max_suppressed": 0.2}, {}) == unmeasured


def test_changed_edges_are_a_share_of_those_that_came_in() -> None:
    account = {"edges_in": 10, "edges_added": 3, "edges_removed": 2}
    assert reasons({"max_edges_changed": 0.5}, account, graph=True) == []
    assert reasons({"max_edges_changed": 0.4}, account, graph=True) == [Reason("max_edges_changed", 0.4, 0.5)]
    unknown = [Reason("max_edges_changed", 0, None, "the figure could not be measured")]
    assert reasons({"max_edges_changed": 0}, {"edges_in": 10}, graph=True) == unknown
    measured = Assessment(utility={"edges_changed": {"share": 0.5}})
    assert reasons({"max_edges_changed": 0.4}, {"edges_in": 10}, measured, graph=True) == [
        Reason("max_edges_changed", 0.4, 0.5)
    ]
    assert reasons({"max_edges_changed": 0.5}, {"edges_in": 0, "edges_added": 1}, graph=True) == [
        Reason("max_edges_changed", 0.5, 1.0)
    ]
    assert reasons({"max_edges_changed": 0.5}, {"edges_removed": 1}, graph=True) == [
        Reason("max_edges_changed", 0.5, 1.0)
    ]
    assert reasons({"max_edges_changed": 1}, {"edges_in": 1, "edges_removed": 1}, graph=True) == []


def test_the_nodes_that_share_a_degree_may_not_be_fewer_than_asked() -> None:
    found = Assessment(after={"degree": {"k": 3}})
    assert reasons({"min_candidate_set": 3}, {}, found, graph=True) == []
    assert reasons({"min_candidate_set": 2}, {}, found, graph=True) == []
    assert reasons({"min_candidate_set": 4}, {}, found, graph=True) == [Reason("min_candidate_set", 4, 3)]
    attacked = Assessment(attacks=[{"name": "degree", "rate": 0.2}])
    assert reasons({"max_reidentified": 0.2}, {}, attacked, graph=True) == []
    assert reasons({"max_reidentified": 0.1}, {}, attacked, graph=True) == [Reason("max_reidentified", 0.1, 0.2)]


def test_edges_may_not_be_surer_nor_easier_to_tell_than_asked() -> None:
    attacked = Assessment(
        attacks=[
            {"name": "link_disclosure", "rate": 0.1, "highest": 0.75},
            {"name": "fake_edge_plausibility", "rate": 0.625},
        ]
    )
    assert reasons({"max_link_posterior": 0.75, "max_plausibility_auc": 0.625}, {}, attacked, graph=True) == []
    assert reasons({"max_link_posterior": 0.7, "max_plausibility_auc": 0.6}, {}, attacked, graph=True) == [
        Reason("max_link_posterior", 0.7, 0.75),
        Reason("max_plausibility_auc", 0.6, 0.625),
    ]
    assert reasons({"max_link_posterior": 0.7}, {}, graph=True) == [
        Reason("max_link_posterior", 0.7, None, "the figure could not be measured")
    ]


def test_every_rule_that_is_broken_is_told() -> None:
    assessment = Assessment(after={"prosecutor": {"max": 0.5}, "marketer": {"value": 0.4}})
    broken = reasons({"max_suppressed": 0, "max_prosecutor_risk": 0.1, "max_marketer_risk": 0.1}, ROWS, assessment)
    assert [reason.rule for reason in broken] == ["max_prosecutor_risk", "max_marketer_risk"]
    assert reasons({}, ROWS, assessment) == []


def test_a_reason_is_told_without_what_is_not_known() -> None:
    assert reason_json(Reason("composition", 0, 1, "together")) == {
        "rule": "composition",
        "limit": 0,
        "measured": 1,
        "detail": "together",
    }
    assert reason_json(Reason("release_form", detail="no rows")) == {"rule": "release_form", "detail": "no rows"}
    assert reason_json(Reason("max_loss", 0.1, 0.2)) == {"rule": "max_loss", "limit": 0.1, "measured": 0.2}


def test_an_infeasible_policy_is_told_with_the_nearest_setting_there_is() -> None:
    told = refusal_of(Infeasible([Reason("k_anonymity", 5, 3)]))
    assert told == {"reasons": [{"rule": "k_anonymity", "limit": 5, "measured": 3}]}
    nearer = refusal_of(Infeasible([Reason("k_anonymity", 5, 3)], {"k": 3}))
    assert nearer == {**told, "nearest": {"k": 3}}


def test_whatever_a_rule_looks_at_can_be_measured() -> None:
    known = {part.wire_name() for folder in ("utility", "attacks") for part in catalogue.parts(folder)}
    assert {name for names in _NEEDED_BY_GATE.values() for name in names} <= known
