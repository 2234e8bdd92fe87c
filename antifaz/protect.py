"""Protect: a dataset and a policy become protected data and an account of what was done.

This is the one place where tables and graphs meet: the nodes of a graph carry a table of attributes, which is
protected by its own method and guarantees. `check` is quick and finds what is wrong with the values; `protect` does
the work.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import BrokenGuarantee, InvalidDataset
from antifaz.graphs.graph import EdgeColumn, Graph, NodeAttribute, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.policy import GraphPolicy, HierarchyReference, Policy, TablePolicy, default_node_method
from antifaz.tables.attributes import cast_column, resolve_attribute, rows_to_suppress
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.population import place_population
from antifaz.tables.pseudonyms import write_pseudonyms
from antifaz.tables.recode import release_classes, write_number
from antifaz.tables.table import Attribute, Column, Population, ProtectedTable, ReleasedColumn, Role, Table, ValueType
from antifaz.watch import Watch, unwatched, within

_UNIQUE_TEXT_SHARE = 0.5
_UNIQUE_TEXT_LEAST = 20


@dataclass(frozen=True)
class Encoded:
    """One column as it was read: codes into distinct texts, not yet typed."""

    name: str
    codes: NDArray[np.int32]
    values: NDArray[np.object_]


@dataclass(frozen=True)
class Dataset:
    """What was read: the columns of a table, or a graph and the columns of its nodes."""

    columns: tuple[Encoded, ...]
    n: int
    graph: Graph | None = None
    decimal: str = "."
    edges: tuple[Encoded, ...] = ()
    """Weights and labels of the edges, in the order of the graph's keys, where they were read."""


@dataclass(frozen=True)
class Checked:
    """A dataset that fits its policy."""

    table: Table | None
    """The records of a table, or the nodes of a graph where they have attributes."""
    graph: Graph | None
    rows: NDArray[np.int64]
    """Original row of every record of the table: rows with a missing value may have been left out."""
    left_out: int = 0
    edges: tuple[Column, ...] = ()
    """Weights and labels of the edges that the policy wants released."""


@dataclass(frozen=True)
class Protected:
    """Protected data in the form in which it is released: rows shuffled, nodes renumbered."""

    table: ProtectedTable | None
    graph: ProtectedGraph | None
    account: dict[str, Any]
    edges: tuple[ReleasedColumn, ...] = ()
    """What is released with every edge, in the order of the released graph's keys."""


def column_types(dataset: Dataset) -> list[dict[str, str]]:
    """Name and detected type of every column."""
    return [
        {"name": column.name, "type": cast_column(column.name, column.values, column.codes, None, dataset.decimal).type}
        for column in dataset.columns
    ]


def check(
    dataset: Dataset,
    policy: Policy,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    populations: Mapping[str, Dataset] | None = None,
) -> Checked:
    """Type every column, place every value in its hierarchy and let every guarantee look at the counts.

    ``hierarchies`` and ``populations`` are what the policy refers to, by id.
    """
    policy.check_columns([column.name for column in dataset.columns])
    table, rows = _checked_table(dataset, policy, hierarchies or {})
    if table is not None and populations:
        table = replace(table, populations=_placed(table, policy, hierarchies or {}, populations))
    if dataset.graph is None and table is None:
        raise InvalidDataset("empty", "the table has no rows", shred=True)
    for guarantee in policy.guarantees:
        if isinstance(guarantee, GraphGuarantee):
            guarantee.admit(_structure(dataset))
        elif table is not None:
            guarantee.admit(table)
    graph = None if dataset.graph is None else replace(dataset.graph, attributes=_node_attributes(table))
    if graph is not None and isinstance(policy, GraphPolicy):
        policy.method.admit(graph)
    return Checked(table, graph, rows, dataset.n - len(rows), _checked_edges(dataset, policy))


def _node_attributes(table: Table | None) -> tuple[NodeAttribute, ...]:
    """What methods and measures of graphs may know of the nodes' attributes."""
    return tuple(
        NodeAttribute(
            attribute.name,
            attribute.role.value,
            attribute.column.codes.astype(np.int64),
            len(attribute.column.values),
            attribute.column.numbers,
            None if attribute.generalization is None else attribute.generalization.groups.astype(np.int64),
        )
        for attribute in (table.attributes if table is not None else ())
        if attribute.role is not Role.IDENTIFIER
    )


