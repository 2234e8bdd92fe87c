"""Small tables for tests, built as in the engine: texts, settings, hierarchies."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.tables.reading.attributes import AttributeSettings, cast_column, resolve_attribute
from antifaz.tables.table import ProtectedTable, Table

TableMaker = Callable[..., Table]


def make_table(
    columns: Mapping[str, Sequence[str]],
    roles: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    **settings: Mapping[str, Any],
) -> Table:
    """A table from columns of texts; a column without a role is a quasi-identifier."""
    attributes = []
    for name, cells in columns.items():
        texts, codes = np.unique(np.array(list(cells), dtype=object), return_inverse=True)
        stated = AttributeSettings(**{"role": (roles or {}).get(name, "quasi_identifier"), **settings.get(name, {})})
        column = cast_column(name, texts, codes.astype(np.int32), stated.type)
        attributes.append(resolve_attribute(column, stated, (hierarchies or {}).get(name)))
    return Table(tuple(attributes), len(next(iter(columns.values()))))


def read_rows(released: ProtectedTable) -> list[tuple[str, ...]]:
    """The released records as tuples of labels, in the order of the original's rows."""
    cells = [column.labels[column.codes] for column in released.columns]
    rows = list(zip(*cells, strict=True))
    return [row for _, row in sorted(zip(released.records.tolist(), rows, strict=True), key=lambda pair: pair[0])]


@pytest.fixture(scope="session")
def table_of() -> TableMaker:
    return make_table


@pytest.fixture(scope="session")
def rows_of() -> Callable[[ProtectedTable], list[tuple[str, ...]]]:
    return read_rows


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)
