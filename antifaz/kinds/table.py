"""Tables as a kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.unique_values import refuse_unique_labels
from antifaz.errors import InvalidDataset, Reason
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.kind import Dataset, Kind, Protected, Subject
from antifaz.kinds.records import (
    PLAIN,
    CheckedTable,
    check_records,
    explain_records,
    refuse_alone,
    refuse_identifiers,
)
from antifaz.policy.model import drawn_by_mechanism
from antifaz.policy.tables import TablePolicy
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.labels.kept import kept_cells
from antifaz.tables.labels.same import shows_original
from antifaz.tables.masking.pseudonyms import write_pseudonyms
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch


@dataclass(frozen=True)
class ReleasedTable(Protected):
    """A protected table, its rows in another order."""

    table: ProtectedTable

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The released columns."""
        return self.table.columns


class TableKind(Kind[Dataset, TablePolicy, CheckedTable, ReleasedTable]):
    """Records about people, in rows."""

    name = "table"
    policy = TablePolicy

    def check(
        self,
        dataset: Dataset,
        policy: TablePolicy,
        hierarchies: Mapping[str, Hierarchy],
        populations: Mapping[str, Dataset],
    ) -> CheckedTable:
        """Check the records against the policy; refuse an empty table."""
        checked = check_records(dataset, policy, hierarchies, populations)
        if checked is None:
            raise InvalidDataset("empty", "the table has no rows", shred=True)
        for guarantee in policy.guarantees:
            guarantee.admit(checked.table)
        return checked

    def protect(
        self, checked: CheckedTable, policy: TablePolicy, rng: np.random.Generator, watch: Watch, key: bytes | None
    ) -> ReleasedTable:
        """Apply the method, then shuffle the rows."""
        table = checked.table
        for attribute in table.having(Role.SENSITIVE):
            attribute.column.fold(watch)
        protected = policy.method.apply(table, policy.guarantees, rng, watch)
        refuse_identifiers(protected, policy)
        _refuse_still_unique(table, protected, policy)
        account = {
            "rows_in": table.n + checked.left_out,
            "rows_out": len(protected.records),
            "rows_suppressed": max(0, table.n + checked.left_out - len(protected.records)),
            **protected.account,
        }
        # The order of a release must not reveal the original's, even if the method keeps it.
        in_order = np.array_equal(protected.records, np.arange(table.n))
        order = rng.permutation(len(protected.records))
        records = order if in_order else protected.records[order]
        columns = list(_with_pseudonyms(table, protected, policy, key).columns)
        account_of_method, follows = protected.account, protected.follows
        # Nothing else may refer to the codes in the old order: each column's are freed as soon as it is shuffled.
        del protected
        unit = None if table.unit is None else table.unit[records]
        shuffled = _shuffled(columns, order)
        return ReleasedTable(account, ProtectedTable(shuffled, records, account_of_method, unit, follows))

    def subjects(self, checked: CheckedTable, protected: ReleasedTable) -> list[Subject]:
        """The table, if it has quasi-identifiers."""
        return [Subject("table", checked.table, protected.table)] if checked.table.quasi_identifiers else []

    def explain(self, checked: CheckedTable, protected: ReleasedTable, policy: TablePolicy) -> dict[str, Any]:
        """Return what happened to the quasi-identifiers."""
        return explain_records(checked, protected.table, policy)

    def unchanged(self, checked: CheckedTable, protected: ReleasedTable, policy: TablePolicy) -> list[Reason]:
        """Return a reason if the release shows the original quasi-identifiers and no guarantee covers them, or if too
        many of its records are unchanged and alone, whatever is promised."""
        same = [] if drawn_by_mechanism(policy) else _refuse_same(checked.table, protected.table, policy)
        return same or refuse_alone(checked.table, protected.table, policy, policy.method.follows_records())

    def kept(self, checked: CheckedTable, protected: ReleasedTable) -> float:
        """The share of cells that are kept, of all records including those left out."""
        return kept_cells(checked.table, protected.table) * checked.table.n / (checked.table.n + checked.left_out)

    def shape(self, protected: ReleasedTable) -> dict[str, Any]:
        """The number of rows."""
        return {"rows": len(protected.table.records)}

    def beside_earlier(self, checked: CheckedTable, n: int, maps: Sequence[Mapping[str, NDArray[Any]]]) -> CheckedTable:
        """Add the records' classes in earlier releases, for attacks that combine releases."""
        places = np.full(n, -1, dtype=np.int64)
        places[checked.rows] = np.arange(checked.table.n)
        earlier = []
        for known in maps:
            classes = np.full(checked.table.n, -1, dtype=np.int64)
            home = places[known["records"]]
            classes[home[home >= 0]] = known["classes"][home >= 0]
            earlier.append(classes)
        return replace(checked, table=replace(checked.table, earlier=tuple(earlier)))

    def largest_k(self, checked: CheckedTable) -> int:
        """One class of all records."""
        return checked.table.n


KIND = TableKind()


def _refuse_still_unique(table: Table, protected: ProtectedTable, policy: TablePolicy) -> None:
    unit = None if table.unit is None else table.unit[protected.records]
    changed = policy.changed_columns()
    for column in protected.columns:
        if column.source in changed and column.role in PLAIN and not policy.waives_column(column.source):
            refuse_unique_labels(column, unit)


def _shuffled(columns: list[ReleasedColumn], order: NDArray[np.int64]) -> tuple[ReleasedColumn, ...]:
    """Return the columns with their rows reordered; each original is freed once it is copied, to save memory."""
    shuffled = []
    while columns:
        column = columns.pop(0)
        shuffled.append(replace(column, codes=column.codes[order]))
    return tuple(shuffled)


def _with_pseudonyms(table: Table, protected: ProtectedTable, policy: TablePolicy, key: bytes | None) -> ProtectedTable:
    """Return the release with the requested pseudonyms, each in the position of its identifier."""
    wanted = [attribute for attribute in table.having(Role.IDENTIFIER) if policy.attributes[attribute.name].pseudonym]
    if not wanted:
        return protected
    if key is None:
        raise ValueError("pseudonyms need a key")
    made = [write_pseudonyms(attribute, protected.records, key) for attribute in wanted]
    places = {attribute.name: place for place, attribute in enumerate(table.attributes)}
    columns = sorted([*protected.columns, *made], key=lambda column: places[column.source])
    return replace(protected, columns=tuple(columns))


def _refuse_same(table: Table, released: ProtectedTable, policy: TablePolicy) -> list[Reason]:
    if policy.waives("no_guarantee") or _is_promised(released, policy) or not policy.method.follows_records():
        return []
    # Without quasi-identifiers nothing is measured, so all released columns count.
    looked_at = table.quasi_identifiers or [a for a in table.attributes if a.role is not Role.IDENTIFIER]
    if not all(shows_original(attribute, released) for attribute in looked_at):
        return []
    detail = "the quasi-identifiers are those of the original: promise a guarantee over classes, or waive no_guarantee"
    return [Reason("no_guarantee", detail=detail)]


def _is_promised(released: ProtectedTable, policy: TablePolicy) -> bool:
    """Whether a verified guarantee covers these quasi-identifiers.

    A guarantee about shares alone (t-closeness, beta-likeness) can hold even if each record is its own class: it then
    bounds nothing and counts as absent.
    """
    if any(guarantee.evidence == "bytes+sealed_map" for guarantee in policy.guarantees):
        return True
    return bool(policy.guarantees) and int(class_sizes(*released_classes(released)).min(initial=2)) > 1
