"""Interval disclosure: how often an interval around a released number contains the true one.

Domingo-Ferrer and Torra, "A Quantitative Comparison of Disclosure Control Methods for Microdata", in Confidentiality,
Disclosure and Data Access, 2001; the intervals by standard deviation follow Mateo-Sanz, Sebé and Domingo-Ferrer,
"Outlier Protection in Continuous Microdata Masking", PSD 2004.

An interval around the released number (the middle of a range) extends to either side by p % of the records by rank, or
by p % of the standard deviation by value, for p from 1 to the given width. ``rate`` is the mean share of records whose
true value is inside, by rank; ``baseline`` is the same around the numbers of other records, drawn at random.

Guarantees: none; an attack.
Cost: O(n log n) per quasi-identifier with numbers or dates, on a sample of the records.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Story
from antifaz.tables.label_values import cover_of
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class IntervalDisclosure(TableAttack):
    """Check how often true numbers are in intervals around the released ones."""

    story: ClassVar[Story] = Story(
        "someone who reads a person's row",
        "estimates {column} closely for {} people",
        "a random row does so for {}",
    )

    name: Literal["interval_disclosure"] = "interval_disclosure"
    width: int = Field(default=10, ge=1, le=50)
    """Widest interval, in percent of the ranks or of the standard deviation to either side."""
    targets: int = Field(default=20_000, ge=1, le=1_000_000)
    """Largest number of released records that are attacked."""

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every quasi-identifier with numbers or dates; the rates are means over them."""
        watch(0.0)
        size = min(self.targets, len(released.records))
        chosen = np.sort(rng.choice(len(released.records), size=size, replace=False))
        outcomes: dict[str, dict[str, float]] = {}
        measured = [attribute for attribute in table.quasi_identifiers if attribute.column.numbers is not None]
        for index, attribute in enumerate(measured):
            watch(index / len(measured))
            cover, numbers = cover_of(table, released, attribute.name), attribute.column.numbers
            if cover is None or cover.centers is None or numbers is None:
                continue
            truths = numbers[attribute.column.codes]
            centers = cover.centers[cover.codes][chosen]
            outcomes[attribute.name] = self._enclose(truths, centers, truths[released.records][chosen], rng)
        watch(1.0)
        return {**_mean(list(outcomes.values())), "targets": size, "columns": outcomes}

    def _enclose(
        self, everyone: NDArray[np.float64], centers: NDArray[np.float64], truths: NDArray[np.float64], rng: Any
    ) -> dict[str, float]:
        """Shares of true values inside the intervals, by rank and by deviation."""
        shown = ~(np.isnan(centers) | np.isnan(truths))
        ordered = np.sort(everyone[~np.isnan(everyone)])
        targets = max(len(centers), 1)
        if not shown.any():
            return {"rate": 0.0, "baseline": 0.0, "deviation_rate": 0.0}
        centers, truths = centers[shown], truths[shown]
        shuffled = centers[rng.permutation(len(centers))]
        share = len(centers) / targets
        return {
            "rate": share * self._by_rank(ordered, centers, truths),
            "baseline": share * self._by_rank(ordered, shuffled, truths),
            "deviation_rate": share * self._by_deviation(float(ordered.std()), centers, truths),
        }

    def _by_rank(
        self, ordered: NDArray[np.float64], centers: NDArray[np.float64], truths: NDArray[np.float64]
    ) -> float:
        first = np.searchsorted(ordered, centers, side="left")
        last = np.searchsorted(ordered, centers, side="right") - 1
        hits = 0.0
        for percent in range(1, self.width + 1):
            reach = round(percent * len(ordered) / 100)
            low = ordered[np.clip(np.minimum(first, last + 1) - reach, 0, len(ordered) - 1)]
            high = ordered[np.clip(np.maximum(last, first - 1) + reach, 0, len(ordered) - 1)]
            inside = (np.minimum(low, centers) <= truths) & (truths <= np.maximum(high, centers))
            hits += float(np.mean(inside))
        return hits / self.width

    def _by_deviation(self, deviation: float, centers: NDArray[np.float64], truths: NDArray[np.float64]) -> float:
        gaps = np.abs(centers - truths)
        reaches = deviation * np.arange(1, self.width + 1) / 100
        return float(np.mean([np.mean(gaps <= reach) for reach in reaches]))


def _mean(outcomes: list[dict[str, float]]) -> dict[str, float]:
    names = ("rate", "baseline", "deviation_rate")
    return {name: float(np.mean([outcome[name] for outcome in outcomes])) if outcomes else 0.0 for name in names}
