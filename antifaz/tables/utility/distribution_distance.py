"""Distribution distance: how far the distribution of each released column is from the original's.

Hellinger, "Neue Begründung der Theorie quadratischer Formen von unendlichvielen Veränderlichen", Crelle 1909, and
Rubner, Tomasi and Guibas, "The Earth Mover's Distance as a Metric for Image Retrieval", IJCV 2000, define two of the
distances; total variation is half the sum of the differences.

A label counts in equal parts for each value that it covers. The cost of moving shares, in the earth mover's distance,
is the difference of numbers over the width of the domain, the height of the common ancestor if there is a hierarchy,
and else the same for all values. All three distances are 0 for equal distributions and at most 1.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.labels.label_values import cover_of
from antifaz.tables.labels.space import domain_width, invert
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import Attribute, ProtectedTable, Role, Table
from antifaz.watch import Watch


class DistributionDistance(TableUtility):
    """Hellinger, total variation and earth mover's distance between original and released columns."""

    name: Literal["distribution_distance"] = "distribution_distance"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The distances of every released column; ``value`` is the mean total variation."""
        watch(0.0)
        shown = [attribute for attribute in table.attributes if attribute.role is not Role.IDENTIFIER]
        distances: dict[str, dict[str, float]] = {}
        for index, attribute in enumerate(shown):
            watch(index / len(shown))
            cover = cover_of(table, released, attribute.name)
            if cover is None or not len(released.records):
                continue
            weights = np.bincount(cover.codes, minlength=cover.labels).astype(np.float64)
            distances[attribute.name] = _compare(attribute, cover.spread(weights) / weights.sum())
        watch(1.0)
        moved = [distance["total_variation"] for distance in distances.values()]
        return {"value": float(np.mean(moved)) if moved else 0.0, "columns": distances}


def _compare(attribute: Attribute, shares: NDArray[np.float64]) -> dict[str, float]:
    column = attribute.column
    counts = np.bincount(column.codes, minlength=len(column.values))
    original = counts / max(int(counts.sum()), 1)
    return {
        "hellinger": float(np.sqrt(np.maximum(1.0 - np.sqrt(original * shares).sum(), 0.0))),
        "total_variation": float(np.abs(original - shares).sum() / 2.0),
        "emd": _move(attribute, original, shares),
    }


def _move(attribute: Attribute, original: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """The earth mover's distance with the attribute's own cost."""
    numbers, hierarchy = attribute.column.numbers, attribute.generalization
    gaps = original - shares
    if numbers is not None:
        known = ~np.isnan(numbers)
        lengths = np.diff(numbers[known]) * invert(domain_width(numbers))
        carried = np.abs(np.cumsum(gaps[known])[:-1])
        return float((carried * lengths).sum() + np.abs(gaps[~known]).sum())
    levels = hierarchy.groups[:-1] if hierarchy is not None else [np.arange(len(gaps))]
    return float(np.mean([np.abs(np.bincount(groups, weights=gaps)).sum() / 2.0 for groups in levels]))
