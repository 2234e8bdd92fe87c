"""Randomized response: two coins, the privacy ratio, the estimate."""

import numpy as np
import pytest
from scipy import stats

from antifaz.errors import InvalidPolicy
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check
from antifaz.protection import protect as protect_dataset
from antifaz.tables.methods.randomized_response import (
    RandomizedResponse,
    describe_matrix,
    estimate_shares,
    truth_chance,
)
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched
from formats.core.raw import RawColumn
from verifier.people.sensitive import alike_loss


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


def shown_share(released, label):
    column = released.column("s")
    return float(np.mean(column.labels[column.codes] == label))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_two_fair_coins_show_a_quarter_and_half_the_share(table_of, share):
    cells = ["yes"] * int(40_000 * share) + ["no"] * int(40_000 * (1 - share))
    released = protect(table_of({"s": cells}, {"s": "sensitive"}), RandomizedResponse(epsilon=float(np.log(3))))
    assert shown_share(released, "yes") == pytest.approx(0.25 + share / 2, abs=0.012)
    told = released.account["public"]["randomized_response"]["s"]
    assert told["keep"] == pytest.approx(0.75)
    assert told["other"] == pytest.approx(0.25)


def test_anyone_can_estimate_the_true_shares(table_of):
    cells = ["a"] * 30_000 + ["b"] * 9_000 + ["c"] * 1_000
    released = protect(table_of({"s": cells}, {"s": "sensitive"}), RandomizedResponse(epsilon=1.5))
    shown = np.array([shown_share(released, label) for label in "abc"])
    estimate = estimate_shares(shown, 3, 1.5)
    assert np.abs(estimate - [0.75, 0.225, 0.025]).max() < 0.03
    assert np.abs(shown - [0.75, 0.225, 0.025]).max() > 0.1


@pytest.mark.parametrize("size", [2, 5, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_no_answer_is_more_than_exp_epsilon_times_as_likely(size, epsilon):
    matrix = describe_matrix(size, epsilon)
    assert matrix["keep"] / matrix["other"] == pytest.approx(np.exp(epsilon))
    assert matrix["keep"] + (size - 1) * matrix["other"] == pytest.approx(1.0)
    assert truth_chance(size, epsilon) == matrix["keep"]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_the_matrix_verifies(size, epsilon):
    assert alike_loss(describe_matrix(size, epsilon), size) == pytest.approx(epsilon if size > 1 else 0.0, rel=1e-12)


def test_the_mechanism_keeps_the_ratio_and_a_leakier_one_would_not(table_of):
    answers = {}
    for truth in ("a", "b"):
        table = table_of({"s": [truth] * 60_000}, {"s": "sensitive"})
        released = protect(table, RandomizedResponse(epsilon=1.0, values={"s": ["a", "b", "c"]}))
        answers[truth] = {label: shown_share(released, label) for label in "abc"}
    ratios = [answers["a"][label] / answers["b"][label] for label in "abc"]
    assert max(ratios) == pytest.approx(np.e, rel=0.06)
    assert min(ratios) == pytest.approx(1 / np.e, rel=0.06)
    assert max(ratios) < np.exp(1.3)


def test_several_attributes_share_epsilon(table_of):
    table = table_of({"s": ["a", "b"], "t": ["c", "d"]}, {"s": "sensitive", "t": "sensitive"})
    released = protect(table, RandomizedResponse(epsilon=2.0))
    assert released.account["epsilon_per_attribute"] == 1.0
    assert released.account["public"]["randomized_response"]["t"]["keep"] == pytest.approx(np.e / (np.e + 1))


def test_other_columns_stay_as_they_are(table_of, rows_of):
    table = table_of({"q": ["1", "2"], "s": ["a", "b"]}, {"s": "sensitive"})
    assert [row[0] for row in rows_of(protect(table, RandomizedResponse(epsilon=1)))] == ["1", "2"]


def test_faults(table_of):
    table = table_of({"q": ["1", "2"], "s": ["a", "b"]}, {"s": "sensitive"})
    with pytest.raises(InvalidPolicy) as caught:
        protect(table, RandomizedResponse())
    assert caught.value.pointer == "/method/epsilon"
    with pytest.raises(InvalidPolicy):
        protect(table_of({"q": ["1"]}), RandomizedResponse(epsilon=1))


def policy_of(method, settings=None, **more):
    return {
        "kind": "table",
        "attributes": {"q": {"role": "insensitive"}, "s": {"role": "sensitive", **(settings or {})}},
        "guarantees": [{"model": "local_differential_privacy", "epsilon": 1.0}],
        "method": {"name": "randomized_response", **method},
        **more,
    }


def pointers(policy):
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(policy)
    return [pointer for pointer, _ in caught.value.faults]


def test_the_domain_is_declared_or_waived_by_name():
    assert pointers(policy_of({})) == ["/method/values"]
    assert pointers(policy_of({"values": {"q": ["1"]}})) == ["/method/values", "/method/values/q"]
    parse_policy(policy_of({"values": {"s": ["a", "b"]}}))
    waived = policy_of({}, waivers=[{"rule": "observed_domain", "reason": "the answers are printed on the form"}])
    assert parse_policy(waived).waives("observed_domain")
    steps = {"name": "pipeline", "steps": [{"name": "randomized_response", "epsilon": 1.0}]}
    piped = policy_of({}, waivers=[{"rule": "no_guarantee", "reason": "x"}]) | {"method": steps, "guarantees": []}
    assert pointers(piped) == ["/method/steps/0/values"]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"order": ["a", "b"]}, "order"),
        ({"hierarchy": {"kind": "levels", "rows": [["a", "*"], ["b", "*"]]}}, "hierarchy"),
        ({"type": "integer"}, "type"),
        ({"missing": "reject"}, "missing"),
        ({"missing": "suppress_row"}, "missing"),
    ],
)
def test_no_setting_lets_one_value_decide_what_becomes_of_the_job(settings, field):
    assert pointers(policy_of({"values": {"s": ["1", "2"]}}, settings)) == [f"/attributes/s/{field}"]
    assert parse_policy(policy_of({"values": {"s": ["1", "2"]}}, {"type": "text"}))


