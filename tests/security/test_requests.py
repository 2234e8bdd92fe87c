"""Requests on the wire: the running server refuses bytes that two parsers could read as different requests."""

import socket
from urllib.parse import urlsplit

import pytest

from tests.patience import patience
from tests.system.conftest import Stack

BODY = b"Host: x\r\nContent-Type: application/json\r\n"
SMUGGLED = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def answer(stack: Stack, request: bytes) -> bytes:
    """Everything that the server sends until it closes the connection or falls silent."""
    place = urlsplit(stack.address)
    received = b""
    with socket.create_connection((str(place.hostname), place.port or 80), timeout=patience()) as wire:
        wire.sendall(request)
        try:
            while piece := wire.recv(65536):
                received += piece
        except TimeoutError:
            pytest.fail("the server keeps the connection open")
    return received


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /v1/policies HTTP/1.1\r\n" + BODY + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/policies HTTP/1.1\r\n" + BODY + b"Transfer-Encoding: chunked\r\ncontent-length: 0\r\n\r\n0\r\n\r\n",
        b"POST /v1/policies HTTP/1.1\r\n" + BODY + b"Content-Length: 4\r\nContent-Length: 0\r\n\r\nabcd",
        b"POST /v1/policies HTTP/1.1\r\n" + BODY + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: x\n\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: b\n\r\n",
        b"\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["both", "both-reversed", "two-lengths", "odd-coding", "bare", "one-bare", "last-bare", "leading-bare"],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused_with_all_that_follows(stack: Stack, request_: bytes) -> None:
    received = answer(stack, request_ + SMUGGLED)
    assert received.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 501 "))
    assert received.count(b"HTTP/1.1 ") == 1


def test_a_request_to_the_letter_is_answered_and_so_is_the_one_after_it(stack: Stack) -> None:
    closing = SMUGGLED.replace(b"Host: x\r\n", b"Host: x\r\nConnection: close\r\n")
    received = answer(stack, SMUGGLED + closing)
    assert received.count(b"HTTP/1.1 200 ") == 2


def test_a_bare_line_feed_in_a_body_is_no_matter(stack: Stack) -> None:
    chunked = b"POST /v1/policies HTTP/1.1\r\n" + BODY + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    received = answer(stack, chunked + b"4\r\n\n\n{}\r\n0\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 401 ")
