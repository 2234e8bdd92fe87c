"""Form: multipart/form-data as a stream of parts, never on disk and never complete in memory."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from service.http.pace import Pace
from service.http.problems import Problem, invalid

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_BEGIN, _DATA, _END, _LAST = range(4)
_DRAIN_SECONDS = 5.0
_MOST_DRAINED = 64 << 20


@dataclass(frozen=True)
class PartHeaders:
    """Name and file name of a part."""

    name: str
    file_name: str | None


class FormReader:
    """Reads the parts of a form in the order in which they come."""

    def __init__(self, request: Request, pace: Pace) -> None:
        self._pace = pace
        self._pieces = request.stream().__aiter__()
        self._events: deque[tuple[int, bytes | PartHeaders]] = deque()
        self._headers: dict[str, bytes] = {}
        self._field = b""
        self._value = b""
        self._parser = MultipartParser(_boundary(request), _callbacks(self))
        self._ended = False
        self.received = 0

    async def begin(self, size: int) -> None:
        """Receive the first bytes, which are kept until they are asked for: that many, or the whole form."""
        while self.received < size and not self._ended:
            await self._read_more()

    async def next_part(self) -> PartHeaders | None:
        """The headers of the next part, or None after the last. The part before must have been read to its end."""
        kind, content = await self._next_event()
        if kind == _LAST:
            return None
        assert isinstance(content, PartHeaders)
        return content

    async def content(self) -> AsyncIterator[bytes]:
        """The bytes of the part whose headers were read last."""
        while True:
            kind, content = await self._next_event()
            if kind == _END:
                return
            assert isinstance(content, bytes)
            yield content

    async def whole(self, part: str, limit: int, remedy: str = "") -> bytes:
        """The whole content of a small part."""
        collected = bytearray()
        async for piece in self.content():
            collected += piece
            if len(collected) > limit:
                raise invalid("too-large", f"/{part}", f"may have at most {limit} bytes. {remedy}".rstrip(". ") + ".")
        return bytes(collected)

    async def drain(self) -> None:
        """Read and discard the rest, within limits of time and size."""
        left = _MOST_DRAINED
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for piece in self._pieces:
                    left -= len(piece)
                    if left < 0:
                        return
        except TimeoutError:
            return

    async def _next_event(self) -> tuple[int, bytes | PartHeaders]:
        while not self._events:
            await self._read_more()
        return self._events.popleft()

    async def _read_more(self) -> None:
        piece = await self._pace.read(self._pieces)
        if piece is None:
            raise invalid("invalid-upload", "", "the form breaks off before its end")
        if self._ended:
            return
        self.received += len(piece)
        self._parse(piece)

    def _parse(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except FormParserError:
            raise invalid("invalid-upload", "", "the body is not a well-formed multipart form") from None

    def part_began(self) -> None:
        """Called by the parser."""
        self._headers = {}

    def header_field(self, content: bytes, start: int, end: int) -> None:
        """Called by the parser with a piece of a header's name."""
        self._field += content[start:end]

    def header_value(self, content: bytes, start: int, end: int) -> None:
        """Called by the parser with a piece of a header's value."""
        self._value += content[start:end]

    def header_ended(self) -> None:
        """Called by the parser."""
        self._headers[self._field.decode("latin-1").lower()] = self._value
        self._field = self._value = b""

    def headers_ended(self) -> None:
        """Called by the parser: the part's content follows."""
        encoding = self._headers.get("content-transfer-encoding", b"binary").strip().lower()
        if encoding not in (b"binary", b"8bit", b"7bit"):
            raise invalid("invalid-upload", "", "a part has a transfer encoding; send its bytes unencoded")
        disposition, options = parse_options_header(self._headers.get("content-disposition", b""))
        name = options.get(b"name")
        if disposition != b"form-data" or name is None:
            raise invalid("invalid-upload", "", "a part has no name")
        file_name = options.get(b"filename")
        shown = None if file_name is None else file_name.decode("utf-8", "replace")
        self._events.append((_BEGIN, PartHeaders(name.decode("utf-8", "replace"), shown)))

    def part_data(self, content: bytes, start: int, end: int) -> None:
        """Called by the parser with a piece of the part's content."""
        self._events.append((_DATA, content[start:end]))

    def part_ended(self) -> None:
        """Called by the parser."""
        self._events.append((_END, b""))

    def form_ended(self) -> None:
        """Called by the parser after the last part."""
        self._ended = True
        self._events.append((_LAST, b""))


def _callbacks(reader: FormReader) -> "MultipartCallbacks":
    return {
        "on_part_begin": reader.part_began,
        "on_header_field": reader.header_field,
        "on_header_value": reader.header_value,
        "on_header_end": reader.header_ended,
        "on_headers_finished": reader.headers_ended,
        "on_part_data": reader.part_data,
        "on_part_end": reader.part_ended,
        "on_end": reader.form_ended,
    }


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data":
        raise Problem("unsupported-media-type", "Send multipart/form-data.")
    boundary = options.get(b"boundary")
    if not boundary or len(boundary) > 70:
        raise invalid("invalid-upload", "/header/Content-Type", "has no usable boundary")
    return boundary
