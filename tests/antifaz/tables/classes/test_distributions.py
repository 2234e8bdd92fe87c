"""Distributions: shares of values, and limits in the form that kernels use."""

import pytest

from antifaz.errors import InvalidPolicy
from antifaz.tables.classes.distributions import (
    clear_limit,
    fraction_within,
    sensitive_attribute,
    value_counts,
    value_shares,
)


def test_counts_and_shares_follow_the_domain(table_of):
    table = table_of({"s": ["b", "a", "b", ""]}, {"s": "sensitive"})
    attribute = sensitive_attribute(table, "s")
    assert value_counts(attribute).tolist() == [1, 1, 2]
    assert value_shares(attribute).tolist() == [0.25, 0.25, 0.5]


def test_only_a_sensitive_attribute_will_do(table_of):
    table = table_of({"q": ["1"], "s": ["x"]}, {"s": "sensitive"})
    for name in ("q", "nowhere"):
        with pytest.raises(InvalidPolicy):
            sensitive_attribute(table, name)


def test_a_limit_is_the_decimal_that_is_written():
    assert fraction_within(0.57) == (57, 100)
    assert fraction_within(0.1) == (1, 10)
    numerator, denominator = fraction_within(1 / 3)
    assert denominator == 10**9
    assert numerator == 333333333


def test_a_limit_with_many_digits_is_taken_lower():
    assert clear_limit(0.25) == 0.25
    assert clear_limit(3) == 3
    assert 1 / 3 - 1e-10 < clear_limit(1 / 3) < 1 / 3 - 1e-12
