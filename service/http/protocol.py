"""Protocol: strict HTTP/1.1, so that no proxy in front of the service can read the same bytes as another request.

RFC 9112, sections 2.2 and 6.3. A request that states its length twice, by `Transfer-Encoding` and by `Content-Length`,
and one whose header lines end in a bare line feed, mean different things to different readers: an attacker can hide a
second request in the difference. Both are answered with 400, and so is a head above the limit of size; the connection
is closed.
"""

import re
from typing import Any

import h11
from h11._receivebuffer import ReceiveBuffer
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEAD_END = re.compile(rb"\n\r?\n")
_BARE_FEED = re.compile(rb"(?<!\r)\n")


class StrictBuffer(ReceiveBuffer):
    """A buffer that requires header lines to end in a carriage return and a line feed."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """The header lines once all are received; a bare line feed among them is refused as soon as it is seen."""
        # Counting is cheap: a head in which every line feed has its carriage return needs no further check.
        if self._data.count(b"\n") != self._data.count(b"\r\n") and self._has_bare_feed():
            raise h11.RemoteProtocolError("a header line ends in a bare line feed")
        return super().maybe_extract_lines()

    def _has_bare_feed(self) -> bool:
        """Whether the head has one; the body after it may contain any bytes."""
        end = _HEAD_END.search(self._data)
        return self._data[:1] == b"\n" or bool(end and _BARE_FEED.search(self._data, 0, end.end()))


class StrictConnection(h11.Connection):
    """One side of a connection that reads requests strictly."""

    def __init__(self, max_incomplete_event_size: int) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size)
        self._most = max_incomplete_event_size
        self._receive_buffer = StrictBuffer()

    def next_event(self) -> Any:
        """The next event; a request with two lengths is an error."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = [name for name, _ in event.headers]
            if b"transfer-encoding" in names and b"content-length" in names:
                raise h11.RemoteProtocolError("a request states its length in two ways")
            # The library limits only heads that arrive in pieces; one that arrives at once may be larger.
            if len(event.target) + sum(len(name) + len(value) + 4 for name, value in event.headers) > self._most:
                raise h11.RemoteProtocolError("a head is too large", error_status_hint=431)
        return event


class StrictProtocol(H11Protocol):
    """Uvicorn's protocol over a strict connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn = StrictConnection(self.conn._max_incomplete_event_size)
