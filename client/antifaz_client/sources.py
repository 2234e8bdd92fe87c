"""Sources: files, frames and graphs to upload.

Paths and bytes are sent unchanged. Frames and arrow tables become Parquet (or CSV if pyarrow is not installed), which
keeps types and missing values; networkx graphs become node-link JSON, which keeps isolated nodes and attributes.
"""

import json
import math
import sys
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from antifaz_client.transport.forms import Content

_COMPRESSED = {".gz", ".zst", ".zstd"}


@dataclass(frozen=True)
class Source:
    """Data to upload, and its known properties."""

    content: Content
    kind: str | None = None
    """The kind of data, if it is known; None if the policy or the caller states it."""
    name: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def source_of(data: Any, *, format: str | None = None) -> Source:  # noqa: A002 - the word of the API
    """A path, bytes, an open file, a pandas or polars frame, an arrow table, or a networkx graph."""
    stated: dict[str, Any] = {} if format is None else {"format": format}
    if isinstance(data, str | Path):
        return _of_path(Path(data), stated)
    if isinstance(data, bytes | bytearray):
        return Source(Content(bytes(data)), metadata=stated)
    if (made := _of_library(data)) is not None:
        return made
    if hasattr(data, "read"):
        return Source(Content(data), metadata=stated)
    raise TypeError(
        f"cannot upload a {type(data).__name__}: give a path, bytes, an open file, a pandas or polars frame, an arrow "
        "table or a networkx graph"
    )


def _of_path(path: Path, stated: dict[str, Any]) -> Source:
    if not path.is_file():
        raise FileNotFoundError(f"file not found: {path}")
    endings = path.suffixes[-2:] if path.suffix in _COMPRESSED else path.suffixes[-1:]
    return Source(Content(path, "".join(endings)), name=path.name.split(".")[0] or path.name, metadata=stated)


def _of_library(data: Any) -> Source | None:
    """Check only libraries that the program has already loaded; none is imported for this."""
    if _is(data, "pandas", "DataFrame"):
        return _of_pandas(data)
    if _is(data, "polars", "LazyFrame"):
        data = data.collect()
    if _is(data, "polars", "DataFrame"):
        written = BytesIO()
        data.write_parquet(written)
        return _parquet(written)
    if _is(data, "pyarrow", "Table"):
        return _of_arrow(data)
    if _is(data, "networkx", "Graph"):
        return _of_networkx(data)
    return None


def _is(data: Any, module: str, name: str) -> bool:
    known = getattr(sys.modules.get(module), name, None)
    return known is not None and isinstance(data, known)


def _of_pandas(frame: Any) -> Source:
    written = BytesIO()
    try:
        import pyarrow  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    except ImportError:
        frame.to_csv(written, index=False)
        return Source(Content(written.getvalue(), ".csv"), "table", metadata={"format": "csv"})
    frame.to_parquet(written, engine="pyarrow", index=False)
    return _parquet(written)


def _of_arrow(table: Any) -> Source:
    from pyarrow import parquet

    written = BytesIO()
    parquet.write_table(table, written)
    return _parquet(written)


def _parquet(written: BytesIO) -> Source:
    return Source(Content(written.getvalue(), ".parquet"), "table", metadata={"format": "parquet"})


def _of_networkx(graph: Any) -> Source:
    """Node-link JSON; parallel edges are sent too, since the service drops and counts them."""
    document = {
        "directed": graph.is_directed(),
        "multigraph": False,
        "graph": {},
        "nodes": [{**_plain(attributes), "id": _id(node)} for node, attributes in graph.nodes(data=True)],
        "edges": [
            {**_plain(attributes), "source": _id(start), "target": _id(end)}
            for start, end, attributes in graph.edges(data=True)
        ],
    }
    content = Content(json.dumps(document, allow_nan=False).encode(), ".json")
    return Source(content, "graph", metadata={"format": "node-link", "directed": bool(graph.is_directed())})


def _id(node: Any) -> str | int:
    return node if isinstance(node, int) and not isinstance(node, bool) else str(node)


def _plain(attributes: dict[Any, Any]) -> dict[str, Any]:
    return {str(name): _value(value) for name, value in attributes.items()}


def _value(value: Any) -> Any:
    """A value for JSON: numpy values become Python values, and NaN becomes missing."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and not math.isfinite(plain):
        return None
    return plain if isinstance(plain, bool | int | float | str | None) else str(plain)
