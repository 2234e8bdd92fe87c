"""Extremes: who has the lowest or the highest value of a column is often known, and easy to find.

The attacker knows that a person is the oldest, the youngest or the best paid, and nothing else about them. They choose
one of the records with the most extreme label of that column at random. ``rate`` is the probability that it is the
person's record, for the column and the end at which this is most likely compared with choosing any record. Top and
bottom coding prevents it, and so does any guarantee that puts k records behind every label.

Guarantees: none; an attack.
Cost: O(n) per quasi-identifier with numbers or dates.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.part import Question, Story
from antifaz.tables.labels.label_values import cover_of
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Extremes(TableAttack):
    """Look for the people with the lowest and the highest values of a column among the most extreme labels."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "who has the lowest or the highest value of a column"
    learns: ClassVar[str] = "which record is that person's"
    guesses: ClassVar[str] = "any record of the release"
    story: ClassVar[Story] = Story(
        "someone who knows only who has the lowest or the highest {column}",
        "finds that person's record {} times",
        "choosing any record does so {} times",
    )

    name: Literal["extremes"] = "extremes"

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack both ends of every quasi-identifier with numbers; the rate is that of the most exposed one."""
        watch(0.0)
        n = len(released.records)
        outcomes = list(_outcomes(table, released)) if n and released.follows else []
        watch(1.0)
        if not outcomes:
            return {"rate": 0.0, "baseline": 0.0, "targets": 0}
        return max(outcomes, key=lambda outcome: outcome["rate"]) | {"baseline": 1.0 / n}


def _outcomes(table: Table, released: ProtectedTable) -> Iterator[dict[str, Any]]:
    for attribute in table.quasi_identifiers:
        numbers, cover = attribute.column.numbers, cover_of(table, released, attribute.name)
        if numbers is None or cover is None or cover.centers is None:
            continue
        shown = cover.centers[cover.codes]
        truths = numbers[attribute.column.codes]
        for end, sign in (("lowest", -1.0), ("highest", 1.0)):
            rate, targets = _success(sign * truths, sign * shown, released.records)
            yield {"rate": rate, "column": attribute.name, "end": end, "targets": targets}


def _success(truths: NDArray[np.float64], shown: NDArray[np.float64], records: NDArray[np.int64]) -> tuple[float, int]:
    """How likely one of the people with the highest value is found, on average, and the number of these people."""
    if np.isnan(truths).all() or np.isnan(shown).all():
        return 0.0, 0
    targets = int(np.count_nonzero(truths == np.nanmax(truths)))
    candidates = shown == np.nanmax(shown)
    found = np.count_nonzero(truths[records[candidates]] == np.nanmax(truths))
    return float(found / (targets * np.count_nonzero(candidates))), targets
