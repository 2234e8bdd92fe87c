"""Writers of releases for the verifier's tests: plain, and sharing nothing with the code under test."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from verifier import Artifact

Row = Sequence[Any]
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def _csv_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return "'" + cell if cell.startswith(FORMULA) else cell
    return repr(cell) if isinstance(cell, float) else str(cell)


def table_artifact(form: str, names: Sequence[str], rows: Sequence[Row], part: str = "table") -> Artifact:
    if form == "csv":
        text = io.StringIO()
        cells = [list(names), *([_csv_text(cell) for cell in row] for row in rows)]
        # Python's writer does not quote a carriage return if the line end is a line feed.
        quoting = csv.QUOTE_ALL if any("\r" in cell for row in cells for cell in row) else csv.QUOTE_MINIMAL
        csv.writer(text, lineterminator="\n", quoting=quoting).writerows(cells)
        return Artifact("csv", part, text.getvalue().encode())
    if form == "jsonl":
        lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows)
        return Artifact("jsonl", part, "".join(f"{line}\n" for line in lines).encode())
    columns = [pa.array(list(column)) for column in zip(*rows, strict=True)] or [pa.array([], pa.string())] * len(names)
    columns = [column.cast(pa.string()) if pa.types.is_null(column.type) else column for column in columns]
    return Artifact("parquet", part, released_parquet(pa.Table.from_arrays(columns, names=list(names))))


def released_parquet(table: pa.Table, **options: Any) -> bytes:
    """A parquet file with nothing but its rows, and with the author that releases have."""
    target = io.BytesIO()
    bare = {"compression": "zstd", "write_statistics": False, "store_schema": False}
    pq.write_table(table, target, **(bare | options))
    author = f"parquet-cpp-arrow version {pa.__version__}".encode()
    return target.getvalue().replace(author, b"antifaz version 1".ljust(len(author)))


def graph_artifacts(n: int, edges: Sequence[tuple[int, int]], directed: bool = False) -> dict[str, Artifact]:
    """The same graph in every format, and its node table."""
    flow = "directed" if directed else "undirected"
    graphml = [
        '<?xml version="1.0" encoding="utf-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        f'<graph edgedefault="{flow}">',
        *(f'<node id="{node}"/>' for node in range(n)),
        *(f'<edge source="{u}" target="{v}"/>' for u, v in edges),
        "</graph></graphml>",
    ]
    gml = ["graph [", f"  directed {int(directed)}"]
    gml += [f'  node [\n    id {node}\n    label "{node}"\n  ]' for node in range(n)]
    gml += [f"  edge [\n    source {u}\n    target {v}\n  ]" for u, v in edges]
    linked = {
        "directed": directed,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": node} for node in range(n)],
        "edges": [{"source": u, "target": v} for u, v in edges],
    }
    return {
        "edgelist": Artifact("edgelist", "graph", table_artifact("csv", ["source", "target"], edges).content),
        "graphml": Artifact("graphml", "graph", "\n".join(graphml).encode()),
        "gml": Artifact("gml", "graph", ("\n".join(gml) + "\n]\n").encode()),
        "node-link": Artifact("node-link", "graph", json.dumps(linked).encode()),
        "nodes": table_artifact("csv", ["node"], [[node] for node in range(n)], part="nodes"),
    }


@pytest.fixture(scope="session")
def write() -> Callable[..., Artifact]:
    return table_artifact


@pytest.fixture(scope="session")
def draw() -> Callable[..., dict[str, Artifact]]:
    return graph_artifacts
