"""Slow senders: one tenant's unfinished bodies do not block other tenants, and time out."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.service.samples import table_policy

PLACES = 16
_PART = '--edge\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"name": "slow", "ki'


def begun(api: Any, tenant: str, path: str, media_type: str, start: str) -> socket.socket:
    """A connection that has sent the head of a request and the start of its body."""
    host, port = api.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {api.token('steward', tenant)}\r\n"
    connection.sendall(f"{head}Content-Type: {media_type}\r\nContent-Length: 1000000\r\n\r\n{start}".encode())
    connection.settimeout(PATIENCE)
    return connection


def slow_upload(api: Any, tenant: str) -> socket.socket:
    return begun(api, tenant, "/v1/datasets", "multipart/form-data; boundary=edge", _PART)


def slow_json(api: Any, tenant: str) -> socket.socket:
    return begun(api, tenant, "/v1/jobs", "application/json", '{"dataset_id": "')


@pytest.fixture(scope="module")
def patient(make_api: Any) -> Any:
    """An API with default settings, except that it waits as long as these tests take."""
    return make_api(patience_seconds=600.0, tenant_bodies_at_once=4)


def test_other_tenants_upload_while_one_holds_its_places_with_slow_connections(patient: Any) -> None:
    assert patient.settings.max_uploads_at_once == PLACES
    assert patient.upload(tenant="slow").status_code == 201
    with ExitStack() as held:
        slow = [held.enter_context(slow_upload(patient, "slow")) for _ in range(PLACES)]
        refused = wait_for_refusals(slow, PLACES - patient.settings.tenant_uploads_at_once)
        assert all(b" 503 " in answer and b"retry-after" in answer.lower() for answer in refused)
        assert patient.upload(tenant="slow").status_code == 503
        for number in range(3):
            assert patient.upload(tenant=f"other {number}", policy=table_policy()).status_code == 202


def test_other_tenants_send_while_one_holds_its_places_with_unfinished_json(patient: Any) -> None:
    dataset = patient.upload(tenant="quick").json()["id"]
    with ExitStack() as held:
        slow = [held.enter_context(slow_json(patient, "slow")) for _ in range(20)]
        refused = wait_for_refusals(slow, 20 - patient.settings.tenant_bodies_at_once)
        assert all(b" 503 " in answer for answer in refused)
        with patient.client(tenant="quick") as client:
            answer = client.post("/v1/jobs", json={"dataset_id": dataset, "policy": table_policy()})
        assert answer.status_code == 202


def wait_for_refusals(connections: list[socket.socket], count: int) -> list[bytes]:
    """The first answers; their number must be as expected."""
    answers: list[bytes] = []
    deadline = time.monotonic() + PATIENCE
    waiting = list(connections)
    while len(answers) < count and time.monotonic() < deadline:
        for connection in list(waiting):
            connection.settimeout(0.05)
            try:
                answers.append(connection.recv(1 << 16))
                waiting.remove(connection)
            except TimeoutError:
                continue
    assert len(answers) == count
    return answers


@pytest.fixture(scope="module")
def hasty(make_api: Any) -> Any:
    """An API that requires four kilobytes a second and waits five seconds: longer than any delay of a busy machine."""
    return make_api(patience_seconds=5.0)


@pytest.mark.parametrize("begin", [slow_upload, slow_json])
def test_a_sender_that_drips_is_cut_off_and_its_place_is_free(hasty: Any, begin: Any) -> None:
    with begin(hasty, "dripping") as connection, dripping(connection):
        answer = b""
        while b"}" not in answer and (piece := connection.recv(1 << 16)):
            answer += piece
    assert b" 408 " in answer
    assert b"urn:antifaz:problem:body-timeout" in answer
    assert hasty.upload(tenant="dripping").status_code == 201


@contextmanager
def dripping(connection: socket.socket) -> Iterator[None]:
    """Sends a byte every tenth of a second until the block ends."""
    stop = threading.Event()

    def drip() -> None:
        with suppress(OSError):
            while not stop.wait(0.1):
                connection.sendall(b"x")

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
