"""Kept: how much of a table its release still shows.

A cell is kept if its record is released and its label is not suppressed. A column that shows the same label in every
record, although the original has several values, says nothing about anyone: none of its cells is kept.
"""

import numpy as np

from antifaz.arrays import distinct
from antifaz.tables.labels.recode import SUPPRESSED
from antifaz.tables.table import Attribute, ProtectedTable, Role, Table


def kept_cells(table: Table, released: ProtectedTable) -> float:
    """The share of the original's known cells, without those of identifiers, that the release keeps; 1 if there are
    none."""
    attributes = [attribute for attribute in table.attributes if attribute.role is not Role.IDENTIFIER]
    known = [int(np.count_nonzero(each.column.codes != each.column.missing)) for each in attributes]
    kept = [min(_kept_of(attribute, released), most) for attribute, most in zip(attributes, known, strict=True)]
    return sum(kept) / sum(known) if sum(known) else 1.0


def _kept_of(attribute: Attribute, released: ProtectedTable) -> int:
    columns = [column for column in released.columns if column.source == attribute.name]
    varied = len(distinct(attribute.column.codes)) > 1
    shown = np.zeros(len(released.records), dtype=np.bool_)
    for column in columns:
        constant = len(distinct(column.codes)) < 2
        if not (varied and constant):
            shown |= ~np.isin(column.labels, ["", SUPPRESSED])[column.codes]
    return int(np.count_nonzero(shown))
