"""Machine-learning accuracy: how well a classifier trained on the release predicts for people it has not seen.

Iyengar, "Transforming Data to Satisfy Privacy Constraints", KDD 2002; LeFevre, DeWitt and Ramakrishnan,
"Workload-Aware Anonymization", KDD 2006.

A share of the records is held out. A naive Bayes classifier learns from the other records of the release, another one
from the same records of the original; both then predict the held-out original records. ``value`` is the accuracy of the
first, ``original`` that of the second, ``majority`` that of always predicting the most frequent value.

Guarantees: none; a measure.
Cost: O(n q) to learn, O(held out · q · values) to predict.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.labels.label_values import Cover, cover_of, plain_cover
from antifaz.tables.parts import TableUtility
from antifaz.tables.synthetic.bayes import learn
from antifaz.tables.table import Attribute, ProtectedTable, Role, Table
from antifaz.watch import Watch

MOST_VALUES = 64
"""Largest number of values that are learned: the most frequent ones of a column."""


class MlAccuracy(TableUtility):
    """Accuracy of a classifier trained on the release, against one trained on the original."""

    default: ClassVar[bool] = False

    name: Literal["ml_accuracy"] = "ml_accuracy"
    target: str | None = None
    """Column that is predicted; by default the first sensitive one, else the first that is not a quasi-identifier."""
    held_out: float = Field(default=0.3, gt=0, lt=1)
    """Share of the released records that is held out for the test."""
    judged: int = Field(default=5000, ge=1, le=100_000)
    """Largest number of records that are predicted."""

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Learn twice, predict the same people."""
        watch(0.0)
        target = self._choose(table)
        held_out = round(self.held_out * len(released.records))
        size = min(held_out, self.judged)
        if target is None or size < 1 or held_out == len(released.records):
            return {"value": 0.0, "original": 0.0, "majority": 0.0, "loss": 0.0, "judged": 0}
        chosen = rng.permutation(len(released.records))
        tested, learned = chosen[:size], chosen[held_out:]
        accuracies = _learn_and_judge(table, released, target, learned, tested)
        watch(1.0)
        return {**accuracies, "target": target.name, "judged": size}

    def _choose(self, table: Table) -> Attribute | None:
        candidates = [*table.having(Role.SENSITIVE), *table.having(Role.INSENSITIVE)]
        named = [attribute for attribute in candidates if self.target in (None, attribute.name)]
        return named[0] if named else None


def _learn_and_judge(
    table: Table, released: ProtectedTable, target: Attribute, learned: NDArray[np.int64], tested: NDArray[np.int64]
) -> dict[str, float]:
    codes = target.column.codes.astype(np.int64)
    shown = _shown_codes(target, released)
    common = np.argsort(-np.bincount(codes), kind="stable")[:MOST_VALUES]
    places = np.full(len(target.column.values), -1, dtype=np.int64)
    places[common] = np.arange(len(common))
    people, teachers = released.records[tested], released.records[learned]
    features = [(a, cover) for a in table.quasi_identifiers if (cover := cover_of(table, released, a.name)) is not None]
    plain = [plain_cover(attribute, np.arange(table.n)) for attribute, _ in features]
    known = [attribute.column.codes[people] for attribute, _ in features]
    truths = places[codes[people]]

    def accuracy(covers: list[Cover], rows: NDArray[np.int64], values: NDArray[np.int64]) -> float:
        usable = (values >= 0) & (places[np.maximum(values, 0)] >= 0)
        model = learn(covers, rows[usable], places[values[usable]], len(common))
        return float(np.mean(np.broadcast_to(model.name(known), len(people)) == truths))

    value = accuracy([cover for _, cover in features], learned, shown[learned])
    original = accuracy(plain, teachers, codes[teachers])
    majority = float(np.mean(truths == np.argmax(np.bincount(places[codes[teachers]][places[codes[teachers]] >= 0]))))
    return {"value": value, "original": original, "majority": majority, "loss": original - value}


def _shown_codes(target: Attribute, released: ProtectedTable) -> NDArray[np.int64]:
    """The target of every released record in the original's codes; -1 for labels that are not a value."""
    places = {str(value): code for code, value in enumerate(target.column.values)}
    columns = [column for column in released.columns if column.source == target.name]
    if not columns:
        return np.full(len(released.records), -1, dtype=np.int64)
    lookup = np.array([places.get(str(label), -1) for label in columns[0].labels], dtype=np.int64)
    return lookup[columns[0].codes]
