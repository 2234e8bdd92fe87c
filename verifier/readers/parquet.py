"""Reader of released parquet files that accounts for every byte.

A parquet file has many places that no reader shows: gaps between the pages and the footer, key-value metadata, an Arrow
schema, statistics, page indexes, Bloom filters, dictionaries with values that no row uses, skippable frames of
compressed pages, bytes after the last value of a page. A released file is a magic number, the pages of one column chunk
after another, and a footer that only describes where they are; anything else is refused.

The format: https://github.com/apache/parquet-format. A zstd frame: RFC 8878.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from numpy.typing import NDArray

from verifier.readers.cells import FLOAT, INTEGER, NOTHING, TEXT, Column, encoded
from verifier.readers.thrift import Reader, Struct
from verifier.verdict.verdict import Unreadable

_MAGIC = b"PAR1"
_AUTHOR = re.compile(rb"antifaz version 1 {0,60}")
_INT64, _DOUBLE, _BYTE_ARRAY = 2, 5, 6
_KINDS = {_INT64: INTEGER, _DOUBLE: FLOAT, _BYTE_ARRAY: TEXT}
_TEXT_TYPE = {6: 0, 10: {1: {}}}
_OPTIONAL = 1
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_PLAIN, _RLE, _RLE_DICTIONARY = 0, 3, 8
_UNCOMPRESSED, _ZSTD = 0, 6
_WIDEST_INDEX = 32
_GROUP = 8
_OTHER = "metadata beside the columns"
_LEFT_OVER = "bytes that no row shows"

Bytes = bytes | bytearray | memoryview


@dataclass
class Chunk:
    """Content of the pages of one column in one row group."""

    values: int = 0
    present: int = 0
    dictionary: bytes | None = None
    labels: int = 0
    """Number of values in the dictionary."""
    plain: list[tuple[int, int, int]] = field(default_factory=list)
    """Of each page without a dictionary: the range of its values, from and to, and their size in bytes."""
    text_bytes: int | None = None
    """Size of the texts in bytes, according to the footer."""


def read_parquet(content: Bytes) -> tuple[tuple[str, ...], tuple[Column, ...]]:
    """Read texts and numbers; refuses a file that contains anything that its rows do not show."""
    names, kinds, chunks = _account(content)
    texts = [name for name, kind in zip(names, kinds, strict=True) if kind == TEXT]
    try:
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
        groups = [file.read_row_group(number, use_threads=False) for number in range(len(chunks))]
        for group in groups:
            group.validate(full=True)
        whole = pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        raise Unreadable("not a parquet file") from None
    for group, held in zip(groups, chunks, strict=True):
        for column, kind, chunk in zip(group.columns, kinds, held, strict=True):
            _refuse_hidden_values(column, kind, chunk)
    return names, tuple(map(_column, whole.columns, kinds))


# The layout


def _account(content: Bytes) -> tuple[tuple[str, ...], tuple[str, ...], list[list[Chunk]]]:
    """Names and kinds of the columns, and for every row group the content of each column's pages."""
    end = len(content) - 8
    if end < len(_MAGIC) or bytes(content[:4]) != _MAGIC or bytes(content[-4:]) != _MAGIC:
        raise Unreadable("not a parquet file")
    start = end - int.from_bytes(bytes(content[end : end + 4]), "little")
    if start < len(_MAGIC):
        raise Unreadable("not a parquet file")
    reader = Reader(memoryview(content)[:end], start)
    footer = reader.struct()
    if reader.position != end:
        raise Unreadable(_LEFT_OVER)
    try:
        return _account_for(footer, memoryview(content)[:start])
    except (KeyError, TypeError, AttributeError):
        raise Unreadable("not a parquet file") from None


def _account_for(footer: Struct, body: memoryview) -> tuple[tuple[str, ...], tuple[str, ...], list[list[Chunk]]]:
    _expect_fields(footer, {1, 2, 3, 4, 6}, {7})
    if footer[1] not in (1, 2) or not _AUTHOR.fullmatch(footer[6]):
        raise Unreadable("an author or a version that is not the writer's")
    names, types = _schema(footer[2])
    if footer.get(7, [{1: {}}] * len(types)) != [{1: {}}] * len(types):
        raise Unreadable(_OTHER)
    position, groups = len(_MAGIC), []
    for number, group in enumerate(footer[4]):
        chunks, position = _row_group(group, number, position, body, list(zip(names, types, strict=True)))
        groups.append(chunks)
    if position != len(body):
        raise Unreadable(_LEFT_OVER)
    if footer[3] != sum(chunks[0].values for chunks in groups if chunks):
        raise Unreadable("a number of rows that is not the rows'")
    return tuple(name.decode() for name in names), tuple(_KINDS[type_] for type_ in types), groups


