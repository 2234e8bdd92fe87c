"""Parquet: flat columns of texts, numbers, dates and booleans, each cell as its canonical text.

The file's footer is not trusted: rows are read in batches and counted, and texts stay in their dictionaries, so that a
small file cannot expand into a large one. Releases have no statistics, no key-value metadata and a fixed author, and
their dictionaries are built from the rows. A missing value is null; a column is numeric if all its labels are numbers.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from formats.core import faults
from formats.core.cells import Cells
from formats.core.faults import Fault
from formats.core.format import Look, Sniffed, TableFormat
from formats.core.inflate import plain_bytes
from formats.core.limits import Limits
from formats.core.names import checked_names
from formats.core.raw import RawTable, check_rows, clean_column, unified


def _unreadable() -> Fault:
    return Fault("unreadable", "the file is not parquet, or it is damaged or incomplete")


# --- sniffing --------------------------------------------------------------------------------------------------------


def _recognize(head: bytes) -> bool:
    return head.startswith(b"PAR1")


def _sniff(look: Look) -> Sniffed:
    if not _recognize(look.head):
        raise _unreadable()
    columns = _columns(look) if look.complete else None
    return Sniffed("parquet", {"decimal": "."}, columns)


def _columns(look: Look) -> list[str]:
    """Column names of a complete parquet file; nested columns are refused."""
    footer = int.from_bytes(look.head[-8:-4], "little")
    if len(look.head) < 12 or look.head[-4:] != b"PAR1" or not 0 < footer <= len(look.head) - 12:
        raise _unreadable()
    try:
        file = pyarrow.parquet.ParquetFile(
            pa.BufferReader(look.head), thrift_string_size_limit=1 << 22, thrift_container_size_limit=1 << 18
        )
        rows, schema = file.metadata.num_rows, file.schema_arrow
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError):
        schema = None
    if schema is None:
        raise _unreadable()
    names = checked_names(schema.names, look.limits)
    if any(pa.types.is_nested(column.type) for column in schema):
        raise faults.unsupported_type()
    check_rows(rows, look.limits)
    return names


# --- reading ---------------------------------------------------------------------------------------------------------

_BATCH_ROWS = 1 << 16
_FOOTER_STRINGS = 16 << 20
_FOOTER_CONTAINERS = 4 << 20
_TRUTHS = {True: "true", False: "false"}


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], limits: Limits) -> RawTable:
    """Read a parquet file, batch by batch."""
    content = pa.py_buffer(b"".join(plain_bytes(chunks, limits)))
    try:
        file = _opened(content, limits)
        names = checked_names(file.schema_arrow.names, limits)
        batches = _read_batches(file, names, limits)
    except MemoryError:
        # Arrow's own memory error is an ArrowException; a worker without memory does not mean a bad file.
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError):
        batches = None
    if batches is None:
        raise _unreadable()
    columns = [
        clean_column(name, *unified([batch[position] for batch in batches]), limits)
        for position, name in enumerate(names)
    ]
    return RawTable(names, columns, len(columns[0].codes))


def read_arrow(table: Any, limits: Limits) -> RawTable:
    """Read an Arrow table in memory, with the same texts as from a file."""
    check_rows(table.num_rows, limits)
    names = checked_names(table.column_names, limits)
    batches = [
        [_coded(column, name) for column, name in zip(batch.columns, names, strict=True)]
        for batch in table.to_batches(max_chunksize=_BATCH_ROWS)
    ]
    columns = [
        clean_column(name, *unified([batch[position] for batch in batches]), limits)
        for position, name in enumerate(names)
    ]
    return RawTable(names, columns, table.num_rows)


def _opened(content: Any, limits: Limits) -> Any:
    footer = {"thrift_string_size_limit": _FOOTER_STRINGS, "thrift_container_size_limit": _FOOTER_CONTAINERS}
    file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), **footer)
    check_rows(file.metadata.num_rows, limits)
    if file.metadata.num_rows * max(file.metadata.num_columns, 1) > limits.max_bytes:
        raise faults.too_large(limits.max_bytes)
    schema = file.schema_arrow
    checked_names(schema.names, limits)
    for field in schema:
        _writer_of(field.type, field.name)
    texts = [field.name for field in schema if _is_text(field.type)]
    return pyarrow.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts, **footer)


def _read_batches(file: Any, names: list[str], limits: Limits) -> list[list[Any]]:
    batches, rows, unfolded = [], 0, 0
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
        batch.validate(full=True)
        batches.append([_coded(column, name) for column, name in zip(batch.columns, names, strict=True)])
        rows += batch.num_rows
        unfolded += sum(_unfolded_bytes(column) for column in batches[-1])
        if unfolded > limits.max_bytes:
            raise faults.too_large(limits.max_bytes)
    if rows != file.metadata.num_rows:
        raise _unreadable()
    return batches


def _unfolded_bytes(coded: Any) -> int:
    """Total size of the rows of a column: a text that the dictionary has once counts for every row that uses it."""
    lengths = pc.binary_length(coded.dictionary).to_numpy(zero_copy_only=False)
    counts = np.bincount(coded.indices.to_numpy(zero_copy_only=False), minlength=len(lengths))
    return int(counts.astype(np.int64) @ lengths.astype(np.int64))


def _is_text(type_: Any) -> bool:
    types = pa.types
    return bool(types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_))


def _coded(column: Any, name: str) -> Any:
    """One batch of a column as a dictionary of texts; a null is the empty text."""
    plain = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    write = _writer_of(plain, name)
    coded = column if pa.types.is_dictionary(column.type) else _in_microseconds(column).dictionary_encode()
    texts = [write(value) for value in coded.dictionary.to_pylist()]
    if any(text is None for text in texts):
        raise Fault("not_a_number", "a number is infinite", column=name)
    codes = pc.fill_null(coded.indices.cast(pa.int32()), len(texts))
    merged = pa.array([*texts, ""], pa.string()).dictionary_encode()
    remapped = merged.indices.to_numpy(zero_copy_only=False)[codes.to_numpy(zero_copy_only=False)]
    return pa.DictionaryArray.from_arrays(pa.array(remapped.astype(np.int32)), merged.dictionary)


def _in_microseconds(column: Any) -> Any:
    """Times in the precision of Python: finer fractions are cut off, time zones are converted to UTC."""
    if pa.types.is_timestamp(column.type):
        zone = None if column.type.tz is None else "UTC"
        return column.cast(pa.timestamp("us", zone), safe=False)
    return column.cast(pa.time64("us"), safe=False) if pa.types.is_time(column.type) else column


_Write = Callable[[Any], str | None]


def _writer_of(type_: Any, name: str) -> _Write:
    """The function that writes values of a type as text; unsupported types are refused."""
    types = pa.types
    plain = type_.value_type if types.is_dictionary(type_) else type_
    if _is_text(plain):
        return _as_is
    if types.is_boolean(plain):
        return lambda value: "" if value is None else _TRUTHS[value]
    if types.is_integer(plain) or types.is_null(plain):
        return lambda value: "" if value is None else str(value)
    if types.is_float64(plain):
        return _double_text
    if types.is_float32(plain) or types.is_float16(plain):
        return _single_text
    if types.is_decimal(plain):
        return _decimal_text
    if types.is_timestamp(plain):
        return _moment_text
    if types.is_date(plain) or types.is_time(plain):
        return lambda value: "" if value is None else str(value.isoformat())
    raise faults.unsupported_type(name)


def _as_is(value: str | None) -> str:
    return value or ""


def _double_text(value: float | None) -> str | None:
    return _shortest(value, repr)


def _single_text(value: float | None) -> str | None:
    return _shortest(value, lambda number: str(np.float32(number)))


def _shortest(value: float | None, write: Callable[[float], str]) -> str | None:
    """The shortest digits that represent a number, without an exponent; NaN is a missing cell."""
    if value is None or value != value:
        return ""
    if value in (float("inf"), float("-inf")):
        return None
    return _decimal_text(Decimal(write(value)))


def _decimal_text(value: Decimal | None) -> str:
    if value is None:
        return ""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _moment_text(value: datetime | None) -> str:
    if value is None:
        return ""
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


# --- writing ---------------------------------------------------------------------------------------------------------

_ROW_GROUP = 1 << 17
_AUTHOR = b"antifaz version 1"
_ARROW_AUTHOR = f"parquet-cpp-arrow version {pa.__version__}".encode()
_TYPES = {"integer": pa.int64(), "decimal": pa.float64(), None: pa.string()}


class _Sink(io.RawIOBase):
    """Buffers the writer's output until it is drained."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, content: Any) -> int:
        self._pieces.append(bytes(content))
        self._position += len(self._pieces[-1])
        return len(self._pieces[-1])

    def drain(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def _write(columns: Sequence[Cells]) -> Iterator[bytes]:
    schema = pa.schema([(cells.name, _TYPES[cells.number]) for cells in columns])
    rows = len(columns[0].codes) if columns else 0
    typed = [_typed_labels(cells) for cells in columns]
    sink = _Sink()
    writer = pyarrow.parquet.ParquetWriter(
        pa.PythonFile(sink, mode="w"), schema, compression="zstd", write_statistics=False, store_schema=False
    )
    for start in range(0, rows, _ROW_GROUP):
        arrays = [
            labels.take(pa.array(cells.codes[start : start + _ROW_GROUP]))
            for labels, cells in zip(typed, columns, strict=True)
        ]
        writer.write_table(pa.table(arrays, schema=schema))
        yield sink.drain()
    writer.close()
    yield _signed(sink.drain())


def _typed_labels(cells: Cells) -> Any:
    """Labels in the column's type, with null for a missing value."""
    given = pc.if_else(pc.equal(cells.labels, ""), pa.scalar(None, pa.large_string()), cells.labels)
    return given.cast(_TYPES[cells.number])


def _signed(footer: bytes) -> bytes:
    """The footer with our name instead of the library's, padded to the same length so that no offset moves."""
    return footer.replace(_ARROW_AUTHOR, _AUTHOR.ljust(len(_ARROW_AUTHOR)))


PARQUET = TableFormat(
    name="parquet",
    endings=("parquet", "pq"),
    recognize=_recognize,
    media_type="application/vnd.apache.parquet",
    suffix="parquet",
    sniff=_sniff,
    read=_read,
    write=_write,
)
