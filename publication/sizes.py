"""Sizes: what is known of the size of a release before it is rendered."""

from collections.abc import Sequence

import numpy as np

from antifaz.errors import InvalidDataset
from antifaz.tables.table import ReleasedColumn, Role, Table
from formats.catalogue import table_format


def least_bytes(columns: Sequence[ReleasedColumn], formats: Sequence[str]) -> int:
    """A lower bound on the size of a table's cells in the formats that write them out."""
    times = sum(table_format(form).repeats_labels for form in formats)
    return times * sum(_bytes_of(column) + len(column.codes) for column in columns)


def _bytes_of(column: ReleasedColumn) -> int:
    lengths = np.array([len(str(label).encode()) for label in column.labels], dtype=np.int64)
    return int(np.bincount(column.codes, minlength=len(lengths)) @ lengths) if len(lengths) else 0


def refuse_large_table(table: Table, form: str) -> None:
    """Refuse a table that spreadsheets could not open in a format. Identifiers are not released as they are."""
    limits, remedy = table_format(form), f"leave {form} out of the formats"
    if limits.most_rows is not None and table.n > limits.most_rows:
        detail = f"a workbook has at most {limits.most_rows:,} rows below its header; {remedy}"
        raise InvalidDataset("format", detail)
    if limits.longest_cell is None:
        return
    for attribute in table.attributes:
        longest = max(map(len, attribute.column.values), default=0)
        if attribute.role is not Role.IDENTIFIER and longest > limits.longest_cell:
            detail = f"a cell of a workbook has at most {limits.longest_cell:,} characters; {remedy}"
            raise InvalidDataset("format", detail, column=attribute.name)
