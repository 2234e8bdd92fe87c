"""Conversions: the verified bytes of a release as frames, arrow tables and networkx graphs."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


def library(name: str, extra: str | None = None) -> ModuleType:
    """Import an optional library."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{name} is not installed: pip install 'antifaz-client[{extra or name}]'") from None


def has_library(name: str) -> bool:
    """Whether a library is installed."""
    import importlib.util

    return importlib.util.find_spec(name) is not None


WITHOUT_THREADS = {"use_threads": False, "pre_buffer": False}
"""Settings for parquet: an Arrow thread that holds a Python file when the interpreter exits would abort the process."""


def to_pandas(format_: str, content: bytes) -> Any:
    """A pandas frame."""
    pandas = library("pandas")
    if format_ == "parquet":
        return pandas.read_parquet(io.BytesIO(content), engine="pyarrow", **WITHOUT_THREADS)
    if format_ == "jsonl":
        return pandas.DataFrame(_lines(content))
    # A cell with the text NA is a value; only an empty cell is missing.
    return pandas.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""])


def to_polars(format_: str, content: bytes) -> Any:
    """A polars frame."""
    polars = library("polars")
    if format_ == "parquet":
        return polars.read_parquet(io.BytesIO(content))
    if format_ == "jsonl":
        return polars.DataFrame(_lines(content))
    return polars.read_csv(io.BytesIO(content), infer_schema_length=None)


def to_arrow(format_: str, content: bytes) -> Any:
    """An arrow table."""
    library("pyarrow", "pandas")
    if format_ == "parquet":
        return library("pyarrow.parquet", "pandas").read_table(io.BytesIO(content), **WITHOUT_THREADS)
    if format_ == "jsonl":
        return library("pyarrow", "pandas").Table.from_pylist(_lines(content))
    return library("pyarrow.csv", "pandas").read_csv(io.BytesIO(content))


def _lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines() if line]


def to_networkx(nodes: bytes | None, edges: bytes, *, directed: bool) -> Any:
    """A graph from the csv files of its edges and nodes; a temporal graph has one edge for each snapshot."""
    networkx = library("networkx")
    rows = list(_rows(edges))
    temporal = bool(rows) and "snapshot" in rows[0]
    kinds = (networkx.MultiGraph, networkx.MultiDiGraph) if temporal else (networkx.Graph, networkx.DiGraph)
    graph = kinds[directed]()
    for row in _rows(nodes) if nodes else ():
        name, *attributes = row
        graph.add_node(_number(row[name]), **{attribute: _number(row[attribute]) for attribute in attributes})
    for row in rows:
        start, end, *attributes = row
        stated = {attribute: _number(row[attribute]) for attribute in attributes}
        if temporal:
            graph.add_edge(_number(row[start]), _number(row[end]), key=stated["snapshot"], **stated)
        else:
            graph.add_edge(_number(row[start]), _number(row[end]), **stated)
    return graph


def _rows(content: bytes) -> Iterable[Mapping[str, str]]:
    return csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))


def _number(text: str) -> Any:
    """A number if the text is its usual notation; otherwise the text."""
    for read in (int, float):
        try:
            value = read(text)
        except ValueError:
            continue
        return value if read is float or str(value) == text else text
    return text
