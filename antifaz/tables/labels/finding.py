"""Finding: which released records an attacker takes for a person's, given the person's true quasi-identifiers.

If every label covers the value behind it, the attacker finds the person's class. If values were masked (noise,
swapping, rounding, means of groups, invented records), a person's own record need not look like them: the attacker
takes the records whose labels are nearest. An attack that starts from the person's own record there would assume what
it has to show.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.tables.linkage import TIE
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.labels.label_distance import label_distances
from antifaz.tables.labels.label_values import Cover, cover_of
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.tables.texts.folding import fold_codes
from antifaz.watch import Watch

FEWEST_TARGETS = 100
"""Fewest records that are attacked, whatever a policy asks for: a sample of a few people measures nothing."""
COMPARISONS = 100_000_000
"""Largest number of comparisons of a target's cell with a class's label."""
CELLS = 30_000_000
"""Largest number of distances between values and labels that are kept."""
_KEPT = "masked_columns"


def masked_columns(table: Table, released: ProtectedTable) -> tuple[str, ...]:
    """The quasi-identifiers of which some label does not cover the value behind it; cached, as most attacks ask."""
    kept: tuple[Table, tuple[str, ...]] | None = released.__dict__.get(_KEPT)
    if kept is None or kept[0] is not table:
        kept = table, tuple(each.name for each in table.quasi_identifiers if _is_masked(table, released, each.name))
        released.__dict__[_KEPT] = kept
    return kept[1]


def _is_masked(table: Table, released: ProtectedTable, name: str) -> bool:
    cover = cover_of(table, released, name)
    if cover is None:
        return False
    values = table.attribute(name).column.codes[released.records].astype(np.int64)
    return not bool(_covers(cover, cover.codes, values).all())


def _covers(cover: Cover, labels: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each label covers the value beside it."""
    if cover.listed is None:
        return np.asarray((cover.lows[labels] <= values) & (values < cover.highs[labels]))
    owners = np.repeat(np.arange(cover.labels, dtype=np.int64), cover.sizes)
    known = owners * np.int64(cover.domain) + cover.listed
    return np.asarray(np.isin(labels * np.int64(cover.domain) + values, known))


class TrueValues:
    """The values of a sensitive column before protection, for judging what an attacker names."""

    def __init__(self, table: Table, released: ProtectedTable, column: ReleasedColumn) -> None:
        attribute = table.attribute(column.source)
        self.values = attribute.column.codes.astype(np.int64)
        self.labels, self.truths = _same_values(column, attribute.column.values)
        self.example = np.zeros(int(column.folded_codes.max(initial=0)) + 1, dtype=np.int64)
        self.example[column.folded_codes] = column.codes
        cover = cover_of(table, released, column.source)
        self.cover = cover if cover is not None and cover.labels == len(column.labels) else None

    def named(self, named: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the released value named for each original row (a folded code) is the row's true value, or a label
        that covers it and not every value."""
        label, value = self.example[named], self.values[rows]
        right = np.asarray(self.labels[label] == self.truths[value])
        if self.cover is None:
            return right
        narrow = self.cover.sizes[label] < max(self.cover.domain, 2)
        return right | (narrow & _covers(self.cover, label, value))


def _same_values(column: ReleasedColumn, values: NDArray[np.object_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for every label and every value of the original: equal if they are spellings of one value."""
    if np.array_equal(column.labels, values):
        folded = fold_codes(values).astype(np.int64)
        return folded, folded
    joint = fold_codes(np.concatenate([column.labels, values])).astype(np.int64)
    return joint[: len(column.labels)], joint[len(column.labels) :]


def most_exposed(outcomes: Mapping[str, Mapping[str, float]]) -> str:
    """The column whose rate is farthest above guessing."""
    return max(outcomes, key=lambda name: outcomes[name]["rate"] - outcomes[name]["baseline"])


def most_frequent(numbers: NDArray[np.int64], classes: int, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every record, the most frequent value of its class."""
    values = int(codes.max()) + 1
    cells, counts = np.unique(numbers * values + codes, return_counts=True)
    order = np.argsort(counts, kind="stable")
    most = np.zeros(classes, dtype=np.int64)
    most[cells[order] // values] = cells[order] % values
    return most[numbers]


def nearest_records(
    table: Table,
    released: ProtectedTable,
    targets: int,
    rng: np.random.Generator,
    watch: Watch,
    without: Sequence[str] = (),
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Draw released records at random and yield each with the records that an attacker takes for that person's.

    The attacker knows the person's quasi-identifiers except ``without``. Nothing is yielded if nothing is known.
    """
    columns = [c for c in released.columns if c.role is Role.QUASI_IDENTIFIER and c.source not in without]
    if not columns or not len(released.records):
        return
    numbers, classes = released_classes(released)
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], np.arange(classes + 1))
    labels = [column.codes[order[starts[:-1]]] for column in columns]
    affordable = min(COMPARISONS // (classes * len(columns)), CELLS // sum(len(each.labels) for each in columns))
    size = min(len(released.records), max(FEWEST_TARGETS, min(targets, affordable)))
    chosen = np.sort(rng.choice(len(released.records), size=size, replace=False))
    gaps = [_gaps(table, column, released, chosen) for column in columns]
    for number, position in enumerate(chosen):
        watch(number / len(chosen))
        total = np.zeros(classes, dtype=np.float64)
        for (places, distances), codes in zip(gaps, labels, strict=True):
            total += distances[places[number]][codes]
        near = np.flatnonzero(total <= total.min() + TIE)
        yield int(position), np.concatenate([order[starts[each] : starts[each + 1]] for each in near])


def _gaps(
    table: Table, column: ReleasedColumn, released: ProtectedTable, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For every row the place of its value, and the distance of each of these values from each label."""
    attribute = table.attribute(column.source)
    truths = attribute.column.codes[released.records]
    values, places = np.unique(truths[chosen].astype(np.int64), return_inverse=True)
    half = column.name.removeprefix(f"{column.source}_") if column.name != column.source else ""
    return places, label_distances(attribute, column, values, half, truths)
