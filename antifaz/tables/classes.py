"""Classes of a table: sizes of equivalence classes before and after protection, and how reports show them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.classes import number_rows
from antifaz.tables.table import ProtectedTable, Role, Table

SIZE_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
"""The bins in which class sizes are reported."""
SMALLEST_COUNT = 10
"""A count of the original below this is reported only as being so."""


def original_classes(table: Table) -> tuple[NDArray[np.int64], int]:
    """The class of every record if the quasi-identifiers were released as they are, and how many there are."""
    return _number([attribute.column.codes for attribute in table.quasi_identifiers], table.n)


def released_classes(released: ProtectedTable) -> tuple[NDArray[np.int64], int]:
    """The equivalence class of every released record, by its labels alone, and how many classes there are."""
    codes = [column.codes for column in released.columns if column.role is Role.QUASI_IDENTIFIER]
    return _number(codes, len(released.records))


def _number(codes: Sequence[NDArray[np.int32]], records: int) -> tuple[NDArray[np.int64], int]:
    if not codes:
        return np.zeros(records, dtype=np.int64), min(1, records)
    numbers, classes = number_rows(np.ascontiguousarray(np.stack(codes, axis=1), dtype=np.int32))
    return numbers, int(classes)


def class_sizes(numbers: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """How many records each class has."""
    return np.bincount(numbers, minlength=classes).astype(np.int64)


def size_histogram(sizes: NDArray[np.int64], *, guarded: bool) -> list[dict[str, Any]]:
    """How many classes there are of each bin of sizes; a guarded count under ten is not told exactly."""
    bins = []
    for low, high in SIZE_BINS:
        count = int(np.count_nonzero((sizes >= low) & (sizes <= (high or np.inf))))
        label = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
        bins.append({"size": label, "classes": guard(count) if guarded else count})
    return bins


def guard(count: int) -> int | str:
    """A count of the original as reports show it: exactly from ten on."""
    return f"<{SMALLEST_COUNT}" if 0 < count < SMALLEST_COUNT else count


def homogeneous_records(numbers: NDArray[np.int64], classes: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For every record whether all of its class share one value of a column."""
    if len(numbers) == 0:
        return np.zeros(0, dtype=np.bool_)
    first = np.zeros(classes, dtype=np.int64)
    first[numbers[::-1]] = codes[::-1]
    mixed = np.zeros(classes, dtype=np.bool_)
    mixed[numbers[codes != first[numbers]]] = True
    return np.asarray(~mixed[numbers])
