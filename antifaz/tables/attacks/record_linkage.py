"""Record linkage: find the released record nearest to each original one.

Domingo-Ferrer and Torra, "A Quantitative Comparison of Disclosure Control Methods for Microdata", in Confidentiality,
Disclosure and Data Access, 2001 (distance-based record linkage).

The attacker knows the quasi-identifiers of some people exactly, and links each to the nearest released records; a value
inside a range, set or group is at distance 0. Among n nearest records the probability of picking the right one is 1/n,
if it is among them. ``rate`` is the mean probability over a random sample of targets, ``highest`` the largest in it.

Guarantees: none; an attack.
Cost: O(targets · classes · q); the sample is small enough to bound it.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.kernels.tables.linkage import link_targets
from antifaz.part import Question, Story
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.labels.finding import CELLS, FEWEST_TARGETS
from antifaz.tables.labels.label_distance import label_distances
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch

COMPARISONS = 400_000_000
"""Largest number of comparisons of a target's cell with a class's label."""


class RecordLinkage(TableAttack):
    """Link original records to the nearest released ones by their quasi-identifiers."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "the quasi-identifiers of a person"
    learns: ClassVar[str] = "which record is that person's"
    guesses: ClassVar[str] = "picking any record"
    always: ClassVar[bool] = True
    story: ClassVar[Story] = Story(
        "someone who knows the {known} of a person and takes the most similar rows",
        "picks the right row for {} people",
    )

    name: Literal["record_linkage"] = "record_linkage"
    targets: int = Field(default=2000, ge=1, le=10_000)
    """Largest number of original records that are attacked, at least 100; fewer on large releases, so that the cost is
    bounded."""

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack a random sample of the original records."""
        watch(0.0)
        columns = [column for column in released.columns if column.role is Role.QUASI_IDENTIFIER]
        if not columns or not len(released.records):
            return {"rate": 0.0, "baseline": 0.0, "targets": 0}
        numbers, classes = released_classes(released)
        sample = self._draw(table.n, classes, columns, rng)
        homes = np.full(table.n, -1, dtype=np.int64)
        homes[released.records] = numbers
        codes, distances, places = _measure(table, released, columns, sample, watch)
        examples = np.zeros(classes, dtype=np.int64)
        examples[numbers] = np.arange(len(numbers))
        labels = np.ascontiguousarray(np.stack([column.codes[examples] for column in columns], axis=1))
        _, chances = link_targets(codes, homes[sample], labels, class_sizes(numbers, classes), distances, places)
        watch(1.0)
        return {
            "rate": float(chances.mean()),
            "highest": float(chances.max()),
            "baseline": 1.0 / table.n,
            "targets": len(sample),
            "standard_error": float(chances.std() / np.sqrt(len(sample))),
        }

    def _draw(
        self, records: int, classes: int, columns: list[ReleasedColumn], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Random targets, up to the number that the parameters and the bounds on the cost allow."""
        affordable = min(
            COMPARISONS // (classes * len(columns)), CELLS // sum(len(column.labels) for column in columns)
        )
        size = min(records, max(FEWEST_TARGETS, min(self.targets, affordable)))
        return np.sort(rng.choice(records, size=size, replace=False))


def _measure(
    table: Table, released: ProtectedTable, columns: list[ReleasedColumn], sample: NDArray[np.int64], watch: Watch
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """Codes of the targets per column, all distances in one array, and the start of each column's distances."""
    codes = np.zeros((len(sample), len(columns)), dtype=np.int32)
    pieces: list[NDArray[np.float32]] = []
    places, size = [], 0
    for index, column in enumerate(columns):
        watch(0.5 * index / len(columns))
        attribute = table.attribute(column.source)
        distinct, codes[:, index] = np.unique(attribute.column.codes[sample], return_inverse=True)
        half = column.name.removeprefix(f"{column.source}_") if column.name != column.source else ""
        distances = label_distances(
            attribute, column, distinct.astype(np.int64), half, attribute.column.codes[released.records]
        )
        places += [size, len(column.labels)]
        size += distances.size
        pieces.append(distances.ravel())
    return codes, np.concatenate(pieces), np.array(places, dtype=np.int64)
