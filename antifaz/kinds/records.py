"""Records: columns with roles, for the rows of a table and the nodes of a graph."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.lint import refuse_as_it_is, refuse_repeated_identifier
from antifaz.errors import BrokenGuarantee, Faults, InvalidDataset, Reason, band
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.kind import Checked, Dataset
from antifaz.policy.model import HierarchyReference, Policy, drawn_by_mechanism
from antifaz.tables.labels.population import place_population
from antifaz.tables.labels.same import alone_records, exposed_share, shown_names, unchanged_cells
from antifaz.tables.masking.explain import explain_table
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.reading.attributes import open_dates, resolve_attribute, rows_to_suppress
from antifaz.tables.reading.spellings import EITHER
from antifaz.tables.table import Attribute, Column, Population, ProtectedTable, Role, Table
from antifaz.tables.texts.value_types import ValueType


@dataclass(frozen=True)
class CheckedTable(Checked):
    """The records of a table, or the nodes of a graph that have attributes."""

    table: Table
    rows: NDArray[np.int64]
    """Original row of every record of the table: rows with a missing value may have been left out."""
    left_out: int = 0


def column_types(dataset: Dataset) -> list[dict[str, Any]]:
    """Return name, detected type and notation of every column, and bands of its distinct and missing values."""
    return [_profile_of(dataset.typed(column.name)) for column in dataset.columns]


def _profile_of(column: Column) -> dict[str, Any]:
    missing = int(np.count_nonzero(column.codes == column.missing)) if column.missing >= 0 else 0
    distinct = len(column.values) - (1 if column.missing >= 0 else 0)
    about = {"name": column.name, "type": column.type.value, "form": column.form or None}
    return {**about, "distinct": band(distinct), "missing": band(missing)}


def found_dialect(dataset: Dataset) -> dict[str, Any]:
    """Return the notation of a dataset's cells: thousands separators, date forms and marks of missing values, stated or
    detected. It contains no value."""
    columns = [dataset.typed(column.name) for column in dataset.columns]
    dates = Counter(column.form for column in columns if column.type.definition.calendar and column.form)
    numbers = Counter(column.form[1] for column in columns if column.type.is_number and column.form)
    return {
        "decimal": dataset.dialect.decimal,
        "thousands": dataset.dialect.thousands or (numbers.most_common(1)[0][0] if numbers else None),
        "dates": dates.most_common(1)[0][0] if dates else None,
        "missing": sorted({"", *(mark for column in columns for mark in column.marks)}),
    }


def reading_warnings(dataset: Dataset) -> list[dict[str, str]]:
    """Return warnings about columns that were left out, can be read in two ways, or were read by a convention."""
    warnings = [
        {"column": "", "detail": f"column {number} has no name and is empty in every row, so it was left out"}
        for number in dataset.unnamed
    ]
    for column in (dataset.typed(raw.name) for raw in dataset.columns):
        if EITHER in column.form:
            detail = f"the column is text, since its dates {open_dates(column.name, column.form)}"
            warnings.append({"column": column.name, "detail": detail})
        elif column.type.definition.calendar and column.form.count("y") == 2:
            last = dataset.dialect.latest_year or 0
            detail = f"years with two digits were read as those from {last - 99} to {last}; write them with four if not"
            warnings.append({"column": column.name, "detail": detail})
    return warnings


def persons(dataset: Dataset, policy: Policy) -> NDArray[np.int64] | None:
    """Return the number of the person of every row, if the policy names a privacy unit.

    All rows without a unit count as one person, and so do spellings of one unit: people are never overcounted.
    """
    unit = policy.unit()
    return None if unit is None else typed(dataset, policy, unit).persons


def typed(dataset: Dataset, policy: Policy, name: str) -> Column:
    """Return a column over all rows of the dataset, including rows that are left out for missing values."""
    settings = policy.attributes[name]
    # An identifier is text, because 7 and 7.0 are different names; so is a column whose domain is declared.
    as_text = settings.role is Role.IDENTIFIER or name in policy.declared_values()
    return dataset.typed(name, settings.type or (ValueType.TEXT if as_text else None))


def check_records(
    dataset: Dataset, policy: Policy, hierarchies: Mapping[str, Hierarchy], populations: Mapping[str, Dataset]
) -> CheckedTable | None:
    """Check the records of a dataset against its policy; None if there are none, or they have no attributes."""
    policy.check_columns([column.name for column in dataset.columns])
    if not dataset.columns or dataset.n == 0:
        return None
    faults = Faults()
    tried = [faults.keep(partial(typed, dataset, policy, column.name)) for column in dataset.columns]
    columns = [column for column in tried if column is not None]
    # Rows are left out first: hierarchies need to fit only the values that stay.
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
    table = Table(attributes, n, None if unit is None else unit[~unwanted], left_out=int(unwanted.sum()))
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
    """Return every population over the table's quasi-identifiers; errors about a population show no row or count."""
    found = {a.name: _hierarchy(a.name, policy, hierarchies) for a in table.quasi_identifiers}
    used = {name: hierarchy for name, hierarchy in found.items() if hierarchy is not None}
    placed = {}
    for name, dataset in populations.items():
        columns = {column.name: (column.codes, column.values) for column in dataset.columns}
        try:
            placed[name] = place_population(table, columns, used, dataset.dialect)
        except InvalidDataset as error:
            # The error's own text may name a row or a count of the population: it is replaced.
            detail = "the population lacks this column, or its values have another type"
            raise InvalidDataset("population", detail, column=error.column) from None
    return placed