def _expect_fields(struct: Struct, needed: Set[int], allowed: Set[int] = frozenset()) -> None:
    if not needed <= struct.keys():
        raise Unreadable("not a parquet file")
    if not struct.keys() <= needed | allowed:
        raise Unreadable(_OTHER)


def _schema(elements: Sequence[Struct]) -> tuple[list[bytes], list[int]]:
    """Names and physical types of the columns, which must be flat and optional."""
    if not elements or elements[0] != {3: 0, 4: b"schema", 5: len(elements) - 1}:
        raise Unreadable("columns that are nested, or metadata beside them")
    names, types = [], []
    for element in elements[1:]:
        type_ = element.get(1)
        plain = {1: type_, 3: _OPTIONAL, 4: element[4]} | (_TEXT_TYPE if type_ == _BYTE_ARRAY else {})
        if type_ not in _KINDS or element != plain:
            raise Unreadable("a column that is neither text nor number")
        names.append(element[4])
        types.append(type_)
    return names, types


def _row_group(
    group: Struct, number: int, position: int, body: memoryview, columns: Sequence[tuple[bytes, int]]
) -> tuple[list[Chunk], int]:
    """The chunks of a row group, and the position where the next one begins."""
    _expect_fields(group, {1, 2, 3}, {5, 6, 7})
    start, chunks, uncompressed = position, [], 0
    if len(group[1]) != len(columns):
        raise Unreadable("a row group with other columns")
    for described, (name, type_) in zip(group[1], columns, strict=True):
        _expect_fields(described, {2, 3})
        chunk, position, size = _column_chunk(described[3], position, body, name, type_)
        if described[2] not in (0, position) or chunk.values != group[3]:
            raise Unreadable("a column chunk that is not where the footer says, or not as long")
        chunks.append(chunk)
        uncompressed += size
    expected = {2: uncompressed, 3: group[3], 5: start, 6: position - start, 7: number}
    if any(group[key] != expected[key] for key in group if key != 1):
        raise Unreadable("a row group that is not as large as the footer says")
    return chunks, position


def _column_chunk(described: Struct, start: int, body: memoryview, name: bytes, type_: int) -> tuple[Chunk, int, int]:
    """The content of the chunk, the position where the next one begins, and its uncompressed size."""
    _expect_fields(described, {1, 2, 3, 4, 5, 6, 7, 9}, {11, 13, 16})
    if described[4] not in (_UNCOMPRESSED, _ZSTD):
        raise Unreadable("a compression that releases do not have")
    walk = _Pages(body, start, described[4])
    while walk.chunk.values < described[5]:
        walk.page()
    first = described[9] if walk.first_data is None else walk.first_data
    expected = {1: type_, 3: [name], 5: walk.chunk.values, 6: walk.uncompressed, 7: walk.position - start, 9: first}
    if walk.chunk.dictionary is not None:
        expected[11] = start
    if any(described[key] != expected.get(key) for key in described if key not in (2, 4, 13, 16)):
        raise Unreadable("a column chunk that is not what the footer says")
    if sorted(set(described[2])) != sorted(described[2]) or not set(described[2]) <= {_PLAIN, _RLE, _RLE_DICTIONARY}:
        raise Unreadable("an encoding that releases do not have")
    _check_counts(described, walk)
    return walk.chunk, walk.position, walk.uncompressed


def _check_counts(described: Struct, walk: "_Pages") -> None:
    """The stated numbers of pages by kind and of missing values must match the pages."""
    counted = {(entry.get(1), entry.get(2)): entry.get(3) for entry in described.get(13, [])}
    if 13 in described and (counted != walk.kinds or any(entry.keys() != {1, 2, 3} for entry in described[13])):
        raise Unreadable("numbers of pages that are not the pages'")
    sizes = described.get(16, {})
    _expect_fields(sizes, set(), {1, 2, 3})
    histogram = [walk.chunk.values - walk.chunk.present, walk.chunk.present]
    if sizes.get(2, []) != [] or sizes.get(3, histogram) != histogram:
        raise Unreadable("numbers of missing values that are not the rows'")
    walk.chunk.text_bytes = sizes.get(1)


