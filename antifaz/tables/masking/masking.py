"""Masking: methods that change columns as their parameters state, and how changed columns are written.

Such a method does not search for a release that satisfies the guarantees; it applies its parameters, and the result is
checked. A release that falls short is `Infeasible`, with the setting that it does reach.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Infeasible, InvalidPolicy, Reason
from antifaz.tables.classes.classes import crowds, released_classes
from antifaz.tables.classes.rules import classes_satisfy, state_conditions
from antifaz.tables.labels.recode import SUPPRESSED, keep, write_number
from antifaz.tables.masking.chaining import carry_hierarchy, widest_spans
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.reading.attributes import point_to
from antifaz.tables.reading.readings import read_released
from antifaz.tables.table import Attribute, Column, ProtectedTable, Recoding, ReleasedColumn, Role, Table
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import Watch

MOST_DECIMALS = 6
"""Largest number of decimals that a changed number is written with."""


class Masking(TableMethod):
    """A method that changes columns as its parameters state, whatever the guarantees."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Change the columns; guarantees are only a source of targets such as k. The input is left untouched."""
        raise NotImplementedError

    def apply(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Change the columns, and raise `Infeasible` unless every guarantee holds in the result."""
        watch(0.0)
        refuse_empty(table)
        released = self.mask(table, guarantees, rng, watch)
        require(table, released, guarantees)
        watch(1.0)
        return released


def refuse_empty(table: Table) -> None:
    """Raise `Infeasible` for a table without records."""
    if table.n == 0:
        raise Infeasible([Reason("no_rows", detail="the table has no records")])


def require(table: Table, released: ProtectedTable, guarantees: Sequence[TableGuarantee]) -> None:
    """If the release breaks guarantees, raise `Infeasible` with those guarantees and the k that the release has."""
    if not len(released.records):
        raise Infeasible([Reason("max_suppressed", limit=1.0, measured=1.0, detail="no record would be left")])
    shown, (numbers, classes) = _shown(table, released), released_classes(released)
    broken = [guarantee for guarantee in guarantees if not _satisfied(shown, [guarantee], numbers, classes).all()]
    if not broken:
        return
    unit = None if table.unit is None else table.unit[released.records]
    smallest = int(crowds(numbers, classes, unit).min())
    reasons = []
    for guarantee in broken:
        k = getattr(guarantee, "k", None)
        detail = "the method's result falls short of this guarantee"
        reasons.append(Reason(guarantee.wire_name(), limit=k, measured=None if k is None else smallest, detail=detail))
    # A smaller k is only a way out if nothing else is promised that could also fail.
    alone = len(guarantees) == 1 and guarantees[0].wire_name() == "k_anonymity"
    raise Infeasible(reasons, {"k": float(smallest)} if alone and smallest >= 2 else None)


def satisfied_records(
    table: Table,
    released: ProtectedTable,
    guarantees: Sequence[TableGuarantee],
    numbers: NDArray[np.int64],
    classes: int,
) -> NDArray[np.bool_]:
    """For every released record, whether its class satisfies the guarantees."""
    return _satisfied(_shown(table, released), guarantees, numbers, classes)


def _satisfied(
    shown: Table, guarantees: Sequence[TableGuarantee], numbers: NDArray[np.int64], classes: int
) -> NDArray[np.bool_]:
    return classes_satisfy(state_conditions(shown, guarantees), numbers, classes)[numbers]


def why_left_out(
    table: Table,
    whole: ProtectedTable,
    guarantees: Sequence[TableGuarantee],
    labels: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> dict[str, int]:
    """For each guarantee, the number of left-out records whose class breaks it.

    ``whole`` has every record, and ``labels`` the class of each. A class may break several guarantees; one that breaks
    none was left out because of the effect of leaving out the others.
    """
    classes = int(labels.max(initial=-1)) + 1
    shown = _shown(table, whole)  # once: comparing the spellings of a column takes a while if it has many values
    broken: dict[str, int] = {}
    for guarantee in guarantees:
        short = ~_satisfied(shown, [guarantee], labels, classes) & ~kept
        name = guarantee.wire_name()
        broken[name] = broken.get(name, 0) + int(np.count_nonzero(short))
    return broken


def _shown(table: Table, released: ProtectedTable) -> Table:
    """The released records as guarantees see them: with the sensitive columns of the release."""
    shown = []
    for attribute in table.having(Role.SENSITIVE):
        columns = [column for column in released.columns if column.source == attribute.name]
        codes = columns[0].codes if columns else np.zeros(len(released.records), dtype=np.int32)
        values = columns[0].labels if columns else np.array([SUPPRESSED], dtype=object)
        column = Column(attribute.name, attribute.column.type, codes, values)
        hierarchy = attribute.generalization and carry_hierarchy(attribute.generalization, values)
        shown.append(replace(attribute, column=column, generalization=hierarchy))
    unit = None if table.unit is None else table.unit[released.records]
    return Table(tuple(shown), len(released.records), unit)


def refuse_bounds(attributes: Iterable[Attribute], method: str) -> None:
    """Raise `InvalidPolicy` for a quasi-identifier that is to be written as bounds, which not every method supports."""
    for attribute in attributes:
        if attribute.recoding is Recoding.BOUNDS:
            raise InvalidPolicy(point_to(attribute.name, "recoding"), f"the method {method} writes no bounds")


def chosen_attributes(
    table: Table, names: Sequence[str] | None, fits: Callable[[Attribute], bool], expected: str
) -> tuple[Attribute, ...]:
    """The named attributes, or by default the quasi-identifiers that fit; `InvalidPolicy` for a name that does not."""
    if names is None:
        return tuple(attribute for attribute in table.quasi_identifiers if fits(attribute))
    known = {attribute.name: attribute for attribute in table.attributes}
    for position, name in enumerate(names):
        pointer = f"/method/attributes/{position}"
        if name not in known or known[name].role is Role.IDENTIFIER:
            raise InvalidPolicy(pointer, "must name a column that is released")
        if not fits(known[name]):
            raise InvalidPolicy(pointer, f"must name a column of {expected}")
    return tuple(attribute for attribute in table.attributes if attribute.name in set(names))


def is_measured(attribute: Attribute) -> bool:
    """Whether an attribute has numbers: integers, decimals, dates or times."""
    return attribute.column.numbers is not None


def numbers_of(column: Column) -> NDArray[np.float64]:
    """The numbers of a measured column's values."""
    if column.numbers is None:
        raise TypeError("only numbers and dates can be measured")
    return column.numbers


def is_any(attribute: Attribute) -> bool:
    """True for every attribute."""
    return True


def release_changed(
    table: Table, changed: dict[str, ReleasedColumn], records: NDArray[np.int64] | None, account: dict[str, Any]
) -> ProtectedTable:
    """The table with some columns changed (already cut to the records), the others unchanged, no identifiers."""
    chosen = np.arange(table.n, dtype=np.int64) if records is None else records
    refuse_bounds((a for a in table.quasi_identifiers), str(account.get("method", "")))
    columns = [
        changed[attribute.name] if attribute.name in changed else keep_records(attribute, chosen)
        for attribute in table.attributes
        if attribute.role is not Role.IDENTIFIER
    ]
    return ProtectedTable(tuple(columns), chosen, account)


def keep_records(attribute: Attribute, records: NDArray[np.int64]) -> ReleasedColumn:
    """An unchanged column, for some records."""
    column = attribute.column
    return keep(replace(attribute, column=replace(column, codes=column.codes[records])))


def write_column(
    attribute: Attribute,
    codes: NDArray[Any],
    labels: NDArray[np.object_] | Sequence[str],
    meaning: str,
    losses: NDArray[np.float64] | None = None,
    spans: NDArray[np.float64] | None = None,
) -> ReleasedColumn:
    """A released column of codes into labels: equal labels become one, and those that no record shows are dropped.

    ``spans`` are the numbers that labels stand for; equal labels stand for all of theirs.
    """
    sizes = np.bincount(codes, minlength=len(labels))
    used = np.flatnonzero(sizes)
    texts, places = np.unique(np.asarray(labels, dtype=object)[used], return_inverse=True)
    renumber = np.zeros(len(sizes), dtype=np.int32)
    renumber[used] = places
    mean = None
    if losses is not None:
        weight = np.bincount(places, weights=sizes[used], minlength=len(texts))
        mean = np.bincount(places, weights=(sizes * losses)[used], minlength=len(texts)) / weight
    return ReleasedColumn(
        name=attribute.name,
        source=attribute.name,
        role=attribute.role,
        type=released_type(attribute.column.type, texts),
        codes=renumber[codes] if len(used) else np.zeros(0, dtype=np.int32),
        labels=texts,
        meaning=meaning,
        losses=mean,
        spans=None if spans is None else widest_spans(spans[used], places, len(texts)),
    )


def released_type(kind: ValueType, texts: NDArray[np.object_]) -> ValueType:
    """The type of a changed column: that of the original if every label still is of that type, else text."""
    known = [str(text) for text in texts if text]
    if any(read_released(kind, text) is None for text in known):
        return ValueType.TEXT
    if kind is ValueType.INTEGER and any("." in text or "e" in text for text in known):
        return ValueType.DECIMAL
    return kind


def write_numbers(
    attribute: Attribute,
    numbers: NDArray[np.float64],
    meaning: str,
    decimals: int | None = None,
    reach: tuple[float, float] | None = None,
) -> ReleasedColumn:
    """A released column of one number per record, NaN for a missing one, in the form of the column's type.

    ``reach`` is how far below and above a number the value may be for which it stands.
    """
    # With more decimals than the original's numbers have, changed ones would be recognized.
    rounded = np.round(numbers, column_decimals(attribute.column) if decimals is None else decimals)
    distinct, codes = np.unique(rounded, return_inverse=True, equal_nan=True)
    write = number_writer(attribute.column.type)
    texts = ["" if np.isnan(number) else write(number) for number in distinct.tolist()]
    spans = None if reach is None else np.stack([distinct - reach[0], distinct + reach[1]], axis=1)
    return write_column(attribute, codes, texts, meaning, spans=spans)


def column_decimals(column: Column) -> int:
    """The number of decimals of a column's numbers, up to a bound."""
    if column.type is not ValueType.DECIMAL:
        return 0
    longest = max((len(str(value).partition(".")[2]) for value in column.values), default=0)
    return min(longest, MOST_DECIMALS)


def number_writer(kind: ValueType) -> Callable[[float], str]:
    """A function that writes a number in the form of its type, the nearest that can be written: dates and times in ISO
    form, others as short as possible."""
    write, (low, high) = kind.definition.write, kind.definition.limits
    if write is not None:
        # Noise can lead beyond the years that dates can be written for.
        return lambda number: write(min(max(number, low), high))
    return lambda number: str(int(number)) if number.is_integer() else write_number(number)
