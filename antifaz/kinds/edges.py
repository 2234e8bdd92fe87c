"""Edges: weights and labels of graphs and temporal graphs, which a policy drops, keeps or noises."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.unique_values import refuse_unique_edges
from antifaz.errors import BrokenGuarantee
from antifaz.graphs.graph import EdgeColumn
from antifaz.kinds.edge_weights import add_noise
from antifaz.policy.networks import NetworkPolicy
from antifaz.tables.classes.coded import Coded
from antifaz.tables.labels.recode import write_number
from antifaz.tables.reading.attributes import cast_column
from antifaz.tables.reading.dialect import Dialect
from antifaz.tables.table import Column, ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType


def checked_edges(
    edges: Sequence[Coded], dialect: Dialect, policy: NetworkPolicy, pairs: NDArray[np.int64] | None = None
) -> tuple[Column, ...]:
    """Return weights and labels with their detected types; only numbers if the policy adds noise.

    ``pairs`` numbers the pair of every edge, if a pair may have edges at several times.
    """
    if policy.edge_attributes == "drop":
        return ()
    columns = [cast_column(edge.name, edge.values, edge.codes, None, dialect) for edge in edges]
    if policy.edge_attributes == "noise":
        return tuple(column for column in columns if column.type.is_number)
    for column in columns:
        if not policy.waives_column(column.name):
            refuse_unique_edges(column, pairs)
    return tuple(columns)


def original_keys(sources: NDArray[np.int64], targets: NDArray[np.int64], n: int, directed: bool) -> NDArray[np.int64]:
    """Return the keys of edges by their original ends; -1 if an end is an added node."""
    first, second = (sources, targets) if directed else (np.minimum(sources, targets), np.maximum(sources, targets))
    return np.where(np.minimum(sources, targets) < 0, np.int64(-1), first * np.int64(n) + second)


def released_edges(
    columns: Sequence[Column],
    keys: NDArray[np.int64],
    released: NDArray[np.int64],
    wanted: Literal["drop", "keep", "noise"],
    rng: np.random.Generator,
    pairs: NDArray[np.int64] | None = None,
) -> tuple[tuple[ReleasedColumn, ...], dict[str, Any]]:
    """Return the columns of the released edges as the policy requests, and an account of the noise.

    ``keys`` are the sorted keys of the original edges, in the order of the columns; ``released`` are the keys of the
    released edges; ``pairs`` numbers the pair of every original edge, if a pair may have edges at several times.
    """
    places, added = _edges_behind(keys, released, rng)
    if wanted == "noise":
        noised = [add_noise(column, places, added, rng, pairs) for column in columns]
        account = {each.column.name: each.account for each in noised}
        return tuple(written(each.column) for each in noised), {"edge_noise": account}
    meaning = "the edge's original value; an added edge has that of another edge"
    kept = tuple(
        ReleasedColumn(c.name, c.name, Role.INSENSITIVE, c.type, c.codes[places], c.values, meaning) for c in columns
    )
    return kept, {}


def _edges_behind(
    keys: NDArray[np.int64], released: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the index of the original edge of every released edge (of a random one if it was added), and which edges
    were added."""
    if not len(keys):
        if len(released):
            raise BrokenGuarantee("edges without weights were added to a graph without edges")
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    places = np.minimum(np.searchsorted(keys, released), len(keys) - 1)
    added = keys[places] != released
    places[added] = rng.integers(0, len(keys), int(added.sum()))
    return places.astype(np.int64), added


def written(column: EdgeColumn) -> ReleasedColumn:
    """Return a column of numbers from a method as a released column."""
    values, codes = np.unique(column.values, return_inverse=True)
    labels = np.array([write_number(float(value)) for value in values], dtype=object)
    type_ = ValueType.INTEGER if (values == np.floor(values)).all() else ValueType.DECIMAL
    return ReleasedColumn(column.name, column.name, Role.INSENSITIVE, type_, codes.astype(np.int32), labels, "a number")