# Pages


class _Pages:
    """Walks through the pages of one column chunk."""

    def __init__(self, body: memoryview, start: int, codec: int) -> None:
        self.chunk = Chunk()
        self.position = start
        self.uncompressed = 0
        self.first_data: int | None = None
        self.kinds: dict[tuple[int, int], int] = {}
        self._body, self._start, self._codec = body, start, codec

    def page(self) -> None:
        """Read the page at the current position."""
        begin = self.position
        reader = Reader(self._body, begin)
        header = reader.struct()
        _expect_fields(header, {1, 2, 3}, {5, 7})
        compressed = reader.bytes(header[3])
        content = _unpacked(compressed, self._codec, header[2])
        self.uncompressed += reader.position - begin - header[3] + header[2]
        self.position = reader.position
        if header[1] == _DICTIONARY_PAGE and 7 in header and 5 not in header and begin == self._start:
            self._take_dictionary(header[7], content)
        elif header[1] == _DATA_PAGE and 5 in header and 7 not in header:
            self.first_data = begin if self.first_data is None else self.first_data
            self._take_data(header[5], content)
        else:
            raise Unreadable("a page that is neither of rows nor their dictionary")

    def _take_dictionary(self, header: Struct, content: bytes) -> None:
        _expect_fields(header, {1, 2}, {3})
        if header[2] != _PLAIN or header.get(3, False):
            raise Unreadable("an encoding that releases do not have")
        self.chunk.dictionary, self.chunk.labels = content, header[1]
        self._count(_DICTIONARY_PAGE, _PLAIN)

    def _take_data(self, header: Struct, content: bytes) -> None:
        _expect_fields(header, {1, 2, 3, 4}, {5})
        if header.get(5, {}) != {}:
            raise Unreadable(_OTHER)
        values, encoding = header[1], header[2]
        if values < 1 or header[3] != _RLE or header[4] != _RLE or encoding not in (_PLAIN, _RLE_DICTIONARY):
            raise Unreadable("an encoding that releases do not have")
        size = 4 + int.from_bytes(content[:4], "little")
        present = _run_lengths(content[4:size], 1, values)
        if size > len(content):
            raise Unreadable("not a parquet file")
        before = self.chunk.present
        self.chunk.values += values
        self.chunk.present += present
        if encoding == _PLAIN:
            self.chunk.plain.append((before, self.chunk.present, len(content) - size))
        else:
            _refuse_loose_indices(content[size:], present)
        self._count(_DATA_PAGE, encoding)

    def _count(self, kind: int, encoding: int) -> None:
        self.kinds[kind, encoding] = self.kinds.get((kind, encoding), 0) + 1


def _refuse_loose_indices(content: bytes, present: int) -> None:
    """Refuse anything after the indices of the present values."""
    if not content or content[0] > _WIDEST_INDEX:
        raise Unreadable("not a parquet file")
    _run_lengths(content[1:], content[0], present)


