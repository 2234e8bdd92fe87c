"""Writers of releases, plain and sharing nothing with the code under test.

Every writer has a companion that returns what a reader of the format sees of a cell: CSV has only texts; the typed
formats distinguish numbers from texts, and null from an empty text.
"""

import csv
import io
import json
from collections.abc import Hashable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from verifier import Artifact

TABLE_FORMATS = ("csv", "jsonl", "parquet")
GRAPH_FORMATS = ("edgelist", "graphml", "gml", "node-link")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

Rows = Sequence[Sequence[Any]]
Edges = Sequence[tuple[int, int]]


def seen(form: str, cell: Any) -> Hashable:
    """The identity of a cell in a file of this format."""
    return csv_text(cell) if form == "csv" else (type(cell).__name__, cell)


def csv_text(cell: Any) -> str:
    """A cell of a csv file; a text that a spreadsheet would execute is prefixed with an apostrophe."""
    if isinstance(cell, str):
        return "'" + cell if cell.startswith(FORMULA) else cell
    return "" if cell is None else repr(cell)


def write_table(form: str, names: Sequence[str], rows: Rows, part: str = "table") -> Artifact:
    """A table as a release shows it."""
    return Artifact(form, part, _WRITERS[form](names, rows))


def _csv(names: Sequence[str], rows: Rows) -> bytes:
    out = io.StringIO()
    cells = [list(names), *([csv_text(cell) for cell in row] for row in rows)]
    # A carriage return within a cell must be quoted, which Python's writer does not do by itself; nor may the only
    # cell of a row be a blank line.
    odd = any("\r" in cell or not cell for row in cells for cell in row)
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerows(cells)
    return out.getvalue().encode()


def _jsonl(names: Sequence[str], rows: Rows) -> bytes:
    lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _parquet(names: Sequence[str], rows: Rows) -> bytes:
    columns = [pa.array([row[place] for row in rows]) for place in range(len(names))]
    columns = [column.cast(pa.string()) if pa.types.is_null(column.type) else column for column in columns]
    out = io.BytesIO()
    table = pa.Table.from_arrays(columns, names=list(names))
    pq.write_table(table, out, compression="zstd", write_statistics=False, store_schema=False)
    author = b"parquet-cpp-arrow version " + pa.__version__.encode()
    return out.getvalue().replace(author, b"antifaz version 1".ljust(len(author)))


_WRITERS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}


def write_graph(form: str, n: int, edges: Edges, directed: bool) -> Artifact:
    """A graph over 0…n-1 as a release shows it."""
    return Artifact(form, "graph", _GRAPH_WRITERS[form](n, edges, directed))


def _edgelist(n: int, edges: Edges, directed: bool) -> bytes:
    return "".join(f"{source},{target}\n" for source, target in [("source", "target"), *edges]).encode()


def _graphml(n: int, edges: Edges, directed: bool) -> bytes:
    nodes = "".join(f'<node id="{node}"/>' for node in range(n))
    lines = "".join(f'<edge source="{source}" target="{target}"/>' for source, target in edges)
    flow = "directed" if directed else "undirected"
    inside = f'<graph edgedefault="{flow}">{nodes}{lines}</graph>'
    return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{inside}</graphml>'.encode()


def _gml(n: int, edges: Edges, directed: bool) -> bytes:
    nodes = "".join(f" node [ id {node} ]\n" for node in range(n))
    lines = "".join(f" edge [ source {source} target {target} ]\n" for source, target in edges)
    return f"graph [ directed {int(directed)}\n{nodes}{lines}]\n".encode()


def _node_link(n: int, edges: Edges, directed: bool) -> bytes:
    nodes = [{"id": node} for node in range(n)]
    lines = [{"source": source, "target": target} for source, target in edges]
    return json.dumps({"directed": directed, "multigraph": False, "graph": {}, "nodes": nodes, "edges": lines}).encode()


_GRAPH_WRITERS = {"edgelist": _edgelist, "graphml": _graphml, "gml": _gml, "node-link": _node_link}
