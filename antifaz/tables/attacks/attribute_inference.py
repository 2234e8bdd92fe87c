"""Attribute inference: infer a person's sensitive value from the class, or by a model learned from the release.

Fredrikson, Lantz, Jha, Lin, Page and Ristenpart, "Privacy in Pharmacogenetics", USENIX Security 2014 (models disclose
attributes); Machanavajjhala et al., "l-Diversity", ICDE 2006 (so do classes).

The attacker knows the quasi-identifiers of a person exactly. `by_class` names the most frequent sensitive value of the
person's class (null if quasi-identifiers were masked: no class shows whose it is); `by_classifier` uses a naive Bayes
model learned from all released records except the target's, which needs no class at all. The model's predictions hold
for people outside the table as well, so it is a warning rather than a leak. ``rate`` is the better of the two,
``baseline`` that of always naming the most frequent value. Each is the share of people whose true value was named.

Guarantees: none; an attack.
Cost: O(n q) to learn, O(targets · q · values) to guess.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Question, Story
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.labels.finding import FEWEST_TARGETS, TrueValues, masked_columns, most_exposed, most_frequent
from antifaz.tables.labels.label_values import cover_of
from antifaz.tables.parts import TableAttack
from antifaz.tables.synthetic.bayes import learn
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch

MOST_VALUES = 64
"""Largest number of values that are guessed: the most frequent ones of a column."""


class AttributeInference(TableAttack):
    """Guess sensitive values from the class and by a classifier trained on the release."""

    default: ClassVar[bool] = False

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "the quasi-identifiers of a person"
    learns: ClassVar[str] = "a sensitive value of that person"
    guesses: ClassVar[str] = "naming the most common value of the release"
    story: ClassVar[Story] = Story(
        "someone who knows the {known} of a person and learns from the release",
        "names {column} correctly for {} people",
        "naming the most common value is correct for {}",
    )

    name: Literal["attribute_inference"] = "attribute_inference"
    targets: int = Field(default=2000, ge=1, le=100_000)
    """Largest number of records that are attacked, but at least 100 or half of them; the classifier does not learn from
    them."""

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every sensitive column; the rates are those of the column predicted best above its baseline."""
        watch(0.0)
        columns = [column for column in released.columns if column.role is Role.SENSITIVE]
        none = {"rate": 0.0, "baseline": 0.0, "by_class": 0.0, "by_classifier": 0.0}
        if not columns or not len(released.records):
            return {**none, "targets": 0, "columns": {}}
        size = min(max(1, len(released.records) // 2), max(FEWEST_TARGETS, self.targets))
        chosen = np.sort(rng.choice(len(released.records), size=size, replace=False))
        masked = bool(masked_columns(table, released))
        outcomes: dict[str, dict[str, Any]] = {}
        for index, column in enumerate(columns):
            watch(index / len(columns))
            outcomes[column.name] = _infer(table, released, column, chosen, masked)
        watch(1.0)
        worst = most_exposed(outcomes)
        return {**outcomes[worst], "column": worst, "targets": size, "columns": outcomes}


def _infer(
    table: Table, released: ProtectedTable, column: ReleasedColumn, chosen: NDArray[np.int64], masked: bool
) -> dict[str, Any]:
    """The share of correct guesses of each way of guessing."""
    codes = column.folded_codes.astype(np.int64)
    truth, rows = TrueValues(table, released, column), released.records[chosen]
    by_class = None
    if not masked:
        by_class = float(truth.named(most_frequent(*released_classes(released), codes)[chosen], rows).mean())
    by_classifier = float(truth.named(_classify(table, released, codes, chosen), rows).mean())
    common = np.full(len(chosen), int(np.argmax(np.bincount(codes))), dtype=np.int64)
    return {
        "rate": max(by_class or 0.0, by_classifier),
        "baseline": float(truth.named(common, rows).mean()),
        "by_class": by_class,
        "by_classifier": by_classifier,
    }


def _classify(
    table: Table, released: ProtectedTable, codes: NDArray[np.int64], chosen: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The value that a model learned from the other records predicts for each target."""
    common = np.argsort(-np.bincount(codes), kind="stable")[:MOST_VALUES]
    places = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
    places[common] = np.arange(len(common))
    others = np.delete(np.arange(len(codes)), chosen)
    known = others[places[codes[others]] >= 0]
    shown = [(a, cover) for a in table.quasi_identifiers if (cover := cover_of(table, released, a.name)) is not None]
    model = learn([cover for _, cover in shown], known, places[codes[known]], len(common))
    people = released.records[chosen]
    named = model.name([attribute.column.codes[people] for attribute, _ in shown])
    return common[np.broadcast_to(named, len(chosen))]
