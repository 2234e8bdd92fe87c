"""A token goes to the origin that it was given for: no redirect, answer, proxy or variable sends it elsewhere."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anyio
import httpx
import pytest
from antifaz_client import AntifazError, AsyncClient, Client, Unexpected
from antifaz_client.transport.calls import call, document
from antifaz_client.transport.flow import Answer
from antifaz_client.transport.operations import MADE, OPERATIONS
from antifaz_client.transport.origins import origin_of

from tests.strangers import Stranger, stranger

TOKEN = "token-of-an-administrator"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTIFAZ_URL", "ANTIFAZ_TOKEN", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def elsewhere() -> Iterator[Stranger]:
    with stranger() as listening:
        yield listening


class _Serving(ThreadingHTTPServer):
    daemon_threads = True
    status = 302
    points_to = ""
    seen: list[str | None]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Serving

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append(self.headers.get("Authorization"))
        to = self.server.points_to
        body = {"id": f"{to}/x", "next_cursor": f"{to}/v1/releases", "url": to, "href": to, "items": [{"id": to}]}
        sent = json.dumps(body | {"artifacts": [{"url": to, "href": to}], "release_id": to}).encode()
        self.send_response(self.server.status)
        self.send_header("Location", f"{to}{self.path}")
        self.send_header("Content-Location", f"{to}{self.path}")
        self.send_header("Link", f'<{to}{self.path}>; rel="next"')
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - names of http.server

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def misleading(elsewhere: Stranger) -> Iterator[_Serving]:
    """A service whose redirects, headers and documents all point to the stranger."""
    server = _Serving(("127.0.0.1", 0), _Handler)
    server.points_to, server.seen = elsewhere.address, []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


def address_of(server: _Serving) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_operation_follows_a_redirect_and_none_takes_it_for_a_success(misleading, elsewhere, status):
    misleading.status = status
    with Client(address_of(misleading), TOKEN) as client:
        for name, (_, path) in OPERATIONS.items():
            with pytest.raises(Unexpected):
                client.run(call(name, "x" if "{id}" in path else None, json={}))
    assert misleading.seen == [f"Bearer {TOKEN}"] * len(OPERATIONS)
    assert elsewhere.received == []


def test_the_async_client_does_not_either(misleading, elsewhere):
    async def story() -> None:
        async with AsyncClient(address_of(misleading), TOKEN) as client:
            for name, (_, path) in OPERATIONS.items():
                with pytest.raises(Unexpected):
                    await client.run(call(name, "x" if "{id}" in path else None, json={}))

    anyio.run(story)
    assert misleading.seen == [f"Bearer {TOKEN}"] * len(OPERATIONS)
    assert elsewhere.received == []


def test_addresses_in_answers_are_texts_and_never_called(misleading, elsewhere, monkeypatch):
    misleading.status = 200
    with Client(address_of(misleading), TOKEN) as client:
        for name in ("get_release", "get_job", "get_dataset", "get_comparison"):
            client.run(document(name, elsewhere.address))
        assert len(client.releases(limit=2)) == 2
        assert client.release(elsewhere.address).id == f"{elsewhere.address}/x"
        with pytest.raises((AntifazError, LookupError)):
            client.release("r").save()
    assert set(misleading.seen) == {f"Bearer {TOKEN}"}
    assert elsewhere.received == []


def test_another_origin_is_called_without_the_token(elsewhere):
    with Client("http://127.0.0.1:9", TOKEN) as client:
        assert client.http.get(elsewhere.address).status_code == 200
    assert b"uthorization" not in elsewhere.received[0]
    assert TOKEN.encode() not in elsewhere.received[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.example", "https://a.example"),
        ("http://a.example", "http://a.example:8000"),
        ("http://a.example", "http://b.a.example"),
        ("http://a.example", "http://a.example.b"),
        ("http://a.example", "http://b.example/?a.example"),
        ("http://a.example", "http://a.example@b.example"),
    ],
)
def test_scheme_host_and_port_make_an_origin(one, other):
    assert origin_of(one) != origin_of(other)


def test_the_same_origin_has_several_spellings():
    assert origin_of("https://A.example:443/v1") == origin_of("https://a.example")


@pytest.mark.parametrize("setting", ["follow_redirects", "auth", "base_url", "headers"])
def test_no_setting_makes_the_token_travel(setting):
    with pytest.raises(TypeError, match=setting):
        Client("http://127.0.0.1:9", TOKEN, **{setting: True})


def test_a_proxy_in_the_environment_reads_no_token_that_is_sent_without_tls(misleading, elsewhere, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, elsewhere.address)
    misleading.status = 200
    with Client(address_of(misleading), TOKEN) as client:
        client.version()
    assert elsewhere.received == []
    assert misleading.seen == [f"Bearer {TOKEN}"]


def test_the_token_of_the_environment_belongs_to_the_address_of_the_environment(elsewhere, monkeypatch):
    monkeypatch.setenv("ANTIFAZ_TOKEN", TOKEN)
    monkeypatch.setenv("ANTIFAZ_URL", "http://127.0.0.1:9")
    with pytest.raises(ValueError, match="ANTIFAZ_TOKEN"):
        Client(elsewhere.address)
    with Client(elsewhere.address, "") as client:
        client.version()
    with Client(elsewhere.address, "another") as client:
        client.version()
    assert TOKEN.encode() not in b"".join(elsewhere.received)
    assert b"Bearer another" in elsewhere.received[1]


def test_a_password_in_the_address_does_not_replace_the_token(misleading):
    misleading.status = 200
    with Client(address_of(misleading).replace("//", "//user:password@"), TOKEN) as client:
        client.version()
    assert misleading.seen == [f"Bearer {TOKEN}"]


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b"<html>Sign in</html>", b"[" * 100_000])
def test_an_answer_that_names_nothing_created_is_no_success(name, body):
    flow = document(name, "x" if "{id}" in OPERATIONS[name][1] else None)
    next(flow)
    with pytest.raises(Unexpected):
        flow.send(Answer(200, httpx.Headers(), body))


def test_what_was_not_deleted_is_not_reported_as_deleted():
    for name in (name for name, (method, _) in OPERATIONS.items() if method == "DELETE"):
        flow = call(name, "x")
        next(flow)
        with pytest.raises(Unexpected):
            flow.send(Answer(200, httpx.Headers(), b"{}"))


def test_everything_that_is_created_is_known_to_be_so():
    assert {name for name in OPERATIONS if name.startswith("create_")} <= set(MADE)
