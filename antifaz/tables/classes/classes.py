"""Classes of a table: sizes of equivalence classes before and after protection, and how reports show them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.kernels.tables.classes import number_rows
from antifaz.tables.table import ProtectedTable, Role, Table

SIZE_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
"""Bins in which class sizes are reported."""
SMALLEST_COUNT = 10
"""Counts of the original below this are reported only as "below"."""
_LARGEST_KEY = 2**62
_STEP = 1 << 16


def original_classes(table: Table) -> tuple[NDArray[np.int64], int]:
    """The class of every record if the quasi-identifiers were released unchanged, and the number of classes."""
    return number_classes([attribute.column.codes for attribute in table.quasi_identifiers], table.n)


def released_classes(released: ProtectedTable) -> tuple[NDArray[np.int64], int]:
    """The equivalence class of every released record, by its labels alone, and the number of classes."""
    return number_classes(_quasi_identifiers(released), len(released.records))


def classes_of_parts(released: ProtectedTable, parts: NDArray[np.int64]) -> tuple[NDArray[np.int64], int] | None:
    """The class of every part if all records of a part have the same labels, else None.

    A method that labeled records part by part then has to compare only one record of each part.
    """
    columns, records = _quasi_identifiers(released), len(released.records)
    one_of = np.zeros(int(parts.max(initial=-1)) + 1, dtype=np.int64)
    one_of[parts] = np.arange(records)
    known = [labels[one_of] for labels in columns]
    for start in range(0, records, _STEP):
        piece = slice(start, start + _STEP)
        if any((labels[piece] != own[parts[piece]]).any() for labels, own in zip(columns, known, strict=True)):
            return None
    return number_classes(known, len(one_of))


def _quasi_identifiers(released: ProtectedTable) -> list[NDArray[np.int32]]:
    return [column.codes for column in released.columns if column.role is Role.QUASI_IDENTIFIER]


def number_classes(codes: Sequence[NDArray[np.int32]], records: int) -> tuple[NDArray[np.int64], int]:
    """The number of the combination of codes of every record, and the number of combinations."""
    if not codes:
        return np.zeros(records, dtype=np.int64), min(1, records)
    numbers, classes = number_rows(_pack(codes))
    return numbers, int(classes)


def _pack(codes: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Rows that are equal if all codes are: as many columns as fit share one number of 64 bits, in two halves."""
    keys: list[NDArray[np.int64]] = []
    bound = 0
    for column in codes:
        size = int(column.max(initial=0)) + 1
        if keys and bound * size <= _LARGEST_KEY:
            keys[-1] *= size
            keys[-1] += column
            bound *= size
        else:
            keys.append(column.astype(np.int64))
            bound = size
    rows = keys[0][:, None] if len(keys) == 1 else np.ascontiguousarray(np.stack(keys, axis=1))
    return rows.view(np.int32)


def class_sizes(numbers: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """The number of records of each class."""
    return np.bincount(numbers, minlength=classes).astype(np.int64)


def original_crowds(table: Table) -> NDArray[np.int64]:
    """The number of people that each class would have if the quasi-identifiers were released unchanged."""
    return crowds(*original_classes(table), table.unit)


def released_crowds(released: ProtectedTable) -> NDArray[np.int64]:
    """The number of people in each released class."""
    return crowds(*released_classes(released), released.unit)


def crowds(numbers: NDArray[np.int64], classes: int, unit: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The number of people in each class: records, or distinct persons if the table has a privacy unit."""
    if unit is None or not len(unit):
        return class_sizes(numbers, classes)
    persons = np.unique(unit, return_inverse=True)[1].astype(np.int64)
    bound = np.int64(persons.max() + 1)
    return class_sizes(distinct(numbers * bound + persons) // bound, classes)


def size_histogram(sizes: NDArray[np.int64], *, guarded: bool) -> list[dict[str, Any]]:
    """The number of classes in each bin of sizes; a guarded count under ten is not reported exactly."""
    counts = [int(np.count_nonzero((sizes >= low) & (sizes <= (high or np.inf)))) for low, high in SIZE_BINS]
    labels = [f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}" for low, high in SIZE_BINS]
    shown = guard_all(counts) if guarded else counts
    return [{"size": label, "classes": count} for label, count in zip(labels, shown, strict=True)]


def guard_all(counts: Sequence[int]) -> list[int | str]:
    """Counts of the original as reports show them. If only one is withheld, a second one is hidden too: otherwise the
    first would follow from the others and their sum."""
    shown = [guard(count) for count in counts]
    exact = [position for position, count in enumerate(shown) if isinstance(count, int) and count > 0]
    if sum(isinstance(count, str) for count in shown) == 1 and exact:
        shown[min(exact, key=lambda position: counts[position])] = f">={SMALLEST_COUNT}"
    return shown


def guard(count: int) -> int | str:
    """A count of the original as reports show it: exact from ten on."""
    return f"<{SMALLEST_COUNT}" if 0 < count < SMALLEST_COUNT else count


def homogeneous_records(numbers: NDArray[np.int64], classes: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For every record, whether all records of its class share one value of a column."""
    if len(numbers) == 0:
        return np.zeros(0, dtype=np.bool_)
    first = np.zeros(classes, dtype=np.int64)
    first[numbers[::-1]] = codes[::-1]
    mixed = np.zeros(classes, dtype=np.bool_)
    mixed[numbers[codes != first[numbers]]] = True
    return np.asarray(~mixed[numbers])
