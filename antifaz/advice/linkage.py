"""Linkage: how many rows the columns single out together, and how much one more column adds to that."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.table import Column

LARGEST = 200_000
"""Largest number of rows that are read, spread evenly over the file."""


def chosen_rows(n: int, most: int = LARGEST) -> NDArray[np.int64]:
    """Some rows, spread evenly."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.int64)


def combined(keys: NDArray[np.int64], column: Column, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The classes of some rows, divided further by one column."""
    joined = keys * np.int64(len(column.values) + 1) + column.codes[rows]
    numbers: NDArray[np.int64] = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    return numbers


def classes_of(columns: Sequence[Column], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The class of each chosen row by all columns together."""
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in columns:
        keys = combined(keys, column, rows)
    return keys


def share_unique(keys: NDArray[np.int64]) -> float:
    """The share of rows that are alone in their class."""
    return float(np.count_nonzero(np.bincount(keys) == 1)) / len(keys) if len(keys) else 0.0
