"""Suppress: leave out attributes, rare cells, or records in classes that are too small.

Samarati and Sweeney, "Protecting Privacy when Disclosing Information: k-Anonymity and its Enforcement through
Generalization and Suppression", SRI technical report, 1998.

A suppressed attribute shows a star in every record; a suppressed cell shows a star in its record only. Cells are
suppressed by a rule on their column alone: their value occurs in fewer records than stated. Then records whose class
falls short of the guarantees are left out of the release, in rounds, because guarantees may depend on all remaining
records.

Guarantees: every class-wise guarantee of the policy, on every remaining class.
Cost: O(n q) for n records and q quasi-identifiers.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Examples
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.labels.recode import SUPPRESSED
from antifaz.tables.lattice.classwise import CLASSWISE
from antifaz.tables.masking.masking import (
    Masking,
    chosen_attributes,
    is_any,
    release_changed,
    satisfied_records,
    why_left_out,
    write_column,
)
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Table
from antifaz.watch import Watch


class Suppress(Masking):
    """Suppress whole attributes, rare cells, and records in classes that fall short of the guarantees."""

    gives: ClassVar[tuple[str, ...]] = CLASSWISE
    keeps_every_record: ClassVar[bool] = False
    examples: ClassVar[Examples] = ({"attributes": ["sex"], "rarer_than": 3},)

    name: Literal["suppress"] = "suppress"
    attributes: list[str] = []
    """Attributes that are suppressed in every record."""
    rarer_than: int | None = Field(default=None, ge=2)
    """Cells of quasi-identifiers are suppressed if fewer records than this have their value."""
    records: bool = True
    """Whether records in classes that fall short of the guarantees are left out."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Suppress attributes, then cells, then records."""
        hidden = chosen_attributes(table, self.attributes, is_any, "any type")
        changed = {attribute.name: _hide(attribute, np.ones(table.n, dtype=np.bool_)) for attribute in hidden}
        stars = {attribute.name: table.n for attribute in hidden}
        for attribute in table.quasi_identifiers if self.rarer_than is not None else ():
            if attribute.name not in changed:
                rare = _rare(attribute, self.rarer_than or 0)
                stars[attribute.name] = int(rare.sum())
                changed[attribute.name] = _hide(attribute, rare)
        watch(0.5)
        account = {"method": self.name, "cells_suppressed": stars}
        released = release_changed(table, changed, None, account)
        return _leave_out(table, released, guarantees) if self.records and guarantees else released


def _rare(attribute: Attribute, least: int) -> NDArray[np.bool_]:
    """The records whose value is rarer than allowed."""
    codes = attribute.column.codes
    return np.asarray(np.bincount(codes, minlength=len(attribute.column.values))[codes] < least)


def _hide(attribute: Attribute, hidden: NDArray[np.bool_]) -> ReleasedColumn:
    """The column with a star in some records."""
    column = attribute.column
    codes = np.where(hidden, len(column.values), column.codes)
    losses = np.zeros(len(column.values) + 1)
    losses[-1] = 1.0
    meaning = "the original value, or * if it is suppressed"
    return write_column(attribute, codes, np.append(column.values, SUPPRESSED), meaning, losses)


def _leave_out(table: Table, released: ProtectedTable, guarantees: Sequence[TableGuarantee]) -> ProtectedTable:
    """Drop the records of classes that fall short, until none does; the account states which guarantees they break."""
    whole, labels = released, released_classes(released)[0]
    while len(released.records):
        classes = released_classes(released)
        kept = satisfied_records(table, released, guarantees, *classes)
        if kept.all():
            break
        released = _cut(released, kept)
    if released is whole:
        return released
    because = why_left_out(table, whole, guarantees, labels, np.isin(whole.records, released.records))
    return replace(released, account={**released.account, "suppressed_because": because})


def _cut(released: ProtectedTable, kept: NDArray[np.bool_]) -> ProtectedTable:
    columns = []
    for column in released.columns:
        used, places = np.unique(column.codes[kept], return_inverse=True)
        losses = None if column.losses is None else column.losses[used]
        codes, labels = places.astype(np.int32), column.labels[used]
        columns.append(replace(column, codes=codes, labels=labels, losses=losses))
    return replace(released, columns=tuple(columns), records=released.records[kept])
