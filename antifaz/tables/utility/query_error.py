"""Query error: how wrong an analyst's counts on the release are.

LeFevre, DeWitt and Ramakrishnan, "Workload-Aware Anonymization", KDD 2006; Xiao and Tao, "Anatomy: Simple and
Effective Privacy Preservation", VLDB 2006 (random counting queries and their relative error).

A query counts the records whose values are in a random range or set on a few random quasi-identifiers. The original is
counted exactly; a released record counts with the probability that it is inside, if all values of its label are equally
likely. The error is relative to the true count, or to a small share of the table if the true count is smaller.

Guarantees: none; a measure.
Cost: O(queries · classes · columns).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.classes.classes import original_classes, released_classes
from antifaz.tables.labels.label_values import Cover, cover_of, plain_cover
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import Attribute, ProtectedTable, Table
from antifaz.watch import Watch

BOUND = 0.001
"""Smallest divisor of an error, as a share of the table."""
COMPARISONS = 60_000_000
"""Largest number of classes that all queries read together."""


class QueryError(TableUtility):
    """The relative error of random range counts."""

    name: Literal["query_error"] = "query_error"
    queries: int = Field(default=200, ge=1, le=10_000)
    """Number of random counts; fewer on large releases, so that the cost is bounded."""
    dimensions: int = Field(default=2, ge=1, le=10)
    """Number of quasi-identifiers on which each count has a condition."""
    selectivity: float = Field(default=0.1, gt=0, le=1)
    """Share of the records that a count would select if columns were independent."""

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare random counts on both; ``value`` is the median relative error."""
        watch(0.0)
        attributes = table.quasi_identifiers
        if not attributes or not len(released.records):
            return {"value": 0.0, "mean": 0.0, "queries": 0}
        before = _Counted(*original_classes(table), [plain_cover(a, np.arange(table.n)) for a in attributes])
        after = _Counted(*released_classes(released), [cover_of(table, released, a.name) for a in attributes])
        count = max(10, min(self.queries, COMPARISONS // ((before.classes + after.classes) * self.dimensions)))
        errors = np.zeros(count)
        for query in range(count):
            watch(query / count)
            conditions = self._ask(attributes, rng)
            true = before.count(conditions)
            errors[query] = abs(after.count(conditions) - true) / max(true, BOUND * table.n)
        watch(1.0)
        return {
            "value": float(np.median(errors)),
            "mean": float(errors.mean()),
            "standard_error": float(errors.std() / np.sqrt(count)),
            "queries": count,
        }

    def _ask(self, attributes: tuple[Attribute, ...], rng: np.random.Generator) -> dict[int, NDArray[np.bool_]]:
        """Random conditions: for each chosen attribute, the values that are inside."""
        count = min(self.dimensions, len(attributes))
        share = self.selectivity ** (1.0 / count)
        chosen = rng.choice(len(attributes), size=count, replace=False)
        return {int(place): _condition(attributes[place], share, rng) for place in chosen}


def _condition(attribute: Attribute, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A random range of numbers, or a random set of texts, that selects about a given share of the records."""
    column = attribute.column
    weights = np.bincount(column.codes, minlength=len(column.values)) / max(len(column.codes), 1)
    order = np.arange(len(weights)) if column.numbers is not None else rng.permutation(len(weights))
    ends = np.cumsum(weights[order])
    start = rng.random() * (1.0 - share)
    inside = np.zeros(len(weights), dtype=np.bool_)
    inside[order[(ends > start) & (ends - weights[order] < start + share)]] = True
    return inside


class _Counted:
    """One record of every class, and the size of the class."""

    def __init__(self, numbers: NDArray[np.int64], classes: int, covers: list[Cover | None] | list[Cover]) -> None:
        self.classes = classes
        self._sizes = np.bincount(numbers, minlength=classes).astype(np.float64)
        examples = np.zeros(classes, dtype=np.int64)
        examples[numbers] = np.arange(len(numbers))
        self._covers = covers
        self._labels = [None if cover is None else cover.codes[examples] for cover in covers]

    def count(self, conditions: dict[int, NDArray[np.bool_]]) -> float:
        """The expected number of records inside; a column that is not released gives no information."""
        weights = self._sizes.copy()
        for place, inside in conditions.items():
            cover, labels = self._covers[place], self._labels[place]
            weights *= inside.mean() if cover is None or labels is None else cover.fractions(inside)[labels]
        return float(weights.sum())
