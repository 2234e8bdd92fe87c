"""Correlation difference: how much the relations between columns change.

Pearson, "Notes on Regression and Inheritance in the Case of Two Parents", Proc. Royal Society 1895; Cramér,
"Mathematical Methods of Statistics", Princeton 1946 (the coefficient V). Domingo-Ferrer and Torra, "Disclosure Control
Methods and Information Loss for Microdata", 2001, compare correlations of original and masked data.

Two columns of numbers or dates are compared by Pearson's r, over the middles of released ranges; two columns of texts
by Cramér's V, in which a label counts in equal parts for each value that it covers. ``value`` is the mean absolute
difference over all pairs; large tables are measured on a sample of their records.

Guarantees: none; a measure.
Cost: O(s p²) for p columns and a sample of s records, times the values of texts.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.labels.label_values import Cover, cover_of, plain_cover
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch, within

MOST_VALUES = 50
"""Largest number of values of a text column; with more, a table of counts is too sparse to be useful."""


class CorrelationDifference(TableUtility):
    """The mean change of the correlation or association between two columns."""

    name: Literal["correlation_difference"] = "correlation_difference"
    records: int = Field(default=20_000, ge=2, le=1_000_000)
    """Largest number of records that are used."""

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare every pair of columns of numbers, and every pair of columns of texts."""
        watch(0.0)
        size = min(self.records, len(released.records))
        chosen = np.sort(rng.choice(len(released.records), size=size, replace=False))
        differences: list[float] = []
        for index, numeric in enumerate((True, False)):
            watch(0.5 * index)
            pairs = _covers(table, released, numeric)
            before = [cover for cover, _ in pairs]
            after = [cover for _, cover in pairs]
            originals = released.records[chosen]
            relate = _pearson if numeric else _cramer
            first, second = (within(watch, 0.5 * index + part, 0.5 * index + part + 0.25) for part in (0.0, 0.25))
            changes = np.abs(relate(before, originals, first) - relate(after, chosen, second))
            differences += changes[np.triu_indices(len(pairs), 1)].tolist()
        watch(1.0)
        known = [change for change in differences if np.isfinite(change)]
        return {
            "value": float(np.mean(known)) if known else 0.0,
            "largest": float(np.max(known)) if known else 0.0,
            "pairs": len(known),
            "records": size,
        }


def _covers(table: Table, released: ProtectedTable, numeric: bool) -> list[tuple[Cover, Cover]]:
    """The columns of numbers, or those of texts with few values, before and after."""
    everyone = np.arange(table.n)
    pairs = []
    for attribute in table.attributes:
        if attribute.role is Role.IDENTIFIER or (attribute.column.numbers is not None) != numeric:
            continue
        if not numeric and len(attribute.column.values) > MOST_VALUES:
            continue
        cover = cover_of(table, released, attribute.name)
        if cover is not None:
            pairs.append((plain_cover(attribute, everyone), cover))
    return pairs


def _pearson(covers: list[Cover], rows: NDArray[np.int64], watch: Watch) -> NDArray[np.float64]:
    """Correlations over the records in which both columns are known; 0 if one is constant."""
    count = len(covers)
    related = np.zeros((count, count))
    middles = [cover.centers[cover.codes[rows]] if cover.centers is not None else np.zeros(0) for cover in covers]
    for first in range(count):
        for second in range(first + 1, count):
            watch(first / count)
            known = ~(np.isnan(middles[first]) | np.isnan(middles[second]))
            a, b = middles[first][known], middles[second][known]
            if len(a) > 1 and a.std() > 0 and b.std() > 0:
                related[first, second] = np.corrcoef(a, b)[0, 1]
    return related


def _cramer(covers: list[Cover], rows: NDArray[np.int64], watch: Watch) -> NDArray[np.float64]:
    """Cramér's V of every pair; 0 if a column is constant."""
    count = len(covers)
    related = np.zeros((count, count))
    parts = [_parts(cover)[cover.codes[rows]] for cover in covers]
    for first in range(count):
        for second in range(first + 1, count):
            watch(first / count)
            related[first, second] = _association(parts[first].T @ parts[second])
    return related


def _parts(cover: Cover) -> NDArray[np.float64]:
    """The share of each label that goes to each value, shape (labels, values)."""
    return np.stack([cover.fractions(np.arange(cover.domain) == value) for value in range(cover.domain)], axis=1)


def _association(counts: NDArray[np.float64]) -> float:
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    least = min(counts.shape) - 1
    if least < 1:
        return 0.0
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    squared = float(((counts - expected) ** 2 / expected).sum())
    return float(np.sqrt(squared / (total * least)))