def _checked_edges(dataset: Dataset, policy: Policy) -> tuple[Column, ...]:
    """Weights and labels by their detected types; where numbers are to be noised, numbers alone."""
    if not isinstance(policy, GraphPolicy) or policy.edge_attributes == "drop" or dataset.graph is None:
        return ()
    columns = [cast_column(edge.name, edge.values, edge.codes, None, dataset.decimal) for edge in dataset.edges]
    if policy.edge_attributes == "noise":
        return tuple(column for column in columns if column.type in (ValueType.INTEGER, ValueType.DECIMAL))
    for column in columns:
        if column.type is ValueType.TEXT and not policy.waives("free_text"):
            _refuse_unique_text(column, dataset.graph.m)
    return tuple(columns)


def persons(dataset: Dataset, policy: Policy) -> NDArray[np.int64] | None:
    """For every row the number of the person it belongs to, where the policy names a privacy unit.

    Rows without one count as one person's, which never counts too many.
    """
    if not isinstance(policy, TablePolicy) or policy.privacy_unit is None:
        return None
    return typed(dataset, policy, policy.privacy_unit).codes.astype(np.int64)


def typed(dataset: Dataset, policy: Policy, name: str) -> Column:
    """A column over all rows of the dataset, those among them that missing values leave out."""
    column = next(column for column in dataset.columns if column.name == name)
    return _cast(column, policy, dataset.decimal)


def protect(
    checked: Checked, policy: Policy, rng: np.random.Generator, watch: Watch = unwatched, key: bytes | None = None
) -> Protected:
    """Protect the data, then break every link to the original's order. Pseudonyms are made under the key."""
    if isinstance(policy, TablePolicy):
        return _protect_table(checked, policy, rng, watch, key)
    return _protect_graph(checked, policy, rng, watch)


def _structure(dataset: Dataset) -> Graph:
    if dataset.graph is None:
        raise InvalidDataset("kind", "the guarantee speaks of a graph and the dataset is a table")
    return dataset.graph


def _checked_table(
    dataset: Dataset, policy: Policy, hierarchies: Mapping[str, Hierarchy]
) -> tuple[Table | None, NDArray[np.int64]]:
    if not dataset.columns or dataset.n == 0:
        return None, np.arange(dataset.n)
    columns = [_cast(column, policy, dataset.decimal) for column in dataset.columns]
    unwanted = rows_to_suppress(columns, policy.attributes)
    if unwanted.any():
        columns = [_restricted(column, ~unwanted) for column in columns]
    n = int(dataset.n - unwanted.sum())
    if n == 0:
        raise InvalidDataset("empty", "no row is left after rows with missing values are left out")
    _refuse_free_text(columns, policy, n)
    attributes = tuple(_resolved(column, policy, hierarchies) for column in columns)
    unit = persons(dataset, policy)
    return Table(attributes, n, None if unit is None else unit[~unwanted]), np.flatnonzero(~unwanted)


def _cast(column: Encoded, policy: Policy, decimal: str) -> Column:
    """A column by its declared or detected type; an identifier is text, for 7 and 7.0 are two names."""
    settings = policy.attributes[column.name]
    declared = settings.type or (ValueType.TEXT if settings.role is Role.IDENTIFIER else None)
    return cast_column(column.name, column.values, column.codes, declared, decimal)


def _resolved(column: Column, policy: Policy, hierarchies: Mapping[str, Hierarchy]) -> Attribute:
    return resolve_attribute(column, policy.attributes[column.name], _hierarchy(column.name, policy, hierarchies))


def _hierarchy(name: str, policy: Policy, hierarchies: Mapping[str, Hierarchy]) -> Hierarchy | None:
    stated = policy.attributes[name].hierarchy
    return hierarchies[stated.id] if isinstance(stated, HierarchyReference) else stated


def _placed(
    table: Table, policy: Policy, hierarchies: Mapping[str, Hierarchy], populations: Mapping[str, Dataset]
) -> dict[str, Population]:
    """Every population over the table's quasi-identifiers; what is wrong with one is said to be so."""
    found = {a.name: _hierarchy(a.name, policy, hierarchies) for a in table.quasi_identifiers}
    used = {name: hierarchy for name, hierarchy in found.items() if hierarchy is not None}
    placed = {}
    for name, dataset in populations.items():
        columns = {column.name: (column.codes, column.values) for column in dataset.columns}
        try:
            placed[name] = place_population(table, columns, used, dataset.decimal)
        except InvalidDataset as error:
            detail = f"the population does not fit: {error.detail}"
            raise InvalidDataset("population", detail, column=error.column, row=error.row) from None
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


def _refuse_free_text(columns: Sequence[Column], policy: Policy, n: int) -> None:
    """Text that is different in most rows tells who a row is, whatever its role is called."""
    if policy.waives("free_text"):
        return
    for column in columns:
        role = policy.attributes[column.name].role
        if column.type is ValueType.TEXT and role in (Role.SENSITIVE, Role.INSENSITIVE):
            _refuse_unique_text(column, n)


