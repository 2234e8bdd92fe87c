"""Sizes: lower bounds on the bytes of a release, known before it is rendered."""

from collections.abc import Sequence

import numpy as np

from antifaz.tables.table import ReleasedColumn
from formats.catalogue import table_format


def least_bytes(columns: Sequence[ReleasedColumn], formats: Sequence[str]) -> int:
    """A lower bound on the size of a table's cells in the formats that write them out."""
    times = sum(table_format(form).repeats_labels for form in formats)
    return times * sum(_bytes_of(column) + len(column.codes) for column in columns)


def _bytes_of(column: ReleasedColumn) -> int:
    lengths = np.array([len(str(label).encode()) for label in column.labels], dtype=np.int64)
    return int(np.bincount(column.codes, minlength=len(lengths)) @ lengths) if len(lengths) else 0
