"""Connections: close those that start no request or never finish a request head.

The server itself closes connections that are idle between two requests. On a connection that never sends a complete
head it would wait forever, and every such connection holds a file descriptor.
"""

import asyncio

from service.http.protocol import StrictProtocol

HEAD_SECONDS = 10.0
"""Time limit from the first byte of a request, or from the start of the connection, to the end of the head."""


class TimedProtocol(StrictProtocol):
    """Strict HTTP/1.1 with a deadline for heads, and for data that a client sends after it has its response."""

    head_seconds = HEAD_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline for the first request."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Run the deadline while a head is incomplete, but not while a request is being answered."""
        super().data_received(data)
        if self._is_answering():
            self._stop()
        elif self._deadline is None:
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline."""
        self._stop()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start(self) -> None:
        self._deadline = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._is_answering() and not self.transport.is_closing():
            self.transport.abort()