def test_a_domain_that_is_none_is_pointed_at():
    assert pointers(policy_of({"values": {"s": ["yes", "no", " YES"]}})) == ["/method/values/s"]
    assert pointers(policy_of({"values": {"s": []}})) == ["/method/values/s"]
    assert pointers(policy_of({"values": {"s": ["a"]}, "other": {"s": "b"}})) == ["/method/other/s"]
    assert pointers(policy_of({"values": {"s": ["a"]}, "other": {"q": "b"}})) == ["/method/other/q"]


def released_by(policy, cells):
    """The engine's result for one column of such cells, with the types and checks of a job."""
    texts, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    columns = [RawColumn("q", np.zeros(len(cells), dtype=np.int32), np.array(["1"], dtype=object))]
    columns.append(RawColumn("s", codes.astype(np.int32), texts))
    parsed = parse_policy(policy)
    checked = check(Dataset(tuple(columns), len(cells)), parsed)
    return protect_dataset(checked, parsed, np.random.default_rng(2))


@pytest.mark.parametrize("odd", ["c", "", "1", "2020-01-01", "=x", "unheard of"])
def test_what_one_record_alone_has_is_never_shown_and_changes_neither_types_nor_domain(odd):
    """Thirty answers of two kinds; one record has another, which the form does not allow."""
    policy = policy_of({"values": {"s": ["a", "b"]}})
    for cells in (["a"] * 15 + ["b"] * 15, ["a"] * 15 + ["b"] * 14 + [odd]):
        released = released_by(policy, cells)
        column = released.table.column("s")
        assert set(column.labels) == {"a", "b"}
        assert column.type is ValueType.TEXT
        assert released.account["public"]["randomized_response"]["s"]["values"] == 2


def test_the_type_is_that_of_the_domain_and_not_of_the_data():
    policy = policy_of({"values": {"s": ["1", "2", "3"]}})
    for cells in (["1", "2", "3"] * 9, ["1", "2", "unknown"] * 9):
        assert released_by(policy, cells).table.column("s").type is ValueType.INTEGER


def test_text_that_is_different_in_every_row_is_no_reason_to_refuse_it():
    assert released_by(policy_of({"values": {"s": ["a", "b"]}}), [f"text {number}" for number in range(40)])


def test_values_are_found_whatever_their_spelling():
    policy = policy_of({"values": {"s": ["Yes", "No"]}})
    assert released_by(policy, ["yes", " NO ", "YES"] * 20).account["undeclared"] == {"s": 0}
    assert released_by(policy, ["yes", "maybe"] * 20).account["undeclared"] == {"s": 20}
    assert released_by(policy, ["yes"] * 20 + ["maybe"]).account["undeclared"] == {"s": "<10"}


CERTAIN = 5e-11
"""Each side: a count from the right distribution lies outside these limits in less than one run of 10^10."""


def within(count, n, chance):
    return stats.binom.ppf(CERTAIN, n, chance) <= count <= stats.binom.isf(CERTAIN, n, chance)


def test_an_undeclared_value_is_answered_by_chance_alone_or_as_the_one_that_the_policy_names():
    """With 30,000 answers the limits are 6.5 standard deviations wide on each side, 560 for a fair coin, while the
    other way to answer is 6,932 away."""
    values = {"values": {"s": ["a", "b"]}}
    shown = released_by(policy_of(values), ["c"] * 30_000).table.column("s")
    count = int(np.sum(shown.labels[shown.codes] == "b"))
    assert within(count, 30_000, 0.5)
    assert not within(count, 30_000, truth_chance(2, 1.0))
    shown = released_by(policy_of({**values, "other": {"s": "b"}}), ["c"] * 30_000).table.column("s")
    count = int(np.sum(shown.labels[shown.codes] == "b"))
    assert within(count, 30_000, truth_chance(2, 1.0))
    assert not within(count, 30_000, 0.5)
