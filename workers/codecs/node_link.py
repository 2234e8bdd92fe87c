"""Node-link JSON: an object with a list of nodes and a list of edges (or links)."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from api_schemas.strict_json import BadJson, parse_json
from storage.settings import Settings
from workers.codecs.graph_parts import Collected
from workers.codecs.raw import invalid
from workers.codecs.stream import utf8_bytes

_ENDS = {"source", "target"}


def read_node_link(chunks: Iterable[bytes], settings: Settings) -> Collected:
    """Read a node-link file; members of nodes other than the id are attributes."""
    content = b"".join(utf8_bytes(chunks, "utf-8", settings))
    try:
        document = parse_json(content, settings.max_json_depth)
    except BadJson as error:
        document, refusal = None, error.rule
    else:
        refusal = "node_link"
    if not isinstance(document, dict):
        raise invalid(_RULES.get(refusal, refusal), "the file is not an object in strict JSON")
    collected = Collected(directed=document.get("directed") is True)
    for number, node in enumerate(_list(document.get("nodes")), start=1):
        _take_node(collected, node, number)
    links = document["edges"] if "edges" in document else document.get("links")
    for number, edge in enumerate(_list(links), start=1):
        _take_edge(collected, edge, number)
    return collected


_RULES = {"depth": "json_depth", "syntax": "malformed_json", "node_link": "malformed_json"}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise invalid("malformed_json", "the file has not one list of nodes and one of edges")
    return value


def _take_node(collected: Collected, node: Any, number: int) -> None:
    if not isinstance(node, dict) or "id" not in node:
        raise invalid("malformed_json", "a node is not an object with an id", row=number)
    position = collected.add_node(_text(node["id"], number))
    for name, value in node.items():
        if name != "id":
            collected.add_value(position, name, _text(value, number))


def _take_edge(collected: Collected, edge: Any, number: int) -> None:
    if not isinstance(edge, dict) or not edge.keys() >= _ENDS:
        raise invalid("malformed_json", "an edge is not an object with a source and a target", row=number)
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
    raise invalid("nested_value", "a value is a list or an object", row=number)
