"""Forms: an upload as a stream of pieces, so that memory stays bounded for files of any size."""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

PIECE = 1 << 18


@dataclass(frozen=True)
class Content:
    """The bytes of a part: a file on disk, bytes, or an open file."""

    source: Path | bytes | BinaryIO
    suffix: str = ""
    """The suffix that shows the format; the file's own name is not sent."""

    @property
    def size(self) -> int | None:
        """The number of bytes, if it is known."""
        if isinstance(self.source, Path):
            return self.source.stat().st_size
        return len(self.source) if isinstance(self.source, bytes) else None

    @property
    def repeatable(self) -> bool:
        """Whether it can be sent a second time."""
        return isinstance(self.source, Path | bytes) or self.source.seekable()

    def pieces(self) -> Iterator[bytes]:
        """The bytes, a piece at a time."""
        if isinstance(self.source, Path):
            with self.source.open("rb") as file:
                yield from _read(file)
        elif isinstance(self.source, bytes):
            yield from _read(BytesIO(self.source))
        else:
            if self.source.seekable():
                self.source.seek(0)
            yield from _read(self.source)


@dataclass(frozen=True)
class Form:
    """The parts of an upload, in sending order."""

    metadata: dict[str, Any]
    file: Content
    policy: dict[str, Any] | None = None
    nodes: Content | None = None
    sent: Callable[[int], None] = lambda size: None
    """Called with the size of every piece of the file that is sent."""
    boundary: str = field(default_factory=lambda: f"antifaz-{secrets.token_hex(16)}")

    @property
    def content_type(self) -> str:
        """The Content-Type header of the request."""
        return f"multipart/form-data; boundary={self.boundary}"

    @property
    def repeatable(self) -> bool:
        """Whether it can be sent a second time."""
        return self.file.repeatable and (self.nodes is None or self.nodes.repeatable)

    def pieces(self) -> Iterator[bytes]:
        """The body."""
        yield self._head("metadata", "application/json") + json.dumps(self.metadata).encode()
        if self.policy is not None:
            yield self._head("policy", "application/json") + json.dumps(self.policy).encode()
        if self.nodes is not None:
            yield self._head("nodes", "application/octet-stream", self.nodes.suffix)
            yield from self.nodes.pieces()
        yield self._head("file", "application/octet-stream", self.file.suffix)
        for piece in self.file.pieces():
            yield piece
            self.sent(len(piece))
        yield f"\r\n--{self.boundary}--\r\n".encode()

    def _head(self, name: str, kind: str, suffix: str | None = None) -> bytes:
        # A file's name can reveal something about people: only its suffix is sent.
        file_name = "" if suffix is None else f'; filename="upload{suffix}"'
        disposition = f'Content-Disposition: form-data; name="{name}"{file_name}'
        return f"\r\n--{self.boundary}\r\n{disposition}\r\nContent-Type: {kind}\r\n\r\n".encode()


def _read(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
