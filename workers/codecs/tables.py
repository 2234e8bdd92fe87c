"""Tables: which reader reads which format."""

from collections.abc import Iterable, Mapping
from typing import Any

from storage.settings import Settings
from workers.codecs.delimited import read_delimited
from workers.codecs.jsonl import read_jsonl
from workers.codecs.parquet import read_parquet
from workers.codecs.raw import RawTable, invalid


def read_table(chunks: Iterable[bytes], format_: str, details: Mapping[str, Any], settings: Settings) -> RawTable:
    """Read a table from the stored pieces of its file, or raise `InvalidDataset`."""
    match format_:
        case "csv" | "tsv":
            delimiter = details.get("delimiter") or ("\t" if format_ == "tsv" else ",")
            return read_delimited(chunks, delimiter, details.get("encoding"), settings)
        case "parquet":
            return read_parquet(chunks, settings)
        case "jsonl":
            return read_jsonl(chunks, settings)
    raise invalid("unknown_format", "the format is not one of tables")
