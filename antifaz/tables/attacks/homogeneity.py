"""Homogeneity attack: read a person's sensitive value from their class.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.

The attacker finds the class of a person by their quasi-identifiers and names its most frequent sensitive value; if
quasi-identifiers were masked, the class is replaced by the nearest records (of a sample of people). ``rate`` is the
share of people for whom that is their true value, ``certain`` the share for whom there is also no other value to choose
from, and ``baseline`` the share for whom the most frequent value of the whole release is true. With several sensitive
columns, the figures are those of the ``column`` that is named best compared with guessing.

Guarantees: none; an attack.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.part import Question, Story
from antifaz.tables.classes.classes import homogeneous_records, released_classes
from antifaz.tables.labels.finding import TrueValues, masked_columns, most_exposed, most_frequent, nearest_records
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch

TARGETS = 2000
"""Most people that are attacked if quasi-identifiers were masked; otherwise everyone is."""


class Homogeneity(TableAttack):
    """Guess each record's sensitive value from its class."""

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "the quasi-identifiers of a person"
    learns: ClassVar[str] = "a sensitive value of that person"
    guesses: ClassVar[str] = "naming the most common value of the release"
    story: ClassVar[Story] = Story(
        "someone who knows the {known} of a person",
        "names {column} correctly for {} people",
        "naming the most common value is correct for {}",
    )

    name: Literal["homogeneity"] = "homogeneity"

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every sensitive column; the rates are those of the most exposed column."""
        watch(0.0)
        columns = [column for column in released.columns if column.role is Role.SENSITIVE]
        none = {"rate": 0.0, "baseline": 0.0, "certain": 0.0}
        if not columns or not len(released.records):
            return {**none, "targets": 0, "columns": {}}
        if masked_columns(table, released):
            people, named = _by_nearest(table, released, columns, rng, watch)
        else:
            people, named = _by_class(released, columns)
        outcomes = {c.name: _judge(table, released, c, people, *named[c.name]) for c in columns}
        watch(1.0)
        worst = most_exposed(outcomes)
        return {**outcomes[worst], "column": worst, "targets": len(people), "columns": outcomes}


Named = dict[str, tuple[NDArray[np.int64], NDArray[np.bool_]]]
"""For every column, the value named for each person, and whether there was no other."""


def _by_class(released: ProtectedTable, columns: list[ReleasedColumn]) -> tuple[NDArray[np.int64], Named]:
    numbers, classes = released_classes(released)
    named: Named = {}
    for column in columns:
        codes = column.folded_codes.astype(np.int64)
        alike = homogeneous_records(numbers, classes, column.folded_codes)
        named[column.name] = most_frequent(numbers, classes, codes), alike
    return np.arange(len(released.records), dtype=np.int64), named


def _by_nearest(
    table: Table, released: ProtectedTable, columns: list[ReleasedColumn], rng: np.random.Generator, watch: Watch
) -> tuple[NDArray[np.int64], Named]:
    people: list[int] = []
    guesses: dict[str, tuple[list[int], list[bool]]] = {column.name: ([], []) for column in columns}
    for person, members in nearest_records(table, released, TARGETS, rng, watch):
        people.append(person)
        for column in columns:
            counts = np.bincount(column.folded_codes[members])
            guesses[column.name][0].append(int(counts.argmax()))
            guesses[column.name][1].append(int(counts.max()) == len(members))
    named = {n: (np.array(v, dtype=np.int64), np.array(c, dtype=np.bool_)) for n, (v, c) in guesses.items()}
    return np.array(people, dtype=np.int64), named


def _judge(
    table: Table,
    released: ProtectedTable,
    column: ReleasedColumn,
    people: NDArray[np.int64],
    named: NDArray[np.int64],
    alike: NDArray[np.bool_],
) -> dict[str, float]:
    if not len(people):
        return {"rate": 0.0, "baseline": 0.0, "certain": 0.0}
    rows = released.records[people]
    truth = TrueValues(table, released, column)
    right = truth.named(named, rows)
    common = np.full(len(people), int(np.bincount(column.folded_codes).argmax()), dtype=np.int64)
    return {
        "rate": float(right.mean()),
        "baseline": float(truth.named(common, rows).mean()),
        "certain": float((right & alike).mean()),
    }
