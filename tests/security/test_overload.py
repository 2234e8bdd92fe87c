"""Overload: a client that comes when the service is busy is immediately asked to retry, and gets no other error."""

import asyncio
import socket
import threading
from typing import Any

import httpx
import pytest

from stack.servers.ports import free_port
from tests.patience import patience, wait_for
from tests.service.samples import table_policy

READS = 3
WRITES = 2
WAITING = 8
AT_ONCE = 24


@pytest.fixture(scope="module")
def narrow(make_api: Any) -> Any:
    """An API that processes three reads and two changes at the same time."""
    return make_api(max_writes_at_once=WRITES, max_reads_at_once=READS, metrics_port=free_port())


def test_jobs_beyond_what_is_worked_on_are_refused_with_a_time_to_come_back(narrow: Any) -> None:
    dataset = narrow.upload().json()["id"]
    before = narrow.count("jobs")
    body, token = {"dataset_id": dataset, "policy": table_policy()}, narrow.token("steward")
    answers: list[httpx.Response] = []
    # Retry if the machine admitted the requests one by one; with an API that refuses none, this would never stop.
    for _ in range(50):
        answers += asyncio.run(at_once(narrow.address, token, body))
        if {answer.status_code for answer in answers} >= {202, 503}:
            break
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {202, 503}
    for answer in answers:
        if answer.status_code == 503:
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert int(answer.headers["Retry-After"]) >= 1
            assert answer.json()["type"].endswith(":busy")
    assert narrow.count("jobs") == before + statuses.count(202)
    assert narrow.client().post("/v1/jobs", json=body).status_code == 202


async def at_once(address: str, token: str, body: Any) -> list[httpx.Response]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=patience()) as client:
        await asyncio.gather(*(client.get("/healthz") for _ in range(AT_ONCE)))
        return await asyncio.gather(*(client.post("/v1/jobs", json=body) for _ in range(AT_ONCE)))


def test_who_only_waits_for_a_job_keeps_nobody_out(narrow: Any) -> None:
    job = narrow.upload(policy=table_policy()).json()["job"]["id"]
    started = threading.Barrier(WAITING + 1)
    headers = {"Authorization": f"Bearer {narrow.token('steward')}"}

    def wait() -> None:
        with httpx.Client(base_url=narrow.address, headers=headers, timeout=patience()) as client:
            started.wait()
            for _ in range(200):
                answer = client.get(f"/v1/jobs/{job}", params={"wait": 60})
                statuses.append(answer.status_code)
                if answer.status_code == 200:
                    return

    statuses: list[int] = []
    waiting = [threading.Thread(target=wait) for _ in range(WAITING)]
    for thread in waiting:
        thread.start()
    started.wait()
    try:
        wait_for(lambda: listeners(narrow) == WAITING, "everybody who waits")
        assert narrow.client().get(f"/v1/jobs/{job}").status_code == 200
    finally:
        narrow.client().post(f"/v1/jobs/{job}/cancel")
        for thread in waiting:
            thread.join()
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) == WAITING


def listeners(api: Any) -> int:
    """Number of clients that wait for a job, according to the API."""
    said = httpx.get(f"http://127.0.0.1:{api.settings.metrics_port}/metrics", timeout=patience()).text
    return next(int(float(line.split()[1])) for line in said.splitlines() if line.startswith("antifaz_job_listeners "))


def test_an_unfinished_body_takes_no_turn(narrow: Any) -> None:
    dataset = narrow.upload().json()["id"]
    slow = [begun(narrow, "/v1/jobs", "application/json") for _ in range(WRITES + 2)]
    slow += [begun(narrow, "/v1/hierarchies?name=slow", "text/csv") for _ in range(WRITES + 2)]
    try:
        answer = narrow.client().post("/v1/jobs", json={"dataset_id": dataset, "policy": table_policy()})
        assert answer.status_code == 202
    finally:
        for connection in slow:
            connection.close()


def begun(api: Any, path: str, media_type: str) -> socket.socket:
    """A connection that has sent the head of a request and the first byte of its body, and stops there."""
    host, port = api.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {api.token('steward')}\r\n"
    connection.sendall(f"{head}Content-Type: {media_type}\r\nContent-Length: 100\r\n\r\n{{".encode())
    return connection
