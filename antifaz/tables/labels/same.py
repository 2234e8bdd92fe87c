"""Same: which released records show the original's values unchanged, and which of them nobody else shares.

An attacker who knows a person's original values finds a record that shows them, and is sure of it if the record is
alone. So what a release leaves to such an attacker is the share of its records that are unchanged and alone, however
many others were changed, and whatever the method is called. An attacker who searches by the columns in which a record
is unchanged is not misled by its others: a record counts if those columns single it out.

A cell is unchanged if its label means the original value and no other: the same value in any spelling, a range or a set
of that value alone, a group of a hierarchy that has no other value, or a number so close that noise hides nothing.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.classes.classes import crowds, number_classes
from antifaz.tables.labels.label_distance import groups_of, read_list, read_span
from antifaz.tables.table import Attribute, Column, ProtectedTable, ReleasedColumn, Role, Table
from antifaz.tables.texts.folding import fold

MOST_PATTERNS = 32
"""Largest number of sets of unchanged columns that are searched by, the commonest first."""
CLOSE = 0.01
"""Largest distance, in standard deviations of the column, at which a number counts as unchanged."""

Marks = NDArray[np.bool_]


def shows_original(attribute: Attribute, released: ProtectedTable) -> bool:
    """Whether every released record shows the attribute's original value."""
    return bool(unchanged_cells(attribute, released).all())


def exposed_share(table: Table, released: ProtectedTable, names: Collection[str], follows: bool = True) -> float:
    """The share of released records that are alone with those of these attributes that show their original values.

    ``follows`` states whether each record comes from one of the original. If not, as with synthetic records, a record
    counts if its values are those of exactly one person of the original.
    """
    if not names or not len(released.records):
        return 0.0
    chosen = [table.attribute(name) for name in names]
    alone = alone_records(released, names)
    if not alone.any():
        return 0.0
    found = _singled_out(chosen, released, alone) if follows else alone & _copied_records(table, chosen, released)
    return float(np.mean(found))


def shown_names(table: Table, released: ProtectedTable) -> list[str]:
    """The attributes that the release has columns of, without identifiers."""
    sources = {column.source for column in released.columns}
    return [each.name for each in table.attributes if each.role is not Role.IDENTIFIER and each.name in sources]


def alone_records(released: ProtectedTable, names: Collection[str]) -> Marks:
    """For every released record, whether no other person has the same labels in these attributes."""
    codes = [column.codes for column in released.columns if column.source in names]
    numbers, classes = number_classes(codes, len(released.records))
    return np.asarray(crowds(numbers, classes, released.unit)[numbers] == 1)


def _singled_out(attributes: Sequence[Attribute], released: ProtectedTable, alone: Marks) -> Marks:
    """For every record, whether the cells in which it is unchanged single it out. ``alone`` marks the records that all
    these attributes single out: no part of them singles out another."""
    unchanged = [unchanged_cells(attribute, released) for attribute in attributes]
    patterns, found = number_classes([marks[alone].astype(np.int32) for marks in unchanged], int(alone.sum()))
    first = np.flatnonzero(alone)[np.unique(patterns, return_index=True)[1]]
    common = np.argsort(-np.bincount(patterns, minlength=found), kind="stable")[:MOST_PATTERNS]
    exposed = np.zeros(len(alone), dtype=np.bool_)
    for record in first[common]:
        own = [place for place, marks in enumerate(unchanged) if marks[record]]
        if own:
            kept = np.logical_and.reduce([unchanged[place] for place in own])
            exposed |= kept & alone_records(released, [attributes[place].name for place in own])
    return exposed


def _copied_records(table: Table, attributes: Sequence[Attribute], released: ProtectedTable) -> Marks:
    """For every released record, whether exactly one person of the original has its values."""
    codes = [_joint_codes(attribute, released) for attribute in attributes]
    numbers, classes = number_classes(codes, table.n + len(released.records))
    people = crowds(numbers[: table.n], classes, table.unit)
    return np.asarray(people[numbers[table.n :]] == 1)


def _joint_codes(attribute: Attribute, released: ProtectedTable) -> NDArray[np.int32]:
    """The values of the original's records, then those of the released ones, by one numbering of folded texts."""
    found: dict[str, int] = {}
    column = attribute.column
    own = np.array([found.setdefault(fold(str(text)), len(found)) for text in column.values], dtype=np.int32)
    shown = next((each for each in released.columns if each.source == attribute.name), None)
    if shown is None:
        return np.concatenate([own[column.codes], np.full(len(released.records), len(found), dtype=np.int32)])
    labels = np.array([found.setdefault(fold(str(text)), len(found)) for text in shown.labels], dtype=np.int32)
    return np.concatenate([own[column.codes], labels[shown.codes]])


def unchanged_cells(attribute: Attribute, released: ProtectedTable) -> Marks:
    """For every released record, whether it shows the attribute's original value."""
    columns = [column for column in released.columns if column.source == attribute.name]
    rows = attribute.column.codes[released.records]
    if len(columns) == 1:
        return _same_value(attribute, rows, columns[0])
    if len(columns) == 2:  # the lowest and the highest value of a range
        return _are_close(attribute.column, rows, columns[0], columns[1])
    return np.zeros(len(rows), dtype=np.bool_)


def _same_value(attribute: Attribute, rows: NDArray[np.int32], shown: ReleasedColumn) -> Marks:
    places = {str(value): code for code, value in enumerate(attribute.column.values)}
    exact = np.array([places.get(str(label), -1) for label in shown.labels], dtype=np.int64)
    same = exact[shown.codes] == rows
    if same.all():
        return np.asarray(same)
    found: dict[str, int] = {}
    values = [found.setdefault(fold(str(value)), len(found)) for value in attribute.column.values]
    groups = groups_of(attribute)
    meant = [_value_of(str(label), found, groups, values) for label in shown.labels]
    same |= np.array(meant, dtype=np.int64)[shown.codes] == np.array(values, dtype=np.int64)[rows]
    return np.asarray(same | _are_close(attribute.column, rows, shown, shown))


def _value_of(label: str, found: dict[str, int], groups: dict[str, NDArray[np.int64]], values: Sequence[int]) -> int:
    """The number of the one folded value that a label means; -1 if there is none."""
    plain = found.get(fold(label))
    if plain is not None:
        return plain
    under = {values[member] for member in groups.get(label, ())}
    under = under or {found.get(fold(str(member)), -1) for member in read_list(label)}
    return under.pop() if len(under) == 1 else -1


def _are_close(column: Column, rows: NDArray[np.int32], lower: ReleasedColumn, upper: ReleasedColumn) -> Marks:
    """For every record of a column of numbers or dates, whether both ends of its label are close to its value."""
    if column.numbers is None or not len(rows):
        return np.zeros(len(rows), dtype=np.bool_)
    numbers = column.numbers[rows]
    spread = CLOSE * float(np.nanstd(numbers)) if not np.isnan(numbers).all() else 0.0
    low, high = _ends(column, lower)[:, 0][lower.codes], _ends(column, upper)[:, 1][upper.codes]
    with np.errstate(invalid="ignore"):
        off = np.maximum(np.abs(low - numbers), np.abs(high - numbers))
    return np.asarray((off <= spread) | (np.isnan(numbers) & np.isnan(low) & np.isnan(high)))


def _ends(column: Column, shown: ReleasedColumn) -> NDArray[np.float64]:
    """Low and high end of every label, infinite if it has none."""
    spans = [read_span(column, str(label)) or (-np.inf, np.inf) for label in shown.labels]
    return np.array(spans, dtype=np.float64).reshape(-1, 2)