def _restricted(column: Column, keep: NDArray[np.bool_]) -> Column:
    """Return the column over some of its rows, its domain restricted to the remaining values."""
    used, codes = np.unique(column.codes[keep], return_inverse=True)
    return replace(
        column,
        codes=codes.astype(np.int32),
        values=column.values[used],
        numbers=None if column.numbers is None else column.numbers[used],
    )


def _refuse_telling(table: Table, policy: Policy) -> None:
    """Refuse columns that are released unchanged and identify people."""
    faults = Faults()
    identifiers = [attribute.column for attribute in table.having(Role.IDENTIFIER)]
    for attribute in table.attributes:
        if policy.looked_at(attribute.name):
            faults.keep(partial(refuse_as_it_is, attribute.column, attribute.role, table.unit))
            faults.keep(partial(refuse_repeated_identifier, attribute.column, identifiers))
    faults.report()


PLAIN = (Role.SENSITIVE, Role.INSENSITIVE)
MOST_ALONE = 0.25
"""Largest share of records that may be unchanged and alone."""


def refuse_alone(table: Table, released: ProtectedTable, policy: Policy, follows: bool = True) -> list[Reason]:
    """Return a reason if too many records show the original's quasi-identifiers (without any, all columns) and are
    alone with them. If no guarantee is promised, or only one about other columns, the same holds for the insensitive
    columns, which anyone may know. Sensitive values that a mechanism draws are not compared: they count as unchanged
    with the probability that the mechanism states, whatever was drawn."""
    if policy.waives("no_guarantee"):
        return []
    drawn = table.having(Role.SENSITIVE) if "sensitive" in drawn_by_mechanism(policy) else ()
    spared = {attribute.name for attribute in drawn}
    known = [attribute.name for attribute in table.quasi_identifiers]
    judged = [known or [name for name in shown_names(table, released) if name not in spared]]
    if not any(guarantee.can_fail() and guarantee.draws != "sensitive" for guarantee in policy.guarantees):
        judged.append([attribute.name for attribute in table.having(Role.INSENSITIVE)])
    share = max(exposed_share(table, released, names, follows) for names in judged)
    if spared and not known:
        share = max(share, _likely_share(table, released, spared))
    if share <= MOST_ALONE:
        return []
    detail = (
        "share of records that are as in the original and alone: generalize or change more of them, promise a "
        "guarantee over classes such as k_anonymity, or waive no_guarantee"
    )
    return [Reason("no_guarantee", MOST_ALONE, share, detail)]


def _likely_share(table: Table, released: ProtectedTable, drawn: Collection[str]) -> float:
    """The share of records that are alone in all columns, times the probability that a record shows the truth."""
    names = shown_names(table, released)
    others = [table.attribute(name) for name in names if name not in drawn]
    alone = alone_records(released, names)
    for attribute in others:
        alone &= unchanged_cells(attribute, released)
    chances = [matrix["keep"] for matrix in released.account.get("public", {}).get("randomized_response", {}).values()]
    return float(np.mean(alone) * math.prod(chances))


def refuse_identifiers(protected: ProtectedTable, policy: Policy) -> None:
    """Raise `BrokenGuarantee` if a method let an identifier through."""
    identifiers = set(policy.having(Role.IDENTIFIER))
    if any(column.source in identifiers for column in protected.columns):
        raise BrokenGuarantee("a method returned an identifier")


def explain_records(checked: CheckedTable | None, released: ProtectedTable | None, policy: Policy) -> dict[str, Any]:
    """Return what happened to the quasi-identifiers of a table or of a graph's nodes; empty if there are none."""
    if checked is None or released is None or not checked.table.quasi_identifiers:
        return {}
    guarantees = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, TableGuarantee)]
    return explain_table(checked.table, released, guarantees, checked.left_out)
