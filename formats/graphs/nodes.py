"""Nodes: joins a table of nodes with the graph that it describes."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from formats.core import faults
from formats.core.limits import Limits
from formats.core.names import refuse_reserved
from formats.core.raw import RawColumn, RawGraph, RawTable, encode_texts


def renamed(graph: RawGraph, labels: list[str], limits: Limits) -> RawGraph:
    """The graph with labels as ids, unless two labels are equal in normal form or one is empty."""
    names = encode_texts(None, labels, limits)
    if len(names.values) < graph.n or "" in labels:
        return graph
    return replace(graph, ids=names.values[names.codes], aliases=graph.ids)


GraphT = TypeVar("GraphT", bound=RawGraph)


def merge_nodes(graph: GraphT, table: RawTable) -> GraphT:
    """Add the attributes of a table of nodes, whose first column is the node id, to the graph.

    Nodes that only the table lists are added as isolated nodes; nodes that it does not list have missing attributes.
    """
    listed = _listed_ids(table)
    graph, places = _placed(graph, listed)
    new = np.flatnonzero(places < 0)
    n = graph.n + len(new)
    places[new] = np.arange(graph.n, n)
    given = [_spread(column, places, n) for column in table.columns[1:]]
    columns = [*_file_columns(graph, n), *given]
    names = [column.name for column in columns]
    _refuse_names(names)
    return replace(
        graph,
        n=n,
        ids=np.concatenate([graph.ids, listed[new]]),
        aliases=None,
        node_columns=RawTable(names, columns, n, table.unnamed) if names else None,
    )


def _listed_ids(table: RawTable) -> NDArray[np.object_]:
    """The ids of a node table, without the spaces around them, as in edge lists."""
    column = table.columns[0]
    values = np.array([value.strip(" \t\r\n") for value in column.values], dtype=object)
    listed = values[column.codes]
    if (listed == "").any():
        raise faults.no_id(int((listed == "").argmax()) + 1)
    codes = pa.array(listed, pa.string()).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    # Codes are in order of appearance: a code that is not the largest so far is a repetition.
    repeated = np.flatnonzero(codes[1:] <= np.maximum.accumulate(codes)[:-1])
    if len(repeated):
        raise faults.duplicate_node(int(repeated[0]) + 2)
    return listed


def _placed(graph: GraphT, listed: NDArray[np.object_]) -> tuple[GraphT, NDArray[np.int64]]:
    """Node of every listed id, or -1; uses the file's other names of nodes if they match better."""
    places = _places(listed, graph.ids)
    if graph.aliases is None:
        return graph, places
    others = _places(listed, graph.aliases)
    if (others >= 0).sum() > (places >= 0).sum():
        return replace(graph, ids=graph.aliases), others
    return graph, places


def _places(listed: NDArray[np.object_], ids: NDArray[np.object_]) -> NDArray[np.int64]:
    found = pc.index_in(pa.array(listed, pa.string()), value_set=pa.array(ids, pa.string()))
    return np.asarray(pc.fill_null(found, -1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _file_columns(graph: RawGraph, n: int) -> list[RawColumn]:
    own = graph.node_columns
    if own is None:
        return []
    places = np.arange(graph.n)
    return [_spread(column, places, n) for column in own.columns]


def _spread(column: RawColumn, places: NDArray[np.int64], n: int) -> RawColumn:
    """A column over n nodes, with its rows at their nodes and the other cells missing."""
    if len(places) == n:
        codes = np.empty(n, dtype=np.int32)
        codes[places] = column.codes
        return replace(column, codes=codes)
    empty = np.flatnonzero(column.values == "")
    values = column.values if len(empty) else np.append(column.values, [""])
    codes = np.full(n, empty[0] if len(empty) else len(values) - 1, dtype=np.int32)
    codes[places] = column.codes
    return RawColumn(column.name, codes, values)


def _refuse_names(names: list[str]) -> None:
    if len(set(names)) < len(names):
        raise faults.duplicate_attribute()
    refuse_reserved(names)
