"""Parquet: flat columns of texts, numbers, dates and truth values, each cell as its canonical text.

The file's own footer is not believed: rows are read in batches and counted, and texts stay in their dictionaries, so
that a small file cannot unfold into a large one.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from storage.settings import Settings
from workers.codecs.raw import RawTable, check_rows, checked_names, clean_column, invalid, unified
from workers.codecs.stream import plain_bytes

_BATCH_ROWS = 1 << 16
_FOOTER_STRINGS = 16 << 20
_FOOTER_CONTAINERS = 4 << 20
_TRUTHS = {True: "true", False: "false"}


def read_parquet(chunks: Iterable[bytes], settings: Settings) -> RawTable:
    """Read a parquet file, batch by batch."""
    content = pa.py_buffer(b"".join(plain_bytes(chunks, settings)))
    failure = invalid("unreadable", "the file is not a parquet file that can be read")
    try:
        file = _opened(content, settings)
        names = checked_names(file.schema_arrow.names, settings)
        batches = _read_batches(file, names, settings)
    except MemoryError:
        # Arrow's own is one of its exceptions: a worker without memory says nothing about the file.
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError):
        batches = None
    if batches is None:
        raise failure
    columns = [
        clean_column(name, *unified([batch[position] for batch in batches]), settings)
        for position, name in enumerate(names)
    ]
    return RawTable(names, columns, len(columns[0].codes))


def _opened(content: Any, settings: Settings) -> Any:
    limits = {"thrift_string_size_limit": _FOOTER_STRINGS, "thrift_container_size_limit": _FOOTER_CONTAINERS}
    file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), **limits)
    check_rows(file.metadata.num_rows, settings)
    if file.metadata.num_rows * max(file.metadata.num_columns, 1) > settings.max_bytes:
        raise invalid("too_large", "the file has more cells than the largest upload has bytes")
    schema = file.schema_arrow
    checked_names(schema.names, settings)
    for field in schema:
        _writer_of(field.type, field.name)
    texts = [field.name for field in schema if _is_text(field.type)]
    return pyarrow.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts, **limits)


def _read_batches(file: Any, names: list[str], settings: Settings) -> list[list[Any]]:
    batches, rows, unfolded = [], 0, 0
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
        batch.validate(full=True)
        batches.append([_coded(column, name) for column, name in zip(batch.columns, names, strict=True)])
        rows += batch.num_rows
        unfolded += sum(_unfolded_bytes(column) for column in batches[-1])
        if unfolded > settings.max_bytes:
            raise invalid(
                "too_large", f"the cells have more than {settings.max_bytes} bytes, repeated ones counted each"
            )
    if rows != file.metadata.num_rows:
        raise invalid("unreadable", "the file has not as many rows as it says")
    return batches


def _unfolded_bytes(coded: Any) -> int:
    """What the rows of a column hold: a text that stands once for many rows is written once for each."""
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
        raise invalid("not_a_number", "a number is infinite", column=name)
    codes = pc.fill_null(coded.indices.cast(pa.int32()), len(texts))
    merged = pa.array([*texts, ""], pa.string()).dictionary_encode()
    remapped = merged.indices.to_numpy(zero_copy_only=False)[codes.to_numpy(zero_copy_only=False)]
    return pa.DictionaryArray.from_arrays(pa.array(remapped.astype(np.int32)), merged.dictionary)


def _in_microseconds(column: Any) -> Any:
    """Times as Python can hold them: finer fractions are cut off, zones become UTC."""
    if pa.types.is_timestamp(column.type):
        zone = None if column.type.tz is None else "UTC"
        return column.cast(pa.timestamp("us", zone), safe=False)
    return column.cast(pa.time64("us"), safe=False) if pa.types.is_time(column.type) else column


_Write = Callable[[Any], str | None]


def _writer_of(type_: Any, name: str) -> _Write:
    """How the values of a type are written; other types are refused."""
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
    raise invalid("unsupported_type", "a column is nested or of a type that tables do not have", column=name)


def _as_is(value: str | None) -> str:
    return value or ""


def _double_text(value: float | None) -> str | None:
    return _shortest(value, repr)


def _single_text(value: float | None) -> str | None:
    return _shortest(value, lambda number: str(np.float32(number)))


def _shortest(value: float | None, write: Callable[[float], str]) -> str | None:
    """The shortest digits that stand for a number, without an exponent; NaN is a missing cell."""
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
