"""Slow senders: one tenant's unfinished bodies do not block other tenants, and time out."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from uuid import uuid4

import pytest

from tests.patience import patience, wait_for
from tests.service.samples import table_policy

_PART = '--edge\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"name": "slow", "ki'


def begun(api: Any, tenant: str, path: str, media_type: str, start: str) -> socket.socket:
    """A connection that has sent the head of a request and the start of its body."""
    host, port = api.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {api.token('steward', tenant)}\r\n"
    connection.sendall(f"{head}Content-Type: {media_type}\r\nContent-Length: 1000000\r\n\r\n{start}".encode())
    connection.settimeout(patience())
    return connection


def new_tenant() -> str:
    """The APIs of these tests share a database."""
    return f"tenant {uuid4()}"


def slow_upload(api: Any, tenant: str) -> socket.socket:
    return begun(api, tenant, "/v1/datasets", "multipart/form-data; boundary=edge", _PART)


def slow_json(api: Any, tenant: str) -> socket.socket:
    return begun(api, tenant, "/v1/jobs", "application/json", '{"dataset_id": "')


def fat_upload(api: Any, tenant: str) -> socket.socket:
    """An upload that sends enough at once to get a place, and then almost nothing."""
    whole = '--edge\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"name": "slow", "kind": "table"}\r\n'
    file = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\r\n' + "1,2\r\n" * 20_000
    return begun(api, tenant, "/v1/datasets", "multipart/form-data; boundary=edge", whole + file)


@pytest.fixture(scope="module")
def patient(make_api: Any) -> Any:
    """An API with default settings, except that it waits for senders as long as these tests take."""
    return make_api(patience_seconds=600.0, body_patience_seconds=600.0, tenant_bodies_at_once=4)


@pytest.mark.parametrize("begin", [slow_upload, fat_upload])
def test_twenty_slow_uploads_of_a_tenant_delay_its_own_uploads_by_seconds_and_nobody_elses(
    make_api: Any, begin: Any
) -> None:
    api, whose = make_api(patience_seconds=600.0, body_patience_seconds=600.0), new_tenant()
    assert api.upload(tenant=whose).status_code == 201
    with ExitStack() as held:
        slow = [held.enter_context(begin(api, whose)) for _ in range(20)]
        for connection in slow:
            held.enter_context(dripping(connection))
        for _ in range(3):
            assert api.upload(tenant=new_tenant(), policy=table_policy()).status_code == 202
        # Those that wait for a place make the slow ones hurry, four by four, or find none of them in their way.
        assert api.upload(tenant=whose).status_code == 201


def test_a_tenant_whose_places_are_taken_for_long_is_asked_to_come_back(make_api: Any) -> None:
    api, whose = make_api(patience_seconds=600.0, turn_seconds=0.2), new_tenant()
    api.token("steward", whose)
    with ExitStack() as held:
        for _ in range(api.settings.tenant_uploads_at_once):
            held.enter_context(fat_upload(api, whose))
        answers: list[Any] = []
        wait_for(lambda: answers.append(api.upload(tenant=whose)) or answers[-1].status_code == 503, "a refusal")
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert api.upload(tenant=new_tenant()).status_code == 201


def test_other_tenants_send_while_one_holds_its_places_with_unfinished_json(patient: Any) -> None:
    slower, quick = new_tenant(), new_tenant()
    dataset = patient.upload(tenant=quick).json()["id"]
    with ExitStack() as held:
        slow = [held.enter_context(slow_json(patient, slower)) for _ in range(10)]
        with patient.client(tenant=quick) as client:
            answer = client.post("/v1/jobs", json={"dataset_id": dataset, "policy": table_policy()})
        assert answer.status_code == 202
        # Four have a place and the others wait for one: as long as some wait, four by four are cut off.
        assert all(b" 408 " in answered(connection) for connection in slow[:-4])


def answered(connection: socket.socket) -> bytes:
    """The head of a response."""
    received = b""
    while b"\r\n\r\n" not in received and (piece := connection.recv(1 << 16)):
        received += piece
    return received


def open_head(api: Any, tenant: str) -> socket.socket:
    """A connection that has sent a part of a request's head."""
    host, port = api.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.sendall(f"GET /v1/releases HTTP/1.1\r\nHost: {host}\r\nX-Slow: ".encode())
    connection.settimeout(patience())
    return connection


@pytest.mark.parametrize("begin", [slow_json, slow_upload, pytest.param(open_head, marks=pytest.mark.long)])
def test_sixty_slow_clients_keep_no_honest_one_waiting_and_are_gone_soon(make_api: Any, begin: Any) -> None:
    api, whose = make_api(patience_seconds=3.0, body_patience_seconds=3.0), new_tenant()
    dataset = api.upload(tenant=whose).json()["id"]
    with ExitStack() as held:
        slow = [held.enter_context(begin(api, whose)) for _ in range(60)]
        for connection in slow:
            held.enter_context(dripping(connection))
        began = worked()
        with api.client(tenant=whose) as client:
            body = {"dataset_id": dataset, "policy": table_policy(), "trial": True}
            assert client.post("/v1/jobs", json=body).status_code == 202
        assert api.upload(tenant=whose).status_code == 201
        assert worked() - began < 2.0
        # The head of a request has its own deadline, and is closed without an answer.
        ends = [answered(connection) for connection in slow]
    assert all(end == b"" or b" 408 " in end for end in ends)


def worked() -> float:
    """Seconds of CPU time of this process, which is also the server: independent of how busy the machine is."""
    return time.process_time()


@pytest.fixture(scope="module")
def hasty(make_api: Any) -> Any:
    """An API that requires four kilobytes a second and waits five seconds: longer than any delay of a busy machine."""
    return make_api(patience_seconds=5.0, body_patience_seconds=5.0)


@pytest.mark.parametrize("begin", [slow_upload, slow_json])
def test_a_sender_that_drips_is_cut_off_and_its_place_is_free(hasty: Any, begin: Any) -> None:
    whose = new_tenant()
    with begin(hasty, whose) as connection, dripping(connection):
        answer = b""
        while b"}" not in answer and (piece := connection.recv(1 << 16)):
            answer += piece
        # The connection ends with the answer, although the sender drips on.
        assert at_its_end(connection)
    assert b" 408 " in answer
    assert b"connection: close" in answer.lower()
    assert b"urn:antifaz:problem:body-timeout" in answer
    assert hasty.upload(tenant=whose).status_code == 201


def at_its_end(connection: socket.socket) -> bool:
    """Whether the other side closes the connection."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


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