def _run_lengths(content: bytes, width: int, values: int) -> int:
    """Walk through runs of repeated and packed numbers that fill the content; count the one-bit numbers that are 1."""
    reader = Reader(content)
    ones, left = 0, values
    while left > 0:
        header = reader.number()
        if header & 1:
            packed = reader.bytes((header >> 1) * width)
            count = min(left, (header >> 1) * _GROUP)
            ones += _packed_ones(packed, count * width)
            if (header >> 1) * _GROUP - count >= _GROUP:
                raise Unreadable(_LEFT_OVER)
        else:
            count = header >> 1
            number = int.from_bytes(reader.bytes((width + 7) // 8), "little")
            if number >> width:
                raise Unreadable(_LEFT_OVER)
            ones += count * number
        if not 0 < count <= left:
            raise Unreadable(_LEFT_OVER)
        left -= count
    if reader.position != len(content):
        raise Unreadable(_LEFT_OVER)
    return ones


def _packed_ones(packed: bytes, used: int) -> int:
    """How many of the used bits are 1; the padding bits of the last group must be 0."""
    number = int.from_bytes(packed, "little")
    if number >> used:
        raise Unreadable(_LEFT_OVER)
    return number.bit_count()


def _unpacked(content: bytes, codec: int, size: int) -> bytes:
    if codec == _UNCOMPRESSED:
        if len(content) != size:
            raise Unreadable("a page that is not as large as its header says")
        return content
    _refuse_loose_frame(content, size)
    try:
        return bytes(pa.decompress(content, size, "zstd", asbytes=True))
    except (pa.ArrowException, OSError, ValueError):
        raise Unreadable("a page that cannot be unpacked") from None


def _refuse_loose_frame(content: bytes, size: int) -> None:
    """Accept only one zstd frame that states its size, without a checksum, and nothing before or after it."""
    if content[:4] != b"\x28\xb5\x2f\xfd" or len(content) < 6 or content[4] & 0b00011111:
        raise Unreadable("a page that is not one plain frame")
    alone = content[4] >> 5 & 1
    width = (1 if alone else 0, 2, 4, 8)[content[4] >> 6]
    position = 6 - alone
    stated = int.from_bytes(content[position : position + width], "little") + (256 if width == 2 else 0)
    if not width or stated != size:
        raise Unreadable("a page that is not as large as its header says")
    if _end_of_blocks(content, position + width) != len(content):
        raise Unreadable(_LEFT_OVER)


def _end_of_blocks(content: bytes, position: int) -> int:
    last = 0
    while not last:
        header = int.from_bytes(content[position : position + 3], "little")
        if position + 3 > len(content) or header >> 1 & 3 == 3:
            raise Unreadable("a page that is not one plain frame")
        last, position = header & 1, position + 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
    return position


# Values


def _refuse_hidden_values(column: Any, kind: str, chunk: Chunk) -> None:
    """A dictionary may contain values of suppressed rows: they are in the bytes although no row shows them."""
    shown = column.unify_dictionaries() if kind == TEXT else column
    distinct = pc.unique(shown.drop_null())
    distinct = distinct.dictionary_decode() if kind == TEXT else distinct
    if chunk.dictionary is not None:
        listed = _dictionary(chunk.dictionary, chunk.labels, kind)
        if len(pc.unique(listed)) < len(listed) or pc.all(pc.is_in(listed, distinct)).as_py() not in (True, None):
            raise Unreadable("a dictionary with values that no row shows")
    if kind == FLOAT and pc.all(pc.is_finite(distinct)).as_py() not in (True, None):
        raise Unreadable("a number that overflows")
    ends = _ends_of_values(shown, kind, chunk.present)
    if any(size != ends[stop] - ends[start] for start, stop, size in chunk.plain):
        raise Unreadable(_LEFT_OVER)
    if chunk.text_bytes is not None and (kind != TEXT or chunk.text_bytes != ends[-1] - 4 * chunk.present):
        raise Unreadable("a size of texts that is not the rows'")


def _dictionary(content: bytes, labels: int, kind: str) -> Any:
    if kind != TEXT:
        if len(content) != 8 * labels:
            raise Unreadable(_LEFT_OVER)
        return pa.array(np.frombuffer(content, np.int64 if kind == INTEGER else np.float64))
    reader = Reader(content)
    texts = [reader.bytes(int.from_bytes(reader.bytes(4), "little")) for _ in range(labels)]
    if reader.position != len(content):
        raise Unreadable(_LEFT_OVER)
    return pa.array(texts, pa.binary()).cast(pa.string())


def _ends_of_values(column: Any, kind: str, present: int) -> NDArray[np.int64]:
    """The end of each present value if all were written one after another."""
    if kind != TEXT:
        return 8 * np.arange(present + 1)
    given = column.drop_null()
    sizes = [
        pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)[chunk.indices.to_numpy(zero_copy_only=False)]
        for chunk in given.chunks
        if len(chunk)
    ]
    return np.concatenate([[0], np.cumsum(np.concatenate([*sizes, []]).astype(np.int64) + 4)])


def _column(column: Any, kind: str) -> Column:
    whole = (column if kind == TEXT else column.dictionary_encode()).unify_dictionaries()
    if not whole.num_chunks:
        return Column(np.empty(0, np.int64), [], "")
    values = whole.chunk(0).dictionary.to_pylist()
    codes = np.concatenate(
        [chunk.indices.fill_null(len(values)).to_numpy(zero_copy_only=False) for chunk in whole.chunks]
    ).astype(np.int64)
    labels = [repr(value) if kind == FLOAT else str(value) for value in values]
    if whole.null_count:
        return encoded(codes, [*labels, ""], kind * len(labels) + NOTHING)
    return encoded(codes, labels, kind * len(labels))
