"""Node-link JSON: an object with a list of nodes and a list of edges (or links)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from api_schemas.strict_json import BadJson
from formats.core import faults
from formats.core.cells import Cells, glue
from formats.core.faults import Fault
from formats.core.format import GraphFormat, GraphReading, Look, Network, Sniffed
from formats.core.json_values import json_labels, json_text, strict_json
from formats.core.limits import Limits
from formats.core.names import checked_attributes
from formats.core.raw import RawGraph
from formats.core.text import BYTE_ORDER_MARK, beginning, refuse_binary, utf8_bytes
from formats.graphs.parts import Collected, graph_of
from formats.graphs.rows import TAKEN_BY_EDGES, edge_rows, node_rows


def _lists(document: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The nodes and the edges of a document."""
    nodes, edges = document.get("nodes"), document.get("edges", document.get("links"))
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise Fault("malformed_json", "the file does not have a list of nodes and a list of edges")
    return nodes, edges


def _is_node(node: Any) -> bool:
    return isinstance(node, dict) and "id" in node


def _bad_node(number: int) -> Fault:
    return Fault("malformed_json", f"node {number} is not an object with an id", row=number)


# --- sniffing --------------------------------------------------------------------------------------------------------

_JSON_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A text, possibly cut off at the end: it matches at every opening quote, so that a search stays linear."""
_JSON_CONSTANT = re.compile(rb"\b(?:NaN|Infinity)\b")


def _recognize(head: bytes) -> bool:
    return beginning(head).startswith(b"{")


def _sniff(look: Look) -> Sniffed:
    refuse_binary(look.head)
    head = look.head.removeprefix(BYTE_ORDER_MARK).strip()
    if not head.startswith(b"{"):
        raise faults.not_an_object()
    _refuse_hostile_json(head, look.limits)
    if not look.complete:
        return Sniffed("node-link")
    nodes, _ = _lists(strict_json(head, look.limits))
    if not nodes:
        raise Fault("malformed_json", "the file has no nodes")
    for number, node in enumerate(nodes, start=1):
        if not _is_node(node):
            raise _bad_node(number)
    names = dict.fromkeys(name for node in nodes for name in node if name != "id")
    return Sniffed("node-link", {}, checked_attributes(list(names), look.limits))


def _refuse_hostile_json(head: bytes, limits: Limits) -> None:
    """Refuse deep nesting and NaN in the beginning of a JSON text."""
    bare = _JSON_TEXT.sub(b"", head)
    if _JSON_CONSTANT.search(bare):
        raise faults.bad_json(BadJson("not_a_number", "NaN and Infinity are not JSON"))
    depth = 0
    for mark in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if mark in b"[{" else -1
        if depth > limits.max_json_depth:
            raise faults.bad_json(BadJson("depth", f"is nested more than {limits.max_json_depth} levels deep"))


# --- reading ---------------------------------------------------------------------------------------------------------

_ENDS = {"source", "target"}


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawGraph:
    """Read a node-link file; members of nodes other than the id are attributes."""
    document = strict_json(b"".join(utf8_bytes(chunks, "utf-8", reading.limits)), reading.limits)
    if not isinstance(document, dict):
        raise faults.not_an_object()
    collected = Collected(directed=document.get("directed") is True)
    nodes, edges = _lists(document)
    for number, node in enumerate(nodes, start=1):
        _take_node(collected, node, number)
    for number, edge in enumerate(edges, start=1):
        _take_edge(collected, edge, number)
    return graph_of(collected, reading)


def _take_node(collected: Collected, node: Any, number: int) -> None:
    if not _is_node(node):
        raise _bad_node(number)
    position = collected.add_node(_text(node["id"], number))
    for name, value in node.items():
        if name != "id":
            collected.add_value(position, name, _text(value, number))


def _take_edge(collected: Collected, edge: Any, number: int) -> None:
    if not isinstance(edge, dict) or not edge.keys() >= _ENDS:
        raise Fault("malformed_json", f"edge {number} is not an object with a source and a target", row=number)
    collected.add_edge(_text(edge["source"], number), _text(edge["target"], number))
    for name, value in edge.items():
        if name not in _ENDS and name != "key":
            collected.add_edge_value(name, "" if isinstance(value, list | dict) else _text(value, number))


def _text(value: Any, number: int) -> str:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return format(Decimal(repr(value)), "f")
    raise faults.nested_value(number)


# --- writing ---------------------------------------------------------------------------------------------------------


def write_node_link(
    graph: Network, attributes: Sequence[Cells], edges: Sequence[Cells], repeated: bool = False
) -> Iterator[bytes]:
    """Render the graph; ``repeated`` means that a pair may be listed several times."""
    taken = any(cells.name in TAKEN_BY_EDGES for cells in edges)
    said = [] if taken else [_json_member(cells) for cells in edges]
    columns = [] if any(cells.name == "id" for cells in attributes) else [_json_member(cells) for cells in attributes]
    directed = "true" if graph.directed else "false"
    multigraph = "true" if repeated else "false"
    yield f'{{"directed": {directed}, "multigraph": {multigraph}, "graph": {{}}, "nodes": ['.encode()
    yield from _listed(node_rows(graph, ',\n{"id": ', columns, "}"))
    yield b'],\n"edges": ['
    yield from _listed(edge_rows(graph, ',\n{"source": ', ', "target": ', said, "}"))
    yield b"]}\n"


def _json_member(cells: Cells) -> Cells:
    return cells.with_labels(glue(f", {json_text(cells.name)}: ", json_labels(cells)))


def _listed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pieces in which every item is preceded by a comma, without the first comma."""
    first = next(pieces, b"")
    yield first.removeprefix(b",")
    yield from pieces


NODE_LINK = GraphFormat(
    name="node-link",
    endings=("json",),
    recognize=_recognize,
    media_type="application/json",
    suffix="json",
    sniff=_sniff,
    read=_read,
    write=write_node_link,
)
