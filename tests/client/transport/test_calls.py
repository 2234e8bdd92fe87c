"""Retries, keys, errors and digests: flows are driven by hand, and downloads come from a server that disconnects."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import Any

import anyio
import pytest
from antifaz_client import AsyncClient, Client, Corrupt, Failed, Problem, Refused, Unreachable
from antifaz_client.transport import calls
from antifaz_client.transport.calls import call, document, listed
from antifaz_client.transport.flow import Answer, Call, Pause
from antifaz_client.transport.forms import Content, Form

CONTENT = b"age,zip\n" + b"[20, 29],08*\n" * 40_000


def problem(status: int, headers: dict[str, str] | None = None, **members: Any) -> Answer:
    body = {"type": "urn:antifaz:problem:busy", "title": "Busy", "status": status, "detail": "Later.", **members}
    return Answer(status, headers or {}, json.dumps(body).encode())


def test_who_is_asked_to_wait_waits_as_long_and_sends_the_same_key():
    flow = call("create_job", json={"dataset_id": "d"})
    first = next(flow)
    assert isinstance(first, Call)
    pause = flow.send(problem(429, {"retry-after": "7"}))
    assert pause == Pause(7.0)
    second = flow.send(None)
    assert second == first
    assert second.headers["Idempotency-Key"]
    with pytest.raises(StopIteration) as end:
        flow.send(Answer(202, {}, b"{}"))
    assert end.value.value.status == 202


def test_two_calls_have_two_keys_and_reading_has_none():
    one, two = next(call("create_job")), next(call("create_job"))
    assert one.headers["Idempotency-Key"] != two.headers["Idempotency-Key"]
    assert not next(call("get_job", "j")).headers


def test_a_lost_connection_is_tried_again_and_then_reported():
    flow, step = call("get_job", "j"), None
    step = next(flow)
    for _ in range(calls.TRIES - 1):
        assert isinstance(step, Call)
        assert isinstance(flow.throw(Unreachable("gone")), Pause)
        step = flow.send(None)
    with pytest.raises(Unreachable):
        flow.throw(Unreachable("gone"))


def test_what_must_not_happen_twice_is_not_sent_twice():
    flow = call("withdraw_release", "r", json={"reason": "x"})
    next(flow)
    with pytest.raises(Unreachable):
        flow.throw(Unreachable("gone"))


def test_a_body_that_can_be_read_once_is_sent_once():
    class Pipe(BytesIO):
        def seekable(self) -> bool:
            return False

    flow = call("create_dataset", form=Form({}, Content(Pipe(b"a\n1\n"))))
    next(flow)
    with pytest.raises(Problem):
        flow.send(problem(503, {"retry-after": "1"}))


def test_a_problem_has_its_pointers_rows_and_columns():
    flow = document("create_job", json={})
    next(flow)
    faults = [{"pointer": "/file", "detail": "has 3 cells", "row": 41, "column": "zip", "count": 2}]
    with pytest.raises(Problem) as raised:
        flow.send(problem(422, errors=faults, type="urn:antifaz:problem:ragged-row"))
    assert raised.value.pointers == ["/file"]
    assert raised.value.kind == "ragged-row"
    assert "/file, column zip, row 41: has 3 cells (2 times)" in str(raised.value)


def test_an_error_that_is_no_problem_document_is_one_all_the_same():
    flow = document("get_job", "j")
    next(flow)
    with pytest.raises(Problem) as raised:
        flow.send(Answer(502, {}, b"<html>Bad gateway</html>"))
    assert raised.value.status == 502


def test_ids_cannot_lead_elsewhere():
    assert next(call("get_job", "../tokens?x=")).path == "/v1/jobs/..%2Ftokens%3Fx%3D"


def test_lists_are_read_page_by_page_up_to_the_limit():
    flow = listed("list_jobs", 150)
    assert next(flow).params["limit"] == 100
    page = {"items": [{"id": str(i)} for i in range(100)], "next_cursor": "c"}
    second = flow.send(Answer(200, {}, json.dumps(page).encode()))
    assert (second.params["limit"], second.params["cursor"]) == (50, "c")
    with pytest.raises(StopIteration) as end:
        flow.send(Answer(200, {}, json.dumps({"items": page["items"][:50], "next_cursor": "d"}).encode()))
    assert len(end.value.value) == 150


def test_a_refusal_names_the_job_the_rules_and_what_would_work():
    job = {
        "id": "j1",
        "refusal": {"reasons": [{"rule": "max_suppressed", "limit": 0.05, "measured": 0.11}], "nearest": {"k": 4}},
    }
    refusal = Refused(job, {"status": "refused"})
    assert refusal.job_id == "j1"
    assert refusal.nearest == {"k": 4}
    assert "j1" in str(refusal)
    assert "what would work: k = 4" in str(refusal)


def test_a_failure_names_the_job_and_the_row():
    failure = Failed(
        {"id": "j2", "status": "failed", "error": {"detail": "has 3 cells", "row": 41, "pointer": "/file"}}
    )
    assert "j2" in str(failure)
    assert "row 41" in str(failure)


# --- downloads -------------------------------------------------------------------------------------------------------


class _Release(BaseHTTPRequestHandler):
    """Serves one release; its bytes as the test wishes."""

    served: bytes
    promised: int
    requests: int

    def do_GET(self) -> None:
        if "/data" in self.path:
            type(self).requests += 1
            self.send_response(200)
            self.send_header("Content-Length", str(self.promised))
            self.end_headers()
            self.wfile.write(self.served)
            self.close_connection = True
            return
        artifact = {
            "format": "csv",
            "part": "table",
            "bytes": len(CONTENT),
            "sha256": hashlib.sha256(CONTENT).hexdigest(),
        }
        body = json.dumps({"id": "r", "name": "n", "kind": "table", "artifacts": [artifact], "guarantees": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Any]:
    """A server of one release."""
    handler = type("Handler", (_Release,), {"served": CONTENT, "promised": len(CONTENT), "requests": 0})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    handler.address = f"127.0.0.1:{running.server_port}"  # type: ignore[attr-defined]
    yield handler
    running.shutdown()
    running.server_close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_backoff", lambda attempt: 0.0)


def test_a_whole_download_is_saved(server, tmp_path):
    with Client(server.address) as client:
        assert [path.name for path in client.release("r").save(tmp_path)] == ["table.csv"]
    assert (tmp_path / "table.csv").read_bytes() == CONTENT


def test_a_download_that_always_breaks_off_is_corrupt_and_leaves_nothing(server, tmp_path):
    server.served = CONTENT[:100_000]
    with Client(server.address) as client, pytest.raises(Corrupt, match="100000 bytes"):
        client.release("r").save(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert server.requests == calls.TRIES


def test_a_download_that_is_shorter_than_the_release_says_is_corrupt(server, tmp_path):
    server.served, server.promised = CONTENT[:-1], len(CONTENT) - 1
    with Client(server.address) as client, pytest.raises(Corrupt):
        client.release("r").save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_changed_byte_is_corrupt_for_both_clients(server):
    server.served = CONTENT.replace(b"29", b"39", 1)
    with Client(server.address) as client, pytest.raises(Corrupt, match="SHA-256"):
        client.release("r").download()

    async def awaited() -> None:
        async with AsyncClient(server.address) as client:
            release = await client.release("r")
            with pytest.raises(Corrupt, match="SHA-256"):
                await release.download()

    anyio.run(awaited)


def test_an_address_needs_no_scheme_and_no_answer_is_said_without_secrets():
    with Client("127.0.0.1:9", "secret-token") as client, pytest.raises(Unreachable) as raised:
        client.me()
    assert str(raised.value) == "no answer from http://127.0.0.1:9 (ConnectError)"
