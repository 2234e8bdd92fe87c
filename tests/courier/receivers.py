"""Receivers of the courier's messages: real servers on the loopback address that record all requests."""

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes]


@dataclass
class Heard:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)

    @property
    def document(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """A server that gives prescribed answers and records its requests."""

    url: str
    heard: list[Heard] = field(default_factory=list)
    answers: list[Answer | Callable[[Heard], Answer]] = field(default_factory=list)
    """For the next requests, in order; after them every answer is ``usual``."""
    usual: Answer | Callable[[Heard], Answer] = (204, b"")

    def answer(self, request: Heard) -> Answer:
        self.heard.append(request)
        chosen = self.answers.pop(0) if self.answers else self.usual
        return chosen(request) if callable(chosen) else chosen

    def of_type(self, event: str) -> list[Heard]:
        return [request for request in self.heard if request.document["type"] == event]


@contextmanager
def receiving(host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver on its own port, behind a certificate if there is a context for it."""
    made: list[Receiver] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, content = made[0].answer(Heard(self.command, self.path, headers, body))
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", content.decode())
                content = b""
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        # The handshake belongs to the connection's own thread: one who does not finish it must not stop the server.
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme = "http" if tls is None else "https"
    made.append(Receiver(f"{scheme}://{host}:{server.server_port}"))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield made[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
