"""Facts: what is known about a column before its role is decided, counted over codes and distinct values."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.lint import is_sequential
from antifaz.columns.names import Reading, read_name
from antifaz.columns.shapes import Shape, shape_of
from antifaz.columns.unique_values import LEAST, points_at_people
from antifaz.kinds.kind import Dataset
from antifaz.tables.table import Column, ValueType


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
        return self.column.type in (ValueType.INTEGER, ValueType.DECIMAL)

    @property
    def is_date(self) -> bool:
        return self.column.type in (ValueType.DATE, ValueType.DATETIME) or self.shape.name == "date"

    @cached_property
    def is_unique(self) -> bool:
        """Whether many values occur once or twice: the check of a policy refuses to release such a column unchanged."""
        codes = self.column.codes
        return points_at_people(codes, codes != self.column.missing, None)

    @cached_property
    def is_spread(self) -> bool:
        """Whether few rows share a value: below twenty on average, in a column that is not too short."""
        return self.known >= LEAST and self.distinct >= LEAST and self.known < 20 * self.distinct

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