def _refuse_unique_text(column: Column, n: int) -> None:
    unique = int(np.count_nonzero(np.bincount(column.codes, minlength=len(column.values)) == 1))
    if n >= _UNIQUE_TEXT_LEAST and unique > _UNIQUE_TEXT_SHARE * n:
        raise InvalidDataset(
            "free_text",
            "most values of this text column are unique: give it the role identifier, or the waiver free_text",
            column=column.name,
        )


def _protect_table(
    checked: Checked, policy: TablePolicy, rng: np.random.Generator, watch: Watch, key: bytes | None
) -> Protected:
    table = checked.table
    if table is None:
        raise InvalidDataset("empty", "the table has no rows", shred=True)
    protected = policy.method.apply(table, policy.guarantees, rng, watch)
    _refuse_identifiers(protected, policy)
    account = {
        "rows_in": table.n + checked.left_out,
        "rows_out": len(protected.records),
        "rows_suppressed": table.n + checked.left_out - len(protected.records),
        **protected.account,
    }
    in_order = np.array_equal(protected.records, np.arange(table.n))
    order = rng.permutation(len(protected.records))
    records = order if in_order else protected.records[order]
    columns = list(_with_pseudonyms(table, protected, policy, key).columns)
    told = protected.account
    del protected
    unit = None if table.unit is None else table.unit[records]
    return Protected(ProtectedTable(_shuffled(columns, order), records, told, unit), None, account)


def _shuffled(columns: list[ReleasedColumn], order: NDArray[np.int64]) -> tuple[ReleasedColumn, ...]:
    """The columns in another order of their rows; each is let go of once it is copied, for all twice is a lot."""
    shuffled = []
    while columns:
        column = columns.pop(0)
        shuffled.append(replace(column, codes=column.codes[order]))
    return tuple(shuffled)


def _with_pseudonyms(table: Table, protected: ProtectedTable, policy: TablePolicy, key: bytes | None) -> ProtectedTable:
    """The release with the identifiers that the policy wants as pseudonyms, each where its column was."""
    wanted = [attribute for attribute in table.having(Role.IDENTIFIER) if policy.attributes[attribute.name].pseudonym]
    if not wanted:
        return protected
    if key is None:
        raise ValueError("pseudonyms need a key")
    made = [write_pseudonyms(attribute, protected.records, key) for attribute in wanted]
    places = {attribute.name: place for place, attribute in enumerate(table.attributes)}
    columns = sorted([*protected.columns, *made], key=lambda column: places[column.source])
    return replace(protected, columns=tuple(columns))


def _protect_graph(checked: Checked, policy: GraphPolicy, rng: np.random.Generator, watch: Watch) -> Protected:
    graph = checked.graph
    if graph is None:
        raise InvalidDataset("kind", "the policy is a graph's and the dataset is a table")
    structural = [g for g in policy.guarantees if isinstance(g, GraphGuarantee)]
    structure = policy.method.apply(graph, structural, rng, within(watch, 0.0, 0.8))
    released = structure.renamed(rng.permutation(structure.graph.n))
    if released.members is not None:
        nodes: ProtectedTable | None = _protect_supernodes(checked.table, released)
    else:
        nodes = _protect_nodes(checked.table, policy, released, rng, within(watch, 0.8, 1.0))
    account = {"nodes_in": graph.n, "edges_in": graph.m, **structure.account}
    if nodes is not None:
        account["nodes"] = nodes.account
    return Protected(nodes, released, account, _released_edges(checked, policy, released, rng))


def _released_edges(
    checked: Checked, policy: GraphPolicy, released: ProtectedGraph, rng: np.random.Generator
) -> tuple[ReleasedColumn, ...]:
    """What the method says of every edge, or the edges' own weights and labels as the policy wants them."""
    if released.edge_columns or checked.graph is None:
        return tuple(_written(column) for column in released.edge_columns)
    places = _edges_behind(checked.graph, released, rng) if checked.edges else np.empty(0, dtype=np.int64)
    if policy.edge_attributes == "noise":
        return tuple(_written(_noised(column, places, rng)) for column in checked.edges)
    meaning = "the edge's value as it is; an edge that was added has that of another"
    return tuple(
        ReleasedColumn(c.name, c.name, Role.INSENSITIVE, c.type, c.codes[places], c.values, meaning)
        for c in checked.edges
    )


