"""Writing graphs: edgelist, graphml, gml and node-link JSON.

Nodes are 0…n-1 and edges come in the order of their keys. Attributes go into a file only where its format can hold all
of their names and texts unchanged; where it cannot, the file has the structure alone, and the node table (of edges: the
edge list) the rest.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.graphs.graph import Graph
from antifaz.tables.table import ReleasedColumn
from workers.codecs.cells import Cells, cells_of, glue, joined_rows, node_cells, rewritten
from workers.codecs.render_tables import json_labels, render_csv

_NOT_IN_MARKUP = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\x{fdd0}-\\x{fdef}" + "".join(
    f"\\x{{{plane:x}fffe}}\\x{{{plane:x}ffff}}" for plane in range(17)
) + "]"  # fmt: skip
"""Characters that XML cannot hold, or that readers of character references change."""
_GML_KEY = re.compile(r"[A-Za-z][0-9A-Za-z_]*", re.ASCII)
_GML_NUMBER = r"^-?[0-9]+(?:\.[0-9]+)?$"
_GML_TAKEN = ("id", "label")
_TAKEN_BY_EDGES = ("source", "target", "id", "label", "key")
_LARGEST_GML_INTEGER = 2**31 - 1
_KEY_TYPES = {"integer": "long", "decimal": "double", None: "string"}


def render_graph(
    graph: Graph,
    format_: str,
    attributes: Sequence[ReleasedColumn] | None = None,
    edges: Sequence[ReleasedColumn] | None = None,
) -> Iterator[bytes]:
    """The bytes of a released graph, in pieces; attributes of the nodes and of the edges are in the order of these."""
    of_edges = [cells_of(column) for column in edges or ()] if graph.m else []
    return _WRITERS[format_](graph, [cells_of(column) for column in attributes or ()], of_edges)


def _ends(graph: Graph) -> tuple[Cells, Cells]:
    numbers = node_cells("", graph.n).labels
    source = Cells("source", graph.sources, numbers, "integer", True)
    return source, Cells("target", graph.targets, numbers, "integer", True)


def _wrapped(cells: Cells, before: str, after: str) -> Cells:
    return cells.with_labels(glue(before, cells.labels, after))


def _edge_rows(
    graph: Graph, before: str, between: str, columns: Sequence[Cells], after: str, begin: str = ""
) -> Iterator[bytes]:
    """The edges with what is said of them; ``begin`` stands between the ends and that."""
    source, target = _ends(graph)
    cells = [_wrapped(source, before, between), _wrapped(target, "", begin if columns else ""), *columns]
    return joined_rows([*cells[:-1], _wrapped(cells[-1], "", after)], "")


def _node_rows(graph: Graph, before: str, columns: Sequence[Cells], after: str) -> Iterator[bytes]:
    nodes = [_wrapped(node_cells("", graph.n), before, ""), *columns]
    return joined_rows([*nodes[:-1], _wrapped(nodes[-1], "", after)], "")


def _fits_markup(columns: Sequence[Cells]) -> bool:
    names = pa.array([cells.name for cells in columns], pa.large_string())
    texts = [names, *(cells.labels for cells in columns)]
    return not any(pc.any(pc.match_substring_regex(text, _NOT_IN_MARKUP)).as_py() for text in texts)


# edgelist


def _render_edgelist(graph: Graph, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    return render_csv([*_ends(graph), *edges])


# graphml


def _render_graphml(graph: Graph, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    columns = attributes if _fits_markup(attributes) else ()
    of_edges = edges if _fits_markup(edges) else ()
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for prefix, kind, described in (("d", "node", columns), ("e", "edge", of_edges)):
        for position, cells in enumerate(described):
            name, type_ = rewrite_markup(cells.name), _KEY_TYPES[cells.number]
            yield f'<key id="{prefix}{position}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n'.encode()
    yield f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">\n'.encode()
    written = [_after_id(_graphml_cells(cells, f"d{position}"), position) for position, cells in enumerate(columns)]
    yield from _node_rows(graph, '<node id="', written, "</node>\n" if written else '"/>\n')
    said = [_graphml_cells(cells, f"e{position}") for position, cells in enumerate(of_edges)]
    yield from _edge_rows(graph, '<edge source="', '" target="', said, "</edge>\n" if said else '"/>\n', '">')
    yield b"</graph>\n</graphml>\n"


def _after_id(cells: Cells, position: int) -> Cells:
    return _wrapped(cells, '">', "") if position == 0 else cells


def _graphml_cells(cells: Cells, key: str) -> Cells:
    """Labels within their element; a missing number has none, a missing text an empty one."""
    texts = rewritten(cells.labels, "[&<>\"'\\r]", rewrite_markup)
    written = glue(f'<data key="{key}">', texts, "</data>")
    if cells.number is not None:
        written = pc.if_else(pc.equal(cells.labels, ""), cells.labels, written)
    return cells.with_labels(written)


def rewrite_markup(text: str) -> str:
    """A text as XML holds it; line ends are kept as they are by character references."""
    return escape(text).replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")


# gml


def _render_gml(graph: Graph, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    columns = [_gml_cells(cells) for cells in attributes] if _fits_gml(attributes, _GML_TAKEN) else []
    said = [_gml_cells(cells) for cells in edges] if _fits_gml(edges, _TAKEN_BY_EDGES) else []
    yield f"graph [\n  directed {int(graph.directed)}\n".encode()
    label = _wrapped(node_cells("", graph.n), ' label "', '"')
    yield from _node_rows(graph, "  node [ id ", [label, *columns], " ]\n")
    yield from _edge_rows(graph, "  edge [ source ", " target ", said, " ]\n")
    yield b"]\n"


def _fits_gml(columns: Sequence[Cells], taken: Sequence[str]) -> bool:
    keys = [cells.name for cells in columns]
    return all(_GML_KEY.fullmatch(key) and key not in taken for key in keys) and _fits_markup(columns)


def _gml_cells(cells: Cells) -> Cells:
    """Labels after their key: numbers that every reader of the format can hold, or quoted ASCII."""
    texts = rewritten(cells.labels, '[^ -~]|[&"]', _gml_text)
    written = glue(f' {cells.name} "', texts, '"')
    if cells.number is not None:
        plain = _gml_numbers(cells)
        written = pc.if_else(plain, glue(f" {cells.name} ", cells.labels), written)
        written = pc.if_else(pc.equal(cells.labels, ""), cells.labels, written)
    return cells.with_labels(written)


def _gml_numbers(cells: Cells) -> Any:
    plain = pc.match_substring_regex(cells.labels, _GML_NUMBER)
    given = pc.if_else(plain, cells.labels, pa.scalar("0", pa.large_string())).cast(pa.float64())
    return pc.and_(plain, pc.less_equal(pc.abs(given), float(_LARGEST_GML_INTEGER)))


def _gml_text(text: str) -> str:
    return re.sub('[^ -~]|[&"]', lambda match: f"&#{ord(match[0])};", text)


# node-link


def _render_node_link(graph: Graph, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    taken = any(cells.name in _TAKEN_BY_EDGES for cells in edges)
    said = [] if taken else [_json_member(cells) for cells in edges]
    columns = [] if any(cells.name == "id" for cells in attributes) else [_json_member(cells) for cells in attributes]
    directed = "true" if graph.directed else "false"
    yield f'{{"directed": {directed}, "multigraph": false, "graph": {{}}, "nodes": ['.encode()
    yield from _listed(_node_rows(graph, ',\n{"id": ', columns, "}"))
    yield b'],\n"edges": ['
    yield from _listed(_edge_rows(graph, ',\n{"source": ', ', "target": ', said, "}"))
    yield b"]}\n"


def _json_member(cells: Cells) -> Cells:
    name = json_labels(Cells("", cells.codes, pa.array([cells.name], pa.large_string()), None, False)).to_pylist()[0]
    return cells.with_labels(glue(f", {name}: ", json_labels(cells)))


def _listed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pieces in which every item is preceded by a comma, without the first comma."""
    first = next(pieces, b"")
    yield first.removeprefix(b",")
    yield from pieces


_WRITERS: dict[str, Callable[[Graph, Sequence[Cells], Sequence[Cells]], Iterator[bytes]]] = {
    "edgelist": _render_edgelist,
    "graphml": _render_graphml,
    "gml": _render_gml,
    "node-link": _render_node_link,
}
