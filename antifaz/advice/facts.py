"""Facts: what is known about a column before its role is decided, counted over codes and distinct values."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.codes import FEWEST, MOST
from antifaz.columns.lint import is_sequential
from antifaz.columns.names import Reading, read_name
from antifaz.columns.shapes import Shape, shape_of
from antifaz.columns.unique_values import LEAST, points_at_people
from antifaz.kinds.kind import Dataset
from antifaz.tables.table import Column

LONG_NUMBER = 6
"""Smallest number of digits of values that are all equally long, if they are to be codes."""
PANEL = 50
"""Smallest number of people of a panel that is recognized by its counts."""


@dataclass(frozen=True)
class Facts:
    """The facts of one column."""

    column: Column
    reading: Reading
    shape: Shape
    counts: NDArray[np.int64]
    """Number of rows of each known value."""

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def known(self) -> int:
        """Number of rows with a value."""
        return int(self.counts.sum())

    @property
    def distinct(self) -> int:
        return len(self.counts)

    @property
    def is_numeric(self) -> bool:
        return self.column.type.is_number

    @property
    def is_date(self) -> bool:
        return self.column.type.definition.calendar or self.shape.name == "date"

    @cached_property
    def is_unique(self) -> bool:
        """Whether many values belong to few rows: the check of a policy refuses to release such a column unchanged."""
        codes = self.column.codes
        return points_at_people(codes, codes != self.column.missing, None)

    @property
    def has_many(self) -> bool:
        """Whether there are too many values for a category."""
        return self.distinct >= LEAST

    @property
    def is_assigned(self) -> bool:
        """Whether the values are codes that were assigned one by one; digits count as such if they are long."""
        long = self.shape.digits and self.shape.length >= LONG_NUMBER
        return self.shape.assigned or (long and self.distinct >= FEWEST)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all numbers are whole, as those of identifiers are that another program wrote as decimals."""
        numbers = self.column.numbers
        return numbers is not None and bool(np.all(np.isnan(numbers) | (numbers == np.floor(numbers))))

    @property
    def is_numbered(self) -> bool:
        """Whether nearly every row has a whole number of its own."""
        return self.is_numeric and self.is_whole and self.has_many and self.distinct > MOST * self.known

    @cached_property
    def is_balanced(self) -> bool:
        """Whether many whole numbers all stand in about as many rows: amounts and counts do not."""
        if not (self.is_numeric and self.is_whole and self.distinct >= PANEL and self.known >= 2 * self.distinct):
            return False
        mean = self.known / self.distinct
        return bool(np.mean((self.counts > mean / 2) & (self.counts < 2 * mean)) > 0.95)

    @cached_property
    def is_spread(self) -> bool:
        """Whether few rows share a value: below twenty on average, in a column that is not too short."""
        return self.has_many and self.known < 20 * self.distinct

    @cached_property
    def is_sequential(self) -> bool:
        """Whether the values are whole numbers without gaps that rise with the rows, with few rows per value."""
        return is_sequential(self.column)

    @property
    def largest_share(self) -> float:
        """The share of the most frequent value."""
        return float(self.counts.max(initial=0)) / max(self.known, 1)

    def within(self, low: float, high: float) -> bool:
        """Whether nearly all numbers are within some limits."""
        numbers = self.column.numbers
        if numbers is None or not self.distinct:
            return False
        known = numbers[~np.isnan(numbers)]
        return bool(np.mean((known >= low) & (known <= high)) > 0.95)


def facts_of(dataset: Dataset) -> list[Facts]:
    """The facts of every column."""
    return [_facts(dataset.typed(column.name)) for column in dataset.columns]


def _facts(column: Column) -> Facts:
    counts = np.bincount(column.codes, minlength=len(column.values)).astype(np.int64)
    return Facts(column, read_name(column.name), shape_of(column), counts[column.missing + 1 :])
