"""Interval disclosure: how often an attacker knows a person's number up to a small interval.

Domingo-Ferrer and Torra, "A Quantitative Comparison of Disclosure Control Methods for Microdata", in Confidentiality,
Disclosure and Data Access, 2001; the intervals by standard deviation follow Mateo-Sanz, Sebé and Domingo-Ferrer,
"Outlier Protection in Continuous Microdata Masking", PSD 2004.

The attacker estimates what is not known yet: numbers and dates in sensitive columns, from the person's class (or the
nearest records, if quasi-identifiers were masked); and masked quasi-identifiers, from the records nearest in all other
quasi-identifiers. A quasi-identifier that a guarantee assumes to be known is not estimated, and neither is one that was
generalized. The estimate is the median of the records found. An interval around it extends to either side by p % of the
records by rank, or by p % of the standard deviation by value, for p from 1 to the given width. ``rate`` is the mean
share of people whose true value is inside, by rank; ``baseline`` is the same around the median of the whole release.
The figures are those of the ``column`` that is estimated best compared with guessing.

Guarantees: none; an attack.
Cost: O(n log n) per column that is estimated; O(targets · classes · q) per masked one.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from antifaz.part import Guarantee, Part, Question, Story
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.labels.finding import FEWEST_TARGETS, masked_columns, most_exposed, nearest_records
from antifaz.tables.labels.label_values import cover_of
from antifaz.tables.parts import TableAttack, TableGuarantee
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch, within

LINKED = 1000
"""Most people whose records are searched for by distance."""
Numbers = NDArray[np.float64]


class IntervalDisclosure(TableAttack):
    """Estimate sensitive and masked numbers of people, and check how often the true one is near."""

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "the quasi-identifiers of a person, except the number in question"
    learns: ClassVar[str] = "a number of that person up to a few percent of the ranks"
    guesses: ClassVar[str] = "an interval of the same width around the median of the release"
    story: ClassVar[Story] = Story(
        "someone who knows the {others} of a person",
        "estimates {column} closely for {} people",
        "an estimate by the median of all does so for {}",
    )

    name: Literal["interval_disclosure"] = "interval_disclosure"
    width: int = Field(default=10, ge=1, le=50)
    """Widest interval, in percent of the ranks or of the standard deviation to either side."""
    targets: int = Field(default=20_000, ge=1, le=1_000_000)
    """Largest number of released records that are attacked, at least 100."""
    _known: bool = PrivateAttr(default=False)
    """Whether a guarantee assumes that the attacker knows the quasi-identifiers."""

    def beside(self, guarantees: Sequence[Part]) -> Self:
        """Return the attack on what the attacker of these guarantees does not know."""
        placed = self.model_copy()
        placed._known = any(isinstance(g, TableGuarantee) and _assumes_knowledge(g) for g in guarantees)  # noqa: SLF001 - a copy of this object
        return placed

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every column of numbers or dates that is not known; the rates are those of the most exposed one."""
        watch(0.0)
        masked = masked_columns(table, released)
        sensitive = [attribute.name for attribute in table.having(Role.SENSITIVE)]
        unknown = [*sensitive, *(() if self._known else masked)]
        outcomes: dict[str, dict[str, Any]] = {}
        for index, name in enumerate(unknown):
            share = within(watch, index / len(unknown), (index + 1) / len(unknown))
            share(0.0)
            numbers, cover = table.attribute(name).column.numbers, cover_of(table, released, name)
            if numbers is None or cover is None or cover.centers is None or not len(released.records):
                continue
            shown = cover.centers[cover.codes]
            people, estimates = self._estimates(table, released, name, shown, rng, share)
            if len(people):
                truths = numbers[table.attribute(name).column.codes]
                outcomes[name] = self._judge(truths, shown, released.records[people], estimates)
        watch(1.0)
        if not outcomes:
            return {"rate": 0.0, "baseline": 0.0, "deviation_rate": 0.0, "targets": 0, "columns": {}}
        worst = most_exposed(outcomes)
        return {**outcomes[worst], "column": worst, "columns": outcomes}

    def _estimates(
        self, table: Table, released: ProtectedTable, name: str, shown: Numbers, rng: np.random.Generator, watch: Watch
    ) -> tuple[NDArray[np.int64], Numbers]:
        """Some people, as positions in the release, and the attacker's estimate of each one's number."""
        masked = masked_columns(table, released)
        most = max(FEWEST_TARGETS, self.targets)
        if not masked:
            size = min(most, len(released.records))
            chosen = np.sort(rng.choice(len(released.records), size=size, replace=False))
            return chosen, class_medians(*released_classes(released), shown)[chosen]
        without = [name] if table.attribute(name).role is Role.QUASI_IDENTIFIER else []
        found = list(nearest_records(table, released, min(most, LINKED), rng, watch, without))
        people = np.array([person for person, _ in found], dtype=np.int64)
        return people, np.array([_median(shown[members]) for _, members in found])

    def _judge(self, everyone: Numbers, shown: Numbers, rows: NDArray[np.int64], estimates: Numbers) -> dict[str, Any]:
        """Shares of true values inside the intervals, by rank and by deviation, and for guessing."""
        ordered, truths = np.sort(everyone[~np.isnan(everyone)]), everyone[rows]
        middle = np.full(len(rows), _median(shown))
        inside = ~(np.isnan(estimates) | np.isnan(truths) | np.isnan(middle))
        if not inside.any():
            return {"rate": 0.0, "baseline": 0.0, "deviation_rate": 0.0, "targets": len(rows)}
        share = float(inside.mean())
        return {
            "rate": share * self._by_rank(ordered, estimates[inside], truths[inside]),
            "baseline": share * self._by_rank(ordered, middle[inside], truths[inside]),
            "deviation_rate": share * self._by_deviation(float(ordered.std()), estimates[inside], truths[inside]),
            "targets": len(rows),
        }

    def _by_rank(self, ordered: Numbers, centers: Numbers, truths: Numbers) -> float:
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

    def _by_deviation(self, deviation: float, centers: Numbers, truths: Numbers) -> float:
        gaps = np.abs(centers - truths)
        reaches = deviation * np.arange(1, self.width + 1) / 100
        return float(np.mean([np.mean(gaps <= reach) for reach in reaches]))


def _assumes_knowledge(guarantee: Guarantee) -> bool:
    """A guarantee over classes assumes an attacker who knows the quasi-identifiers; one by mechanism assumes none."""
    return guarantee.evidence != "mechanism"


def class_medians(numbers: NDArray[np.int64], classes: int, shown: Numbers) -> Numbers:
    """For every record the median of its class, of the numbers that are known; NaN if there are none."""
    known = np.flatnonzero(~np.isnan(shown))
    order = known[np.lexsort((shown[known], numbers[known]))]
    counts = np.bincount(numbers[order], minlength=classes)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    medians = np.full(classes, np.nan)
    some = np.flatnonzero(counts)
    low = order[starts[some] + (counts[some] - 1) // 2]
    high = order[starts[some] + counts[some] // 2]
    medians[some] = (shown[low] + shown[high]) / 2.0
    return medians[numbers]


def _median(shown: Numbers) -> float:
    known = shown[~np.isnan(shown)]
    return float(np.median(known)) if len(known) else float("nan")
