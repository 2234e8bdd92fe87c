"""Connections: one on which no request begins, or whose head does not end, is closed.

The server itself closes connections that are idle between two requests; on one that never sends a whole head it would
wait for ever, and every such connection takes a file descriptor from everybody.
"""

import asyncio

from service.protocol import StrictProtocol

HEAD_SECONDS = 20.0
"""From the first byte of a request, or from the connection's start, to the end of its head."""


class TimedProtocol(StrictProtocol):
    """HTTP/1.1 to the letter, with a deadline for heads, and for what a client still sends once it has its answer."""

    head_seconds = HEAD_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, but not while a request is being answered."""
        super().data_received(data)
        if self._is_answering():
            self._stop()
        elif self._deadline is None:
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more to wait for."""
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
