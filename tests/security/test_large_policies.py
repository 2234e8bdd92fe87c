"""Large policies: they are refused or read outside the event loop, which serves all other clients meanwhile."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from service.policies.policies import MOST_ATTRIBUTES, MOST_LISTED
from tests.patience import patience
from tests.service.conftest import LOOP
from tests.service.samples import table_policy

AT_ONCE = 6
LONGEST_PAUSE = 2.0
"""Seconds of CPU time of the loop's own thread, so that neither a busy machine nor reader threads count."""


def with_rows(count: int, label: str = "value") -> dict[str, Any]:
    """A policy with a hierarchy of that many rows of three labels."""
    rows = [[f"{label} {row}", f"group {row // 100}", "*"] for row in range(count)]
    return with_attribute({"role": "quasi_identifier", "hierarchy": {"kind": "levels", "rows": rows}})


def with_attribute(attribute: dict[str, Any]) -> dict[str, Any]:
    policy = table_policy()
    policy["attributes"]["zip"] = attribute
    return policy


def encoded(policy: dict[str, Any]) -> bytes:
    return json.dumps({"policy": policy}).encode()


def longest_pause(api: Any, bodies: list[bytes]) -> tuple[float, list[httpx.Response]]:
    """Most CPU time that the API's loop needed before it answered a liveness check while it received these bodies."""
    headers = {"Authorization": f"Bearer {api.token('steward')}", "Content-Type": "application/json"}

    def send(body: bytes) -> httpx.Response:
        return httpx.post(f"{api.address}/v1/policies/validate", content=body, headers=headers, timeout=patience())

    longest = 0.0
    with ThreadPoolExecutor(len(bodies)) as pool, httpx.Client(base_url=api.address, timeout=patience()) as looker:
        assert looker.get("/healthz").status_code == 200
        sent = [pool.submit(send, body) for body in bodies]
        while not all(answer.done() for answer in sent):
            began = worked()
            looker.get("/healthz")
            longest = max(longest, worked() - began)
        return longest, [answer.result() for answer in sent]


def worked() -> float:
    """Seconds of CPU time of the event loops of our APIs."""
    loops = [thread.ident for thread in threading.enumerate() if thread.name == LOOP]
    assert loops
    return sum(time.clock_gettime(time.pthread_getcpuclockid(loop)) for loop in loops if loop is not None)


def test_six_policies_that_are_too_large_are_refused_at_once(api: Any) -> None:
    body = encoded(with_rows(310_000))
    assert len(body) > 11_000_000
    pause, answers = longest_pause(api, [body] * AT_ONCE)
    assert {answer.status_code for answer in answers} == {413}
    assert all("POST /v1/hierarchies" in answer.json()["detail"] for answer in answers)
    assert pause < LONGEST_PAUSE


def test_six_of_the_largest_policies_do_not_stop_the_event_loop(api: Any) -> None:
    body = encoded(with_rows(MOST_LISTED // 4 - 1, "a value with some more letters to it, as many as there may be"))
    pause, answers = longest_pause(api, [body] * AT_ONCE)
    assert {answer.status_code for answer in answers} == {200}
    assert pause < LONGEST_PAUSE


@pytest.mark.parametrize(
    ("policy", "pointer", "remedy"),
    [
        (with_rows(MOST_LISTED // 4 + 1), "/policy/attributes/zip/hierarchy", "POST /v1/hierarchies"),
        (
            with_attribute({"role": "quasi_identifier", "order": [f"v{n}" for n in range(MOST_LISTED + 1)]}),
            "/policy/attributes/zip/order",
            "may list",
        ),
        (
            {**table_policy(), "attributes": {f"c{n}": {"role": "identifier"} for n in range(MOST_ATTRIBUTES + 1)}},
            "/policy/attributes",
            "may have at most 2000",
        ),
        ({**table_policy(), "waivers": [[]] * 60_001}, "/policy", "POST /v1/hierarchies"),
    ],
)
def test_a_policy_that_would_take_long_to_read_is_refused_by_counting(
    api: Any, policy: dict[str, Any], pointer: str, remedy: str
) -> None:
    with api.client() as steward:
        answer = steward.post("/v1/policies/validate", json={"policy": policy})
    assert answer.status_code == 422
    (found,) = answer.json()["errors"]
    assert found["pointer"] == pointer
    assert remedy in found["detail"]


def test_a_policy_part_that_is_too_large_says_where_hierarchies_go(api: Any) -> None:
    answer = api.upload(policy=with_rows(40_000))
    assert answer.status_code == 413
    assert "POST /v1/hierarchies" in answer.json()["detail"]
