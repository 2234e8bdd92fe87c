"""Randomized response: two coins, the privacy ratio, the estimate."""

import numpy as np
import pytest

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.tables.methods.randomized_response import (
    RandomizedResponse,
    describe_matrix,
    estimate_shares,
    truth_chance,
)
from antifaz.watch import unwatched
from verifier.sensitive import alike_loss


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
    with pytest.raises(InvalidPolicy):
        protect(table, RandomizedResponse(epsilon=1, values={"q": ["1"]}))
    with pytest.raises(InvalidDataset) as unknown:
        protect(table, RandomizedResponse(epsilon=1, values={"s": ["a"]}))
    assert unknown.value.rule == "unknown_value"
