"""A stranger: a listener on this machine that must receive nothing. It notes every connection and what it was sent."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"


class Stranger:
    """A listener that answers every request with success, as a host that collects tokens would."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        """The first bytes of every connection."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                self.received.append(b"")
                try:
                    self.received[-1] = connection.recv(65_536)
                    connection.sendall(_ANSWER)
                except OSError:
                    continue

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=10)


@contextmanager
def stranger() -> Iterator[Stranger]:
    """A stranger for the time of a test."""
    listening = Stranger()
    try:
        yield listening
    finally:
        listening.close()
