"""Same: whether a released column shows the original's values unchanged."""

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.readings import read_number
from antifaz.tables.table import Attribute, Column, ProtectedTable


def shows_original(attribute: Attribute, released: ProtectedTable) -> bool:
    """Whether every released record shows the attribute's original value."""
    return bool(unchanged_cells(attribute, released).all())


def unchanged_cells(attribute: Attribute, released: ProtectedTable) -> NDArray[np.bool_]:
    """For every released record, whether it shows the attribute's original value; equal numbers are equal however
    written, and an attribute that is released as two columns is never shown."""
    columns = [column for column in released.columns if column.source == attribute.name]
    if len(columns) != 1:
        return np.zeros(len(released.records), dtype=np.bool_)
    codes = _codes_of(attribute.column, columns[0].labels)
    return np.asarray(codes[columns[0].codes] == attribute.column.codes[released.records])


def _codes_of(column: Column, labels: NDArray[np.object_]) -> NDArray[np.int64]:
    """The code of each label in the original's domain, -1 if it is not there."""
    known = {str(value): code for code, value in enumerate(column.values)}
    if column.numbers is not None:
        known = {str(number): code for code, number in enumerate(column.numbers.tolist())}
    return np.array([known.get(_fold(column, str(label)), -1) for label in labels], dtype=np.int64)


def _fold(column: Column, label: str) -> str:
    if column.numbers is None:
        return label
    return str(np.nan) if not label else str(read_number(column.type, label))
