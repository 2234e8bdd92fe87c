"""Publishing tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import CheckedTable
from antifaz.kinds.table import ReleasedTable
from antifaz.policy.tables import TablePolicy
from antifaz.tables.reading.range_labels import with_dashes
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from formats.core.limits import Limits
from formats.reading import read_table
from formats.tables.csv_writer import CsvStyle
from formats.writing import render_table
from publication.costs import Cost, public_parameters
from publication.dialects import dialect_of
from publication.digests import digest_of_table
from publication.evidence import of_mechanism, of_originals, of_records
from publication.kinds.kind import Publisher, Reading, Rendered, columns_of
from publication.promises import pack_promise, record_promise
from publication.sizes import least_bytes, refuse_large_table
from publication.source import Source
from publication.versions import Marks


class TablePublisher(Publisher[Dataset, TablePolicy, CheckedTable, ReleasedTable]):
    """What publishing does to tables."""

    joins = True

    def read(self, source: Source, limits: Limits, policy: TablePolicy | None) -> Reading[Dataset]:
        """The whole table."""
        table = read_table(source.file(), source.format, source.details, limits)
        columns = columns_of(table)
        dataset = Dataset(columns, table.n, dialect_of(source.details), unnamed=table.unnamed)
        return Reading(dataset, {}, digest_of_table(columns, table.n))

    def refuse_large(self, policy: TablePolicy, checked: CheckedTable) -> None:
        """Refuse a table with too many rows, or a cell too long, for a workbook."""
        for form in policy.formats:
            refuse_large_table(checked.table, form)

    def render(self, policy: TablePolicy, protected: ReleasedTable) -> Rendered:
        """The table in every format."""
        columns = self.described(policy, protected)
        for form in policy.formats:
            yield form, "table", render_table(columns, form, CsvStyle(**policy.csv.model_dump()))

    def described(self, policy: TablePolicy, protected: ReleasedTable) -> Sequence[ReleasedColumn]:
        """The columns with their labels in the style of the policy."""
        plain = policy.labels.ranges == "[20, 29]"
        return protected.columns if plain else with_dashes(protected.columns, policy.attributes)

    def least_bytes(self, policy: TablePolicy, protected: ReleasedTable) -> int:
        """The size of the cells in the formats that write them out."""
        return least_bytes(protected.columns, policy.formats)

    def sealed_map(
        self,
        document: Mapping[str, Any],
        policy: TablePolicy,
        checked: CheckedTable,
        protected: ReleasedTable,
        marks: Marks | None,
    ) -> dict[str, NDArray[Any]]:
        """The guarantees of the classes; for every released record, the original record, its class and, if people are
        known, its person. Synthetic records have no origin."""
        promise = pack_promise(record_promise(document, policy, checked.table, protected.table))
        if not policy.follows_records():
            return {"promise": promise}
        records = checked.rows[protected.table.records]
        marked = {} if marks is None else marks.of_records(records)
        return {"promise": promise, "records": records, "classes": _classes(protected.table), **marked}

    def evidence(
        self, checked: CheckedTable, protected: ReleasedTable, policy: TablePolicy, cost: Cost | None = None
    ) -> dict[str, Any]:
        """The mechanism, hierarchies and populations; the value behind every pseudonym, and the person of every row."""
        known = of_mechanism(protected) | of_records(checked) | _of_pseudonyms(checked.table, protected.table)
        drawn = public_parameters(protected).get("dp_marginals")
        if drawn is not None:
            known["marginals"] = {**drawn, "ledger": None if cost is None else vars(cost)}
        known |= of_originals(checked.table, protected.table, policy, policy.follows_records())
        unit = policy.unit()
        return known if unit is None else known | _of_persons(checked.table, protected.table, unit)

    def adds_up(self, before: Mapping[str, str], now: Mapping[str, Role], models: tuple[set[str], set[str]]) -> bool:
        """Neither release shows unchanged what the other protects: whole records, or only sensitive values."""
        whole = [model == {"differential_privacy"} for model in models]
        if any(whole):
            return all(whole)
        shared = [(before[name], role) for name, role in now.items() if name in before and role is not Role.IDENTIFIER]
        return all((then == Role.SENSITIVE) == (role is Role.SENSITIVE) for then, role in shared)


def _classes(table: ProtectedTable) -> NDArray[np.int64]:
    """Number of the class of every released record."""
    keys = np.zeros(len(table.records), dtype=np.int64)
    for column in table.columns:
        if column.role is Role.QUASI_IDENTIFIER:
            keys = np.unique(keys * np.int64(len(column.labels) + 1) + column.codes, return_inverse=True)[1]
    return keys.astype(np.int64)


def _of_pseudonyms(table: Table, released: ProtectedTable) -> dict[str, Any]:
    """The code of the value behind every pseudonym."""
    named = [column.source for column in released.columns if column.role is Role.IDENTIFIER]
    return {"pseudonyms": {name: table.attribute(name).column.codes[released.records] for name in named}}


def _of_persons(table: Table, released: ProtectedTable, unit: str) -> dict[str, Any]:
    """The person of every released row, as a text of the privacy unit: the verifier finds which texts are the same
    person."""
    column = table.attribute(unit).column
    return {"units": column.codes[released.records], "unit_texts": column.values.tolist()}
