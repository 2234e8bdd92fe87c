"""Pairs: two columns that hold the same codes, so that each row joins two people, as an edge of a graph does.

In a list of contacts or payments the second person is as identified as the first, although every value stands in many
rows. Categories repeat in two columns as well (the countries of birth and of residence), so only columns that nothing
else explains are compared.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from antifaz.columns.unique_values import LEAST
from antifaz.tables.table import Column, ValueType

SHARED = 0.5
"""Smallest share of the values of the smaller column that must stand in the other one."""
SHORT = 4
"""Largest number of digits of whole numbers that any two columns may share by chance: ages, years, counts."""


def pairs_among(columns: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    """Pairs of columns that hold the same codes."""
    values = [(column, _values_of(column)) for column in columns if column.type in (ValueType.TEXT, ValueType.INTEGER)]
    many = [(column, texts) for column, texts in values if len(texts) >= LEAST]
    for (first, here), (second, there) in combinations(many, 2):
        if _hold_the_same(here, there):
            yield first, second


def _values_of(column: Column) -> frozenset[str]:
    return frozenset(str(value).strip() for value in column.values[column.missing + 1 :])


def _hold_the_same(here: frozenset[str], there: frozenset[str]) -> bool:
    both = here & there
    short = sum(1 for text in both if text.isdigit() and len(text) <= SHORT)
    # Short numbers are shared by columns of any meaning: they count only if both columns have nearly the same ones.
    size = max(len(here), len(there)) if 2 * short > len(both) else min(len(here), len(there))
    return len(both) >= max(SHARED * size, LEAST / 2)
