"""Query error: how wrong counts are that an analyst asks of the release.

LeFevre, DeWitt and Ramakrishnan, "Workload-Aware Anonymization", KDD 2006; Xiao and Tao, "Anatomy: Simple and
Effective Privacy Preservation", VLDB 2006 (random counting queries and their relative error).

A query counts the records whose values lie in a random range or set on a few random quasi-identifiers. The original is
counted exactly; a released record counts by the chance that it lies inside, each value of its label being as likely as
the others. The error is relative to the true count, or to a small share of the table where that is smaller.

Guarantees: none; a measure.
Cost: O(queries · classes · columns).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.classes import original_classes, released_classes
from antifaz.tables.label_values import Cover, cover_of, plain_cover
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import Attribute, ProtectedTable, Table
from antifaz.watch import Watch

BOUND = 0.001
"""Counts below this share of the table are judged as if they were it."""
COMPARISONS = 60_000_000
"""The most classes that all queries look at together."""


class QueryError(TableUtility):
    """The relative error of random range counts."""

    name: Literal["query_error"] = "query_error"
    queries: int = Field(default=200, ge=1, le=10_000)
    """How many random counts are asked; fewer on large releases, so that the cost is bounded."""
    dimensions: int = Field(default=2, ge=1, le=10)
    """On how many quasi-identifiers each count has a condition."""
    selectivity: float = Field(default=0.1, gt=0, le=1)
    """The share of the records that a count would select if columns were independent."""

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Ask random counts of both; ``value`` is the median relative error."""
        watch(0.0)
        attributes = table.quasi_identifiers
        if not attributes or not len(released.records):
            return {"value": 0.0, "mean": 0.0, "queries": 0}
        before = _Counted(*original_classes(table), [plain_cover(a, np.arange(table.n)) for a in attributes])
        after = _Counted(*released_classes(released), [cover_of(table, released, a.name) for a in attributes])
        asked = max(10, min(self.queries, COMPARISONS // ((before.classes + after.classes) * self.dimensions)))
        errors = np.zeros(asked)
        for query in range(asked):
            watch(query / asked)
            conditions = self._ask(attributes, rng)
            true = before.count(conditions)
            errors[query] = abs(after.count(conditions) - true) / max(true, BOUND * table.n)
        watch(1.0)
        return {
            "value": float(np.median(errors)),
            "mean": float(errors.mean()),
            "standard_error": float(errors.std() / np.sqrt(asked)),
            "queries": asked,
        }

    def _ask(self, attributes: tuple[Attribute, ...], rng: np.random.Generator) -> dict[int, NDArray[np.bool_]]:
        """Random conditions: for each chosen attribute the values that are inside."""
        count = min(self.dimensions, len(attributes))
        share = self.selectivity ** (1.0 / count)
        chosen = rng.choice(len(attributes), size=count, replace=False)
        return {int(place): _condition(attributes[place], share, rng) for place in chosen}


def _condition(attribute: Attribute, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A random range of numbers, or a random set of texts, that about a share of the records has."""
    column = attribute.column
    weights = np.bincount(column.codes, minlength=len(column.values)) / max(len(column.codes), 1)
    order = np.arange(len(weights)) if column.numbers is not None else rng.permutation(len(weights))
    ends = np.cumsum(weights[order])
    start = rng.random() * (1.0 - share)
    inside = np.zeros(len(weights), dtype=np.bool_)
    inside[order[(ends > start) & (ends - weights[order] < start + share)]] = True
    return inside


class _Counted:
    """One record of every class, and how many records the class has."""

    def __init__(self, numbers: NDArray[np.int64], classes: int, covers: list[Cover | None] | list[Cover]) -> None:
        self.classes = classes
        self._sizes = np.bincount(numbers, minlength=classes).astype(np.float64)
        examples = np.zeros(classes, dtype=np.int64)
        examples[numbers] = np.arange(len(numbers))
        self._covers = covers
        self._labels = [None if cover is None else cover.codes[examples] for cover in covers]

    def count(self, conditions: dict[int, NDArray[np.bool_]]) -> float:
        """How many records are expected inside; a column that is not released says nothing."""
        weights = self._sizes.copy()
        for place, inside in conditions.items():
            cover, labels = self._covers[place], self._labels[place]
            weights *= inside.mean() if cover is None or labels is None else cover.fractions(inside)[labels]
        return float(weights.sum())
