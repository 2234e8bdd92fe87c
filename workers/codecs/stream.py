"""Streams: the stored pieces of a file as plain UTF-8, within limits.

A file may be compressed by gzip or zstd, which its first bytes show, and written in another encoding, which the upload
found out. Pieces pass through one by one; no more than a few are held at any time.
"""

import codecs
import io
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from antifaz.errors import InvalidDataset
from storage.settings import Settings
from workers.codecs.raw import invalid

_PIECE = 1 << 20
_ALWAYS_ALLOWED = 1 << 20
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_BYTE_ORDER_MARK = codecs.BOM_UTF8
DETECT = "auto"
"""Encoding of a file whose first megabyte was plain ASCII: UTF-8 if its first other bytes are, else Windows-1252."""


def plain_bytes(chunks: Iterable[bytes], settings: Settings) -> Iterator[bytes]:
    """The content of a file, decompressed, in pieces."""
    pieces = iter(chunks)
    head = _head(pieces, 4)
    codec = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)
    stored = _put_back(head, pieces)
    return _limited(stored if codec is None else _inflated(stored, codec, settings), settings)


def utf8_bytes(chunks: Iterable[bytes], encoding: str | None, settings: Settings) -> Iterator[bytes]:
    """The text of a file as UTF-8 without a byte order mark; UTF-8 itself is passed on unchecked."""
    pieces = plain_bytes(chunks, settings)
    head = _head(pieces, 4).removeprefix(_BYTE_ORDER_MARK)
    pieces = _put_back(head, pieces)
    name = _codec_name(encoding or DETECT)
    if name == DETECT:
        return _detected(pieces)
    return pieces if name == "utf-8" else _transcoded(pieces, name)


def decoded(content: bytes, lines_before: int = 0) -> str:
    """UTF-8 as text; the error names the line and nothing else."""
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError as error:
        line = lines_before + _line(content, error.start)
    raise not_encoded(line)


def not_encoded(line: int) -> InvalidDataset:
    """The error of a text that is not in its encoding."""
    return invalid("encoding", f"line {line} of the file is not in the encoding that it is said to have")


def _line(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1


class PieceFile(io.RawIOBase):
    """A readable file over an iterator of pieces; it counts what was read.

    It remembers the error with which the pieces ended, if any: a store that fails is no damaged file.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._buffer = bytearray()
        self.passed = 0
        self.failure: BaseException | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """As many bytes as asked for; fewer only at the end."""
        while size < 0 or len(self._buffer) < size:
            piece = self._next()
            if piece is None:
                break
            self._buffer += piece
        taken = bytes(self._buffer) if size < 0 else bytes(self._buffer[:size])
        del self._buffer[: len(taken)]
        self.passed += len(taken)
        return taken

    def _next(self) -> bytes | None:
        try:
            return next(self._pieces, None)
        except BaseException as error:
            self.failure = error
            raise

    def readinto(self, buffer: Any) -> int:
        taken = self.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)


def _head(pieces: Iterator[bytes], size: int) -> bytes:
    """Pieces joined until there are so many bytes, or the end."""
    head = b""
    while len(head) < size:
        piece = next(pieces, None)
        if piece is None:
            break
        head += piece
    return head


def _put_back(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from pieces


def _inflated(pieces: Iterator[bytes], codec: str, settings: Settings) -> Iterator[bytes]:
    stored = PieceFile(pieces)
    stream = pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), codec)
    written = 0
    while piece := _read_compressed(stream, stored):
        written += len(piece)
        if written > max(_ALWAYS_ALLOWED, settings.max_ratio * stored.passed):
            raise invalid(
                "decompression_bomb", f"the file grows more than {settings.max_ratio} times when decompressed"
            )
        yield piece


def _read_compressed(stream: Any, stored: PieceFile) -> bytes:
    try:
        return bytes(stream.read(_PIECE))
    except (OSError, pa.ArrowInvalid):
        if stored.failure is not None:
            raise
    raise invalid("compression", "the compressed file is damaged or incomplete")


def _limited(pieces: Iterator[bytes], settings: Settings) -> Iterator[bytes]:
    passed = 0
    for piece in pieces:
        passed += len(piece)
        if passed > settings.max_bytes:
            raise invalid("too_large", f"the file is larger than {settings.max_bytes} bytes")
        yield piece


def _codec_name(encoding: str) -> str:
    if encoding == DETECT:
        return DETECT
    try:
        return codecs.lookup(encoding).name.removesuffix("-sig")
    except LookupError:
        unknown = invalid("encoding", "the encoding is not known")
    raise unknown


def _detected(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if not piece.isascii():
            rest = _put_back(piece, pieces)
            yield from rest if _may_be_utf8(piece) else _transcoded(rest, "cp1252")
            return
        yield piece


def _may_be_utf8(piece: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def _transcoded(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for piece in pieces:
        text = _decoded_piece(decoder, piece, lines)
        lines += text.count("\n")
        yield text.encode("utf-8")
    _decoded_piece(decoder, b"", lines, final=True)


def _decoded_piece(decoder: codecs.IncrementalDecoder, piece: bytes, lines: int, final: bool = False) -> str:
    try:
        return decoder.decode(piece, final)
    except UnicodeDecodeError as error:
        line = lines + _line(piece, error.start) - 1
    raise not_encoded(line)
