"""Tables for tests of advice: made-up people, files shaped like those that offices write."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.kinds.kind import Dataset
from formats.reading import read_table
from formats.sniffing import sniff
from publication.dialects import dialect_of
from publication.kinds.kind import columns_of
from publication.library.datasets import LIMITS


def dataset_of(columns: Mapping[str, Sequence[Any]]) -> Dataset:
    """A table from its columns."""
    return read_csv(csv_of(columns).encode())


def read_csv(content: bytes, **metadata: Any) -> Dataset:
    """A table as a worker reads it."""
    found = sniff("table", {"kind": "table", "name": "x", **metadata}, "x.csv", content[: 1 << 20], True, LIMITS)
    table = read_table(iter([content]), found.format, found.details, LIMITS)
    return Dataset(columns_of(table), table.n, dialect_of(found.details))


def csv_of(columns: Mapping[str, Sequence[Any]]) -> str:
    """A table as a file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()
