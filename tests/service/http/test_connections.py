"""Connections: unfinished request heads time out, slow answers do not."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from service.http.connections import TimedProtocol
from tests.patience import patience


class Hasty(TimedProtocol):
    head_seconds = 0.5


async def answer_late(scope: Any, receive: Any, send: Any) -> None:
    """Takes three times as long as a head may."""
    assert scope["type"] == "http"
    await asyncio.sleep(1.5)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    config = uvicorn.Config(answer_late, port=0, log_config=None, lifespan="off", http=Hasty, timeout_keep_alive=60)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(timeout=patience())


def opened(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(patience())
    return connection


def ends(connection: socket.socket, trickle: bytes = b"") -> bool:
    """Whether the other side hangs up, although we go on sending."""
    connection.settimeout(0.1)
    deadline = time.monotonic() + patience()
    while time.monotonic() < deadline:
        try:
            if trickle:
                connection.sendall(trickle)
            if connection.recv(1 << 16) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize(("sent", "trickle"), [(b"", b""), (b"GET / HTTP/1.1\r\nHost: x\r\n", b"X: y\r\n")])
def test_a_connection_without_a_whole_head_is_closed(port: int, sent: bytes, trickle: bytes) -> None:
    with opened(port) as connection:
        with suppress(ConnectionError):
            connection.sendall(sent)
        assert ends(connection, trickle)


def test_a_second_head_that_does_not_end_is_not_waited_for_either(port: int) -> None:
    assert any(is_left_at_the_second_head(port) for _ in range(8))


def is_left_at_the_second_head(port: int) -> bool:
    """Whether the first head was answered and the second one not waited for."""
    with opened(port) as connection, suppress(ConnectionError):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        if not connection.recv(1 << 16).startswith(b"HTTP/1.1 200"):
            return False
        with suppress(ConnectionError):
            connection.sendall(b"GET / HTTP/1.1\r\n")
        assert ends(connection, b"X: y\r\n")
        return True
    return False


def test_an_answer_that_takes_long_is_given_and_the_connection_can_be_used_again(port: int) -> None:
    """Tried again if the machine kept us from sending a head in its half second; who cuts answers off always does."""
    assert any(is_answered_twice(port) for _ in range(8))


def is_answered_twice(port: int) -> bool:
    with opened(port) as connection, suppress(ConnectionError):
        for _ in range(2):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            received = b""
            while not received.endswith(b"ok"):
                if not (piece := connection.recv(1 << 16)):
                    return False
                received += piece
            assert received.startswith(b"HTTP/1.1 200")
        return True
    return False
