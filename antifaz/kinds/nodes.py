"""Nodes: node attributes of graphs and temporal graphs, protected like records."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import BrokenGuarantee, Infeasible
from antifaz.graphs.graph import NodeAttribute
from antifaz.kinds.records import refuse_alone, refuse_identifiers
from antifaz.policy.model import Policy, promises_mechanism
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch


def node_attributes(table: Table | None) -> tuple[NodeAttribute, ...]:
    """Return the node attributes that methods and measures of graphs may use."""
    return tuple(
        NodeAttribute(
            attribute.name,
            attribute.role.value,
            attribute.column.codes.astype(np.int64),
            len(attribute.column.values),
            attribute.column.numbers,
            None if attribute.generalization is None else attribute.generalization.groups.astype(np.int64),
        )
        for each in (table.attributes if table is not None else ())
        if (attribute := each.folded if each.role is Role.SENSITIVE else each).role is not Role.IDENTIFIER
    )


def released_records(table: Table | None) -> Table | None:
    """Return the nodes' attributes if any is released; None if there are only identifiers."""
    released = table is not None and any(each.role is not Role.IDENTIFIER for each in table.attributes)
    return table if released else None


def protect_nodes(table: Table, policy: Policy, rng: np.random.Generator, watch: Watch) -> ProtectedTable:
    """Return the protected node attributes, one record for each node."""
    guarantees = [g for g in policy.guarantees if isinstance(g, TableGuarantee)]
    if guarantees and table.quasi_identifiers:
        method = policy.class_method()
        protected = method.apply(table, guarantees, rng, watch)
    else:
        protected = _carried(table)
    refuse_identifiers(protected, policy)
    if len(protected.records) != table.n:
        raise BrokenGuarantee("every node must keep exactly one record of attributes")
    if promises_mechanism(policy) and (reasons := refuse_alone(table, protected, policy)):
        # Noise on the edges protects no attribute. This refusal comes before the noise is drawn.
        raise Infeasible(reasons)
    return protected


def recode_together(table: Table, policy: Policy, classes: NDArray[np.int64]) -> ProtectedTable:
    """Return the node attributes, with equal quasi-identifiers for all nodes of a class of the structure."""
    protected = release_classes(table, classes, int(classes.max(initial=-1)) + 1)
    refuse_identifiers(protected, policy)
    return protected


def by_new_names(nodes: ProtectedTable, origin: NDArray[np.int64]) -> ProtectedTable:
    """Return the records of the nodes in the order of their new names; ``origin`` is the original node of each."""
    if (origin < 0).any():
        raise BrokenGuarantee("every node must keep exactly one record of attributes")
    position = np.empty(len(nodes.records), dtype=np.int64)
    position[nodes.records] = np.arange(len(nodes.records))
    return reordered(nodes, position[origin])


def reordered(protected: ProtectedTable, order: NDArray[np.int64]) -> ProtectedTable:
    """Return the same records in another order."""
    columns = tuple(replace(column, codes=column.codes[order]) for column in protected.columns)
    unit = None if protected.unit is None else protected.unit[order]
    return ProtectedTable(columns, protected.records[order], protected.account, unit, protected.follows)


def _carried(table: Table) -> ProtectedTable:
    """Return every column except identifiers, unchanged."""
    columns = tuple(
        ReleasedColumn(a.name, a.name, a.role, a.column.type, a.column.codes, a.column.values, "as in the original")
        for a in table.attributes
        if a.role is not Role.IDENTIFIER
    )
    return ProtectedTable(columns, np.arange(table.n, dtype=np.int64))
