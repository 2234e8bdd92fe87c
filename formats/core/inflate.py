"""Inflating: decompresses a file in small steps and stops when it grows beyond the limits.

A file may be compressed with gzip or zstd, recognized by its first bytes. The upload and the workers share this code.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import zstandard

from formats.core import faults
from formats.core.faults import Fault
from formats.core.limits import Limits

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ALWAYS_ALLOWED = 1 << 20
_OUTPUT_STEP = 1 << 18
_ZSTD_INPUT_STEP = 1 << 10
_ZSTD_WINDOW = 1 << 25


def plain_bytes(chunks: Iterable[bytes], limits: Limits) -> Iterator[bytes]:
    """The content of a stored file, decompressed, in chunks."""
    inflater = Inflater(limits)
    for chunk in chunks:
        yield from filter(None, inflater.unfold(chunk))
    rest = inflater.finish()
    if rest:
        yield rest


class Inflater:
    """Decompresses a file as it arrives.

    Output is produced in small steps and counted after each, so that a bomb never expands in memory.
    """

    def __init__(self, limits: Limits) -> None:
        self.compression: str | None = None
        self._limits = limits
        self._decided = False
        self._waiting = b""
        self._stream: Any = None
        self._taken = 0
        self._given = 0

    def feed(self, content: bytes) -> bytes:
        """Decompress the next bytes of the file."""
        return b"".join(self.unfold(content))

    def unfold(self, content: bytes) -> Iterator[bytes]:
        """The same in chunks, each produced on demand."""
        self._taken += len(content)
        if not self._decided:
            content = self._waiting + content
            if self._is_undecided(content):
                self._waiting = content
                return
            self._decide(content)
        yield from self._counted(content)

    def finish(self) -> bytes:
        """Return the rest at the end of the file; a compressed file must be complete."""
        if not self._decided:
            self._decided = True
            return b"".join(self._counted(self._waiting))
        if self.compression is not None and (self._waiting or (self._stream is not None and not self._stream.eof)):
            raise Fault("compression", "the compressed file is incomplete")
        return b""

    def _is_undecided(self, content: bytes) -> bool:
        return any(len(content) < len(magic) and magic.startswith(content) for magic in (_GZIP, _ZSTD))

    def _decide(self, content: bytes) -> None:
        self._decided, self._waiting = True, b""
        if content.startswith(_GZIP):
            self.compression = "gzip"
        elif content.startswith(_ZSTD):
            self.compression = "zstd"

    def _counted(self, content: bytes) -> Iterator[bytes]:
        match self.compression:
            case "gzip":
                steps = self._gunzip(content)
            case "zstd":
                steps = self._unzstd(content)
            case _:
                steps = iter((content,))
        for piece in steps:
            self._count(piece)
            yield piece

    def _count(self, piece: bytes) -> None:
        self._given += len(piece)
        if self._given > self._limits.max_bytes:
            raise faults.too_large(self._limits.max_bytes)
        if self.compression and self._given > max(_ALWAYS_ALLOWED, self._limits.max_ratio * self._taken):
            raise faults.decompression_bomb(self._limits.max_ratio)

    def _gunzip(self, content: bytes) -> Iterator[bytes]:
        """Decompress gzip, member by member."""
        content, self._waiting = self._waiting + content, b""
        while content:
            if self._stream is None:
                if self._is_split_magic(content, _GZIP):
                    return
                self._stream = zlib.decompressobj(wbits=31)
            yield _stepped(lambda data: self._stream.decompress(data, _OUTPUT_STEP), content)
            content = self._stream.unconsumed_tail or self._stream.unused_data
            if self._stream.eof:
                self._stream = None

    def _unzstd(self, content: bytes) -> Iterator[bytes]:
        """Decompress zstd, frame by frame, in steps so short that none can expand much."""
        content, self._waiting = self._waiting + content, b""
        place = 0
        while place < len(content):
            if self._stream is None:
                if self._is_split_magic(content[place : place + len(_ZSTD)], _ZSTD):
                    return
                self._stream = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
            step = content[place : place + _ZSTD_INPUT_STEP]
            place += len(step)
            yield _stepped(self._stream.decompress, step)
            if self._stream.eof:
                place -= len(self._stream.unused_data)
                self._stream = None

    def _is_split_magic(self, content: bytes, magic: bytes) -> bool:
        """Whether there are too few bytes to recognize another member; anything else after the end is refused."""
        if len(content) < len(magic) and magic.startswith(content):
            self._waiting = content
            return True
        if not content.startswith(magic):
            raise Fault("compression", "there is data after the end of the compressed file")
        return False


def _stepped(decompress: Callable[[bytes], bytes], content: bytes) -> bytes:
    try:
        return decompress(content)
    except (zlib.error, zstandard.ZstdError):
        damaged = Fault("compression", "the compressed file is damaged")
    raise damaged
