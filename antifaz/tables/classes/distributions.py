"""Distributions: how often the values of a column occur, as guarantees and measures need it."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import InvalidPolicy
from antifaz.kernels.tables.conditions import SHARE_SLACK
from antifaz.tables.table import Attribute, Role, Table

LARGEST_DENOMINATOR = 10**9
"""Largest denominator when limits are compared as fractions of whole numbers: products then fit in 64 bits."""


def sensitive_attribute(table: Table, name: str) -> Attribute:
    """The sensitive attribute of that name; the pointer of an `InvalidPolicy` is relative to the guarantee."""
    for attribute in table.attributes:
        if attribute.name == name and attribute.role is Role.SENSITIVE:
            return attribute
    raise InvalidPolicy("/attribute", "must name an attribute with the role sensitive")


def readings(attribute: Attribute) -> tuple[Attribute, ...]:
    """The attribute as spelled and, if that differs, with all spellings of a value merged.

    For guarantees that compare a class with the whole table. If two spellings do mean different things and each is in
    its own class, counting them only as one would hide the difference.
    """
    return (attribute,) if attribute.folded is attribute else (attribute, attribute.folded)


def value_counts(attribute: Attribute) -> NDArray[np.int64]:
    """The number of records with each value of the domain."""
    column = attribute.column
    return np.bincount(column.codes, minlength=len(column.values)).astype(np.int64)


def value_shares(attribute: Attribute) -> NDArray[np.float64]:
    """The share of the records with each value of the domain."""
    counts = value_counts(attribute)
    return np.asarray(counts / max(int(counts.sum()), 1), dtype=np.float64)


def fraction_within(limit: float) -> tuple[int, int]:
    """A decimal of the policy as numerator and denominator, rounded down if it has too many digits."""
    exact = Fraction(str(limit))
    if exact.denominator <= LARGEST_DENOMINATOR:
        return exact.numerator, exact.denominator
    return exact.numerator * LARGEST_DENOMINATOR // exact.denominator, LARGEST_DENOMINATOR


def clear_limit(limit: float) -> float:
    """A limit for kernels, which allow for rounding at their bounds.

    A limit with few decimals may be met exactly. One with many, such as a third to sixteen digits, can be met only by
    rounding. It is lowered slightly, because the verifier is exact.
    """
    if Fraction(str(limit)).denominator <= LARGEST_DENOMINATOR:
        return limit
    return limit * (1.0 - 4 * SHARE_SLACK) - 4 * SHARE_SLACK
