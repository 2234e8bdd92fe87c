"""β-Likeness: rare values stay rare in every class."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidPolicy
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.classes.rules import classes_satisfy, state_conditions
from antifaz.tables.guarantees.beta_likeness import BetaLikeness
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched


def table_with(table_of, values, quasi=None):
    return table_of({"q": list(quasi or ["1"] * len(values)), "s": list(values)}, {"s": "sensitive"})


def judge(table, labels, **parameters):
    conditions = state_conditions(table, [BetaLikeness(attribute="s", **parameters)])
    return classes_satisfy(conditions, np.array(labels), max(labels) + 1)


@pytest.mark.parametrize("beta", [0, -1, float("inf")])
def test_beta_is_a_number_above_zero(beta):
    with pytest.raises(ValidationError):
        BetaLikeness(beta=beta, attribute="s")


def test_hand_checked_gains(table_of):
    # x is 3 of 7 as a whole and 2 of 3 in the first class: a gain of 5/9. y is 4 of 7 and 3 of 4: 5/16.
    table = table_with(table_of, "xxyxyyy")
    labels = [0, 0, 0, 1, 1, 1, 1]
    assert judge(table, labels, beta=0.5556).tolist() == [True, True]
    assert judge(table, labels, beta=0.55).tolist() == [False, True]
    assert judge(table, labels, beta=0.31).tolist() == [False, False]


def test_frequent_values_are_bounded_by_their_information_content(table_of):
    # a is 24 of 30 as a whole: a class of a alone gains 1/4, more than -ln 0.8 = 0.223.
    table = table_with(table_of, "a" * 10 + "a" * 9 + "b" + "a" * 5 + "b" * 5)
    labels = [0] * 10 + [1] * 10 + [2] * 10
    assert -math.log(0.8) < 0.25
    assert judge(table, labels, beta=2).all()
    assert judge(table, labels, beta=2, variant="enhanced").tolist() == [False, True, True]


def test_a_constant_column_gains_nothing(table_of):
    for variant in ("basic", "enhanced"):
        assert judge(table_with(table_of, "aaaa"), [0, 0, 1, 1], beta=0.1, variant=variant).all()


def test_the_attribute_must_be_sensitive(table_of):
    with pytest.raises(InvalidPolicy):
        BetaLikeness(beta=1, attribute="q").admit(table_with(table_of, "ab"))


@pytest.mark.parametrize("variant", ["basic", "enhanced"])
@pytest.mark.parametrize("method", [Mondrian(), Mondrian(effort="fast"), Mondrian(cut="range")], ids=str)
def test_is_a_condition_of_the_cut(table_of, method, variant):
    rng = np.random.default_rng(3)
    cells = rng.choice(list("vwxyz"), 600, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    table = table_with(table_of, cells, [str(value) for value in rng.integers(0, 60, 600)])
    released = method.apply(table, [BetaLikeness(beta=1, variant=variant, attribute="s")], rng, unwatched)
    numbers, classes = released_classes(released)
    assert classes > 1
    labels = numbers[np.argsort(released.records)].tolist()
    assert judge(table, labels, beta=1, variant=variant).all()
