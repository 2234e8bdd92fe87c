"""Graphs: which reader reads which format, and how a table of nodes joins the graph it describes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from storage.settings import Settings
from workers.codecs.edges import read_edges
from workers.codecs.gml import read_gml
from workers.codecs.graph_parts import RESERVED, graph_of, simple_graph
from workers.codecs.node_link import read_node_link
from workers.codecs.pajek import Vertices, read_pajek
from workers.codecs.raw import RawColumn, RawGraph, RawTable, encode_texts, invalid
from workers.codecs.xml_graphs import read_gexf, read_graphml


def read_graph(
    chunks: Iterable[bytes],
    format_: str,
    details: Mapping[str, Any],
    directed: bool | None,
    strict: bool,
    settings: Settings,
    with_edges: bool = False,
) -> RawGraph:
    """Read a graph from the stored pieces of its file, or raise `InvalidDataset`.

    Where ``directed`` is None the file says whether edges have a direction; an edge list has none. Attributes of edges
    are read ``with_edges`` only.
    """
    match format_:
        case "edgelist":
            delimiter, encoding = details.get("delimiter"), details.get("encoding")
            ends = read_edges(chunks, delimiter, bool(details.get("header")), encoding, settings, with_edges)
            return simple_graph(
                ends.ids, ends.sources, ends.targets, bool(directed), strict, None, ends.attributes, ends.columns
            )
        case "graphml":
            return graph_of(read_graphml(chunks, settings), directed, strict, settings, with_edges)
        case "gexf":
            return graph_of(read_gexf(chunks, settings), directed, strict, settings, with_edges)
        case "gml":
            return _labelled_graph(chunks, directed, strict, settings, with_edges)
        case "pajek":
            network = read_pajek(chunks, details.get("encoding"), settings)
            return _pajek_graph(network, directed, strict, settings, with_edges)
        case "node-link":
            return graph_of(read_node_link(chunks, settings), directed, strict, settings, with_edges)
    raise invalid("unknown_format", "the format is not one of graphs")


def _labelled_graph(
    chunks: Iterable[bytes], directed: bool | None, strict: bool, settings: Settings, with_edges: bool
) -> RawGraph:
    """A GML graph. Labels that tell all nodes apart are their names; others are an attribute."""
    collected, labels = read_gml(chunks, settings)
    if len(set(labels.values())) < len(collected.positions):
        for name, label in labels.items():
            collected.add_value(collected.positions[name], "label", label)
        return graph_of(collected, directed, strict, settings, with_edges)
    graph = graph_of(collected, directed, strict, settings, with_edges)
    return _renamed(graph, list(labels.values()), settings)


def _pajek_graph(
    network: Vertices, directed: bool | None, strict: bool, settings: Settings, with_edges: bool
) -> RawGraph:
    numbers = np.arange(1, network.n + 1).astype(str).astype(object)
    none = np.empty(0, dtype=np.int64)
    followed = network.directed if directed is None else directed
    graph = simple_graph(
        numbers,
        np.concatenate([none, *network.sources]),
        np.concatenate([none, *network.targets]),
        followed,
        strict,
        edge_attributes=int(network.weighted),
        edges=_weights(network, settings) if with_edges and network.weighted else None,
    )
    if len(set(network.labels.values())) < network.n:
        return graph
    return _renamed(graph, [network.labels[number] for number in range(network.n)], settings)


def _weights(network: Vertices, settings: Settings) -> RawTable:
    column = encode_texts("weight", pa.concat_arrays(network.weights), settings)
    return RawTable(["weight"], [column], len(column.codes))


def _renamed(graph: RawGraph, labels: list[str], settings: Settings) -> RawGraph:
    """The graph with labels as ids, unless two of them are the same in normal form, or one is empty."""
    names = encode_texts(None, labels, settings)
    if len(names.values) < graph.n or "" in labels:
        return graph
    return replace(graph, ids=names.values[names.codes], aliases=graph.ids)


def merge_nodes(graph: RawGraph, table: RawTable) -> RawGraph:
    """The graph with the attributes of a table of nodes, whose first column is the node id.

    Nodes that only the table lists are added, isolated; a node that it does not list has missing attributes.
    """
    listed = _listed_ids(table)
    graph, places = _placed(graph, listed)
    new = np.flatnonzero(places < 0)
    n = graph.n + len(new)
    places[new] = np.arange(graph.n, n)
    given = [_spread(column, places, n) for column in table.columns[1:]]
    columns = [*_file_columns(graph, n), *zip(table.names[1:], given, strict=True)]
    names = [name for name, _ in columns]
    _refuse_names(names)
    return replace(
        graph,
        n=n,
        ids=np.concatenate([graph.ids, listed[new]]),
        aliases=None,
        node_columns=RawTable(names, [column for _, column in columns], n) if names else None,
    )


def _listed_ids(table: RawTable) -> NDArray[np.object_]:
    """The ids of a node table, without the spaces around them, as edge lists have them."""
    column = table.columns[0]
    values = np.array([value.strip(" \t\r\n") for value in column.values], dtype=object)
    listed = values[column.codes]
    if (listed == "").any():
        raise invalid("empty_id", "a row of the node table has no id", row=int((listed == "").argmax()) + 1)
    codes = pa.array(listed, pa.string()).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    first = np.unique(codes, return_index=True)[1]
    if len(first) < len(codes):
        row = int(np.setdiff1d(np.arange(len(codes)), first)[0]) + 1
        raise invalid("duplicate_node", "two rows of the node table have the same id", row=row)
    return listed


def _placed(graph: RawGraph, listed: NDArray[np.object_]) -> tuple[RawGraph, NDArray[np.int64]]:
    """Node of every listed id, or -1; by the file's other names where these fit better."""
    places = _places(listed, graph.ids)
    if graph.aliases is None:
        return graph, places
    others = _places(listed, graph.aliases)
    if (others >= 0).sum() > (places >= 0).sum():
        return replace(graph, ids=graph.aliases), others
    return graph, places


def _places(listed: NDArray[np.object_], ids: NDArray[np.object_]) -> NDArray[np.int64]:
    found = pc.index_in(pa.array(listed, pa.string()), value_set=pa.array(ids, pa.string()))
    return pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)


def _file_columns(graph: RawGraph, n: int) -> list[tuple[str, RawColumn]]:
    own = graph.node_columns
    if own is None:
        return []
    places = np.arange(graph.n)
    return [(name, _spread(column, places, n)) for name, column in zip(own.names, own.columns, strict=True)]


def _spread(column: RawColumn, places: NDArray[np.int64], n: int) -> RawColumn:
    """A column over n nodes, its rows put where they belong and the rest missing."""
    if len(places) == n:
        codes = np.empty(n, dtype=np.int32)
        codes[places] = column.codes
        return RawColumn(codes, column.values)
    empty = np.flatnonzero(column.values == "")
    values = column.values if len(empty) else np.append(column.values, [""])
    codes = np.full(n, empty[0] if len(empty) else len(values) - 1, dtype=np.int32)
    codes[places] = column.codes
    return RawColumn(codes, values)


def _refuse_names(names: list[str]) -> None:
    if len(set(names)) < len(names):
        raise invalid("duplicate_column", "the file and the node table have attributes of the same name")
    if RESERVED in names:
        raise invalid("reserved_column", "no attribute may have the name of the node column", column=RESERVED)
