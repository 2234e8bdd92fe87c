"""The data dictionary of a release: the meaning of each column and how to read its labels."""

from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc

from antifaz.tables.table import ReleasedColumn
from formats.core.cells import cells_of
from formats.tables.csv_writer import csv_name, is_run_by_spreadsheets


def describe_columns(columns: Sequence[ReleasedColumn]) -> list[dict[str, Any]]:
    """One entry per released column.

    ``formula_guard`` is true if the name or some texts of the column have a leading apostrophe in csv, and only there,
    because a spreadsheet would run them as formulas.
    """
    return [
        {
            "name": column.name,
            "source": column.source,
            "type": column.type.value,
            "role": column.role.value,
            "meaning": column.meaning,
            "formula_guard": _has_apostrophe(column),
        }
        for column in columns
    ]


def _has_apostrophe(column: ReleasedColumn) -> bool:
    return csv_name(column.name) != column.name or bool(pc.any(is_run_by_spreadsheets(cells_of(column))).as_py())