def _edges_behind(graph: Graph, released: ProtectedGraph, rng: np.random.Generator) -> NDArray[np.int64]:
    """For every released edge the place of the original one; for one that was added, that of a random other."""
    if not graph.m:
        raise BrokenGuarantee("edges without weights were added to a graph without edges")
    ends = [released.origin[released.graph.sources], released.origin[released.graph.targets]]
    if not graph.directed:
        ends = [np.minimum(*ends), np.maximum(*ends)]
    keys = ends[0] * np.int64(graph.n) + ends[1]
    places = np.minimum(np.searchsorted(graph.keys, keys), graph.m - 1)
    added = (graph.keys[places] != keys) | (ends[0] < 0)
    places[added] = rng.integers(0, graph.m, int(added.sum()))
    return places.astype(np.int64)


NOISE = 0.1
"""Standard deviation of the noise on weights of edges, as a share of theirs."""


def _noised(column: Column, places: NDArray[np.int64], rng: np.random.Generator) -> EdgeColumn:
    """Numbers with noise, rounded as the column was; a missing one is first filled with that of a random other edge."""
    if column.numbers is None:
        raise TypeError("only numbers can be noised")
    numbers = column.numbers[column.codes]
    known = numbers[~np.isnan(numbers)]
    values = numbers[places]
    missing = np.isnan(values)
    values[missing] = rng.choice(known, int(missing.sum()))
    values += rng.normal(0.0, NOISE * float(known.std()), len(values))
    return EdgeColumn(column.name, np.round(values, 0 if column.type is ValueType.INTEGER else _decimals(column)))


def _decimals(column: Column) -> int:
    """The most digits after the point that a value of the column has."""
    return max(len(str(value).partition(".")[2]) for value in column.values)


def _written(column: EdgeColumn) -> ReleasedColumn:
    """Numbers of a method as a released column."""
    values, codes = np.unique(column.values, return_inverse=True)
    labels = np.array([write_number(float(value)) for value in values], dtype=object)
    type_ = ValueType.INTEGER if (values == np.floor(values)).all() else ValueType.DECIMAL
    return ReleasedColumn(column.name, column.name, Role.INSENSITIVE, type_, codes.astype(np.int32), labels, "a number")


def _protect_supernodes(table: Table | None, released: ProtectedGraph) -> ProtectedTable:
    """A record for each supernode: what the method counts, and the quasi-identifiers recoded over its members.

    What is the value of one node alone, sensitive or not, has no place in it.
    """
    assert released.members is not None
    counted = tuple(_written(column) for column in released.node_columns)
    columns: tuple[ReleasedColumn, ...] = ()
    n = released.graph.n
    if table is not None and table.quasi_identifiers:
        first = np.unique(released.members, return_index=True)[1]
        recoded = _reordered(release_classes(table, released.members, n), first)
        columns = tuple(column for column in recoded.columns if column.role is Role.QUASI_IDENTIFIER)
    return ProtectedTable((*counted, *columns), np.full(n, -1, dtype=np.int64))


def _protect_nodes(
    table: Table | None, policy: GraphPolicy, released: ProtectedGraph, rng: np.random.Generator, watch: Watch
) -> ProtectedTable | None:
    """The nodes' attributes, one record for each released node, in the order of their new names."""
    if table is None:
        return None
    guarantees = [g for g in policy.guarantees if isinstance(g, TableGuarantee)]
    if guarantees and table.quasi_identifiers:
        method: TableMethod = policy.node_method or default_node_method()
        protected = method.apply(table, guarantees, rng, watch)
    else:
        protected = _carried(table)
    _refuse_identifiers(protected, policy)
    if len(protected.records) != table.n or (released.origin < 0).any():
        raise BrokenGuarantee("every node must keep exactly one record of attributes")
    position = np.empty(table.n, dtype=np.int64)
    position[protected.records] = np.arange(table.n)
    return _reordered(protected, position[released.origin])


def _carried(table: Table) -> ProtectedTable:
    """Every column but the identifiers, as it is."""
    columns = tuple(
        ReleasedColumn(a.name, a.name, a.role, a.column.type, a.column.codes, a.column.values, "as in the original")
        for a in table.attributes
        if a.role is not Role.IDENTIFIER
    )
    return ProtectedTable(columns, np.arange(table.n, dtype=np.int64))


def _refuse_identifiers(protected: ProtectedTable, policy: Policy) -> None:
    identifiers = set(policy.having(Role.IDENTIFIER))
    if any(column.source in identifiers for column in protected.columns):
        raise BrokenGuarantee("a method returned an identifier")


def _reordered(protected: ProtectedTable, order: NDArray[np.int64]) -> ProtectedTable:
    columns = tuple(replace(column, codes=column.codes[order]) for column in protected.columns)
    unit = None if protected.unit is None else protected.unit[order]
    return ProtectedTable(columns, protected.records[order], protected.account, unit)
