"""Forms as a stream of parts."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest
from fastapi import Request
from hypothesis import given, settings
from hypothesis import strategies as st

from service.http.form import FormReader
from service.http.pace import Pace
from service.http.problems import Problem

BOUNDARY = "frontier"


def request_of(body: bytes, cuts: list[int] | None = None, content_type: str | None = None) -> Request:
    """A request whose body comes in the pieces that the cuts make."""
    places = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts or [])})
    pieces = [body[start:stop] for start, stop in itertools.pairwise(places)]
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> dict:
        return messages.pop(0)

    kind = content_type or f"multipart/form-data; boundary={BOUNDARY}"
    return Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind.encode())]}, receive)


def part(name: str, content: bytes, extra: str = "") -> bytes:
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n'.encode() + content + b"\r\n"


def reader_of(request: Request) -> FormReader:
    return FormReader(request, Pace(bytes_per_second=1.0, patience=60.0, seconds=60.0))


END = f"--{BOUNDARY}--\r\n".encode()


async def read_all(reader: FormReader) -> list[tuple[str, str | None, bytes]]:
    found = []
    while (headers := await reader.next_part()) is not None:
        content = b"".join([piece async for piece in reader.content()])
        found.append((headers.name, headers.file_name, content))
    return found


@settings(deadline=None, max_examples=3 * settings().max_examples // 2)
@given(st.binary(max_size=200), st.binary(max_size=200), st.lists(st.integers(0, 2000), max_size=30))
def test_parts_are_the_same_however_the_body_is_cut(first, second, cuts):
    body = part("metadata", first) + part("file", second, '; filename="x.csv"') + END
    found = asyncio.run(read_all(reader_of(request_of(body, cuts))))
    assert found == [("metadata", None, first), ("file", "x.csv", second)]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not a form",
        part("file", b"x"),
        part("file", b"x")[:-3],
        b"--" + BOUNDARY.encode() + b"\r\nContent-Type: text/csv\r\n\r\nx\r\n" + END,
        part("file", b"eA==", "\r\nContent-Transfer-Encoding: base64") + END,
        b"--" + BOUNDARY.encode() + b'\r\nContent-Disposition: attachment; name="file"\r\n\r\nx\r\n' + END,
        part("file", b"x", "\r\nX-Long: " + "y" * 10_000) + END,
    ],
)
def test_what_is_not_a_form_is_a_422(body):
    with pytest.raises(Problem) as caught:
        asyncio.run(read_all(reader_of(request_of(body))))
    assert caught.value.status_code == 422


@pytest.mark.parametrize(
    ("content_type", "status"),
    [("application/json", 415), ("multipart/form-data", 422), ("multipart/form-data; boundary=" + "x" * 71, 422)],
)
def test_another_content_type_is_refused(content_type, status):
    with pytest.raises(Problem) as caught:
        reader_of(request_of(b"", content_type=content_type))
    assert caught.value.status_code == status


def test_a_small_part_has_a_limit():
    async def read() -> None:
        reader = reader_of(request_of(part("metadata", b"x" * 100) + END))
        await reader.next_part()
        await reader.whole("metadata", 99)

    with pytest.raises(Problem) as caught:
        asyncio.run(read())
    assert caught.value.status_code == 413


def test_no_more_of_the_body_is_read_than_was_asked_for():
    read = []
    pieces = [part("metadata", b"{}"), b"--" + BOUNDARY.encode(), b"\r\n"]

    async def receive() -> dict:
        read.append(len(read))
        return {"type": "http.request", "body": pieces[len(read) - 1], "more_body": True}

    async def first_part() -> bytes:
        kind = f"multipart/form-data; boundary={BOUNDARY}".encode()
        reader = reader_of(Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind)]}, receive))
        await reader.next_part()
        pieces_of_part: AsyncIterator[bytes] = reader.content()
        return await anext(pieces_of_part)

    assert asyncio.run(first_part()) == b"{}"
    assert len(read) == 1
