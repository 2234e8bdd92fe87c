"""Records: what the rows of a table and the nodes of a graph have in common, columns with roles."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.lint import refuse_as_it_is
from antifaz.errors import BrokenGuarantee, Faults, InvalidDataset, band
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.kind import Checked, Dataset
from antifaz.policy import HierarchyReference, Policy
from antifaz.tables.attributes import open_dates, resolve_attribute, rows_to_suppress
from antifaz.tables.dialect import DateForm
from antifaz.tables.explain import explain_table
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.population import place_population
from antifaz.tables.spellings import EITHER
from antifaz.tables.table import Attribute, Column, Population, ProtectedTable, Role, Table, ValueType

DATED = (ValueType.DATE, ValueType.DATETIME)
NUMBERS = (ValueType.INTEGER, ValueType.DECIMAL)


@dataclass(frozen=True)
class CheckedTable(Checked):
    """The records of a table, or the nodes of a graph where they have attributes."""

    table: Table
    rows: NDArray[np.int64]
    """Original row of every record of the table: rows with a missing value may have been left out."""
    left_out: int = 0


def column_types(dataset: Dataset) -> list[dict[str, Any]]:
    """Name and detected type of every column, how it is written, and bands of its distinct and its missing values."""
    return [_profile_of(dataset.typed(column.name)) for column in dataset.columns]


def _profile_of(column: Column) -> dict[str, Any]:
    missing = int(np.count_nonzero(column.codes == column.missing)) if column.missing >= 0 else 0
    distinct = len(column.values) - (1 if column.missing >= 0 else 0)
    about = {"name": column.name, "type": column.type.value, "form": column.form or None}
    return {**about, "distinct": band(distinct), "missing": band(missing)}


def found_dialect(dataset: Dataset) -> dict[str, Any]:
    """How the cells of a dataset are written: the marks between thousands, the forms of dates and the marks of missing
    values that were stated or found. No value is among them."""
    columns = [dataset.typed(column.name) for column in dataset.columns]
    dates = Counter(column.form for column in columns if column.type in DATED and column.form)
    numbers = Counter(column.form[1] for column in columns if column.type in NUMBERS and column.form)
    return {
        "decimal": dataset.dialect.decimal,
        "thousands": dataset.dialect.thousands or (numbers.most_common(1)[0][0] if numbers else None),
        "dates": dates.most_common(1)[0][0] if dates else None,
        "missing": sorted({"", *(mark for column in columns for mark in column.marks)}),
    }


def reading_warnings(dataset: Dataset) -> list[dict[str, str]]:
    """What an uploader should say of columns that can be read in two ways, or were read by a convention."""
    warnings = []
    for column in (dataset.typed(raw.name) for raw in dataset.columns):
        if EITHER in column.form:
            detail = f"the column is text, since its dates {open_dates(column.name, column.form)}"
            warnings.append({"column": column.name, "detail": detail})
        elif column.type in DATED and (form := DateForm.of(column.form)) is not None and form.year_digits == 2:
            last = dataset.dialect.latest_year or 0
            detail = f"years with two digits were read as those from {last - 99} to {last}; write them with four if not"
            warnings.append({"column": column.name, "detail": detail})
    return warnings


def persons(dataset: Dataset, policy: Policy) -> NDArray[np.int64] | None:
    """For every row the number of the person it belongs to, where the policy names a privacy unit.

    Rows without one count as one person's, and so do spellings of one unit, which never counts too many.
    """
    unit = policy.unit()
    return None if unit is None else typed(dataset, policy, unit).folded.codes.astype(np.int64)


def typed(dataset: Dataset, policy: Policy, name: str) -> Column:
    """A column over all rows of the dataset, those among them that missing values leave out."""
    settings = policy.attributes[name]
    # An identifier is text, for 7 and 7.0 are two names, and so is a column whose domain is declared.
    as_text = settings.role is Role.IDENTIFIER or name in policy.declared_values()
    return dataset.typed(name, settings.type or (ValueType.TEXT if as_text else None))


def check_records(
    dataset: Dataset, policy: Policy, hierarchies: Mapping[str, Hierarchy], populations: Mapping[str, Dataset]
) -> CheckedTable | None:
    """The records of a dataset against its policy; None where it has none, or nothing is known of them."""
    policy.check_columns([column.name for column in dataset.columns])
    if not dataset.columns or dataset.n == 0:
        return None
    faults = Faults()
    tried = [faults.keep(partial(typed, dataset, policy, column.name)) for column in dataset.columns]
    columns = [column for column in tried if column is not None]
    unwanted = rows_to_suppress(columns, policy.attributes)
    if unwanted.any():
        columns = [_restricted(column, ~unwanted) for column in columns]
    n = int(dataset.n - unwanted.sum())
    if n == 0:
        raise InvalidDataset("empty", "no row is left after rows with missing values are left out")
    resolved = [faults.keep(partial(_resolved, column, policy, hierarchies)) for column in columns]
    attributes = tuple(attribute for attribute in resolved if attribute is not None)
    faults.report()
    unit = persons(dataset, policy)
    table = Table(attributes, n, None if unit is None else unit[~unwanted])
    _refuse_telling(table, policy)
    if populations:
        table = replace(table, populations=_placed(table, policy, hierarchies, populations))
    return CheckedTable(table, np.flatnonzero(~unwanted), int(unwanted.sum()))


def _resolved(column: Column, policy: Policy, hierarchies: Mapping[str, Hierarchy]) -> Attribute:
    return resolve_attribute(column, policy.attributes[column.name], _hierarchy(column.name, policy, hierarchies))


def _hierarchy(name: str, policy: Policy, hierarchies: Mapping[str, Hierarchy]) -> Hierarchy | None:
    stated = policy.attributes[name].hierarchy
    return hierarchies[stated.id] if isinstance(stated, HierarchyReference) else stated


def _placed(
    table: Table, policy: Policy, hierarchies: Mapping[str, Hierarchy], populations: Mapping[str, Dataset]
) -> dict[str, Population]:
    """Every population over the table's quasi-identifiers; of one that does not fit, no row or count is shown."""
    found = {a.name: _hierarchy(a.name, policy, hierarchies) for a in table.quasi_identifiers}
    used = {name: hierarchy for name, hierarchy in found.items() if hierarchy is not None}
    placed = {}
    for name, dataset in populations.items():
        columns = {column.name: (column.codes, column.values) for column in dataset.columns}
        try:
            placed[name] = place_population(table, columns, used, dataset.dialect)
        except InvalidDataset as error:
            detail = "the population has no such column, or values of another type in it"
            raise InvalidDataset("population", detail, column=error.column) from None
    return placed


