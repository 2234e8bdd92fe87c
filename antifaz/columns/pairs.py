"""Pairs: two columns that hold the same codes, so that each row joins two people, as an edge of a graph does.

In a list of contacts or payments the second person is identified like the first, although many rows share each value.
Categories repeat in two columns as well (the countries of birth and of residence), so only columns that nothing else
explains are compared.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from antifaz.columns.codes import FEWEST
from antifaz.columns.shapes import sample_of
from antifaz.columns.unique_values import LEAST
from antifaz.tables.table import Column
from antifaz.tables.texts.value_types import ValueType

SHARED = 0.5
"""Smallest share of the values of the smaller column that must stand in the other one."""
SHORT = 4
"""Largest number of digits of whole numbers that any two columns may share by chance: ages, years, counts."""


def pairs_among(columns: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    """Pairs of columns that hold the same codes."""
    return ((first, second) for first, second in combinations(columns, 2) if hold_the_same(first, second, FEWEST))


def hold_the_same(first: Column, second: Column, fewest: int = LEAST) -> bool:
    """Whether two columns hold the same codes, ``fewest`` at least, and not only numbers that any columns share."""
    if not (_may_be_codes(first, fewest) and _may_be_codes(second, fewest)):
        return False
    smaller, larger = sorted((first, second), key=_count)
    sample = frozenset(sample_of(smaller))
    both = sample.intersection(str(value).strip() for value in larger.values[larger.missing + 1 :])
    short = sum(1 for text in both if text.isdigit() and len(text) <= SHORT)
    # Short numbers are shared by columns of any meaning: they count only if both columns have about as many values.
    alike = 2 * short <= len(both) or _count(smaller) >= SHARED * _count(larger)
    return alike and len(both) >= SHARED * len(sample)


def _may_be_codes(column: Column, fewest: int) -> bool:
    texts = column.type is ValueType.TEXT and _count(column) >= fewest
    return texts or (column.type is ValueType.INTEGER and _count(column) >= LEAST)


def _count(column: Column) -> int:
    return len(column.values) - (column.missing + 1)