def _restricted(column: Column, keep: NDArray[np.bool_]) -> Column:
    """The column over some of its rows, its domain cut to the values that are left."""
    used, codes = np.unique(column.codes[keep], return_inverse=True)
    return replace(
        column,
        codes=codes.astype(np.int32),
        values=column.values[used],
        numbers=None if column.numbers is None else column.numbers[used],
    )


def _refuse_telling(table: Table, policy: Policy) -> None:
    """Refuse what is released as it is and tells whose a row is."""
    faults = Faults()
    for attribute in table.attributes:
        if policy.looked_at(attribute.name):
            faults.keep(partial(refuse_as_it_is, attribute.column, attribute.role, table.unit))
    faults.report()


PLAIN = (Role.SENSITIVE, Role.INSENSITIVE)


def refuse_identifiers(protected: ProtectedTable, policy: Policy) -> None:
    """Raise `BrokenGuarantee` if a method let an identifier through."""
    identifiers = set(policy.having(Role.IDENTIFIER))
    if any(column.source in identifiers for column in protected.columns):
        raise BrokenGuarantee("a method returned an identifier")


def explain_records(checked: CheckedTable | None, released: ProtectedTable | None, policy: Policy) -> dict[str, Any]:
    """What became of the quasi-identifiers of a table or of a graph's nodes; nothing where there are none."""
    if checked is None or released is None or not checked.table.quasi_identifiers:
        return {}
    guarantees = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, TableGuarantee)]
    return explain_table(checked.table, released, guarantees, checked.left_out)
