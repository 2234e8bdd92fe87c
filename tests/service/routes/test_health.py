"""Liveness, readiness, and behavior while a required server is down."""

import json
import socket

import httpx
import pytest

from service import openapi
from service.documentation import document
from tests.patience import patience, wait_for
from tests.service.conftest import QUEUES


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_ready_service_says_what_it_checked(api):
    assert httpx.get(f"{api.address}/healthz", timeout=patience()).json() == {"status": "ok"}
    checks = {"database": "ok", "keyring": "ok", "broker": "ok", "queues": "ok"}

    def is_ready() -> bool:
        answer = httpx.get(f"{api.address}/readyz", timeout=patience())
        assert answer.status_code == 200 or "does not answer" in answer.json()["checks"].values()
        return answer.status_code == 200 and answer.json()["checks"] == checks

    with api.consumers_of_everything():
        # A check ends after three seconds, which a busy machine may need.
        wait_for(is_ready, "a service that is ready")


def test_a_queue_with_work_and_without_a_live_consumer_is_not_ready(make_api):
    port = closed_port()
    waiting = make_api(metrics_port=port)
    assert waiting.upload().status_code == 201
    finding = "work waits without a live consumer: "

    def checked() -> tuple[int, str, dict]:
        answer = httpx.get(f"{waiting.address}/readyz", timeout=patience())
        return answer.status_code, answer.json()["checks"]["queues"], answer.json()["queues"]

    wait_for(lambda: checked()[1] != "does not answer", "an answer")
    status, said, queues = checked()
    assert status == 503
    assert said.startswith(finding)
    assert "small" in said.removeprefix(finding)
    assert queues["small"]["served"] is False
    assert isinstance(queues["small"]["oldest_waiting_seconds"], int)
    with waiting.consumers_of_everything():
        wait_for(lambda: checked()[:2] == (200, "ok"), "readiness")
        shown = checked()[2]
        assert set(shown) == set(QUEUES)
        assert shown["small"]["served"] is True
        # Times are read every ten seconds and rounded down, so that nobody learns exactly when someone works.
        wait_for(lambda: checked()[2]["small"]["last_consumed_seconds"] is not None, "another reading of times")
        assert {queue["last_consumed_seconds"] for queue in checked()[2].values()} == {10}
        figures = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=patience()).text
    for queue in QUEUES:
        assert f'antifaz_queue_consumers{{queue="{queue}"}} 1.0' in figures
        assert f'antifaz_queue_last_consumed_seconds{{queue="{queue}"}} 10.0' in figures
        assert f'antifaz_queue_oldest_waiting_seconds{{queue="{queue}"}}' in figures
    assert checked()[0] == 503


def test_without_a_broker_it_is_not_ready_but_takes_uploads(make_api):
    lonely = make_api(broker_url=f"redis://127.0.0.1:{closed_port()}/0")
    answer = httpx.get(f"{lonely.address}/readyz", timeout=patience())
    assert answer.status_code == 503
    assert answer.json()["checks"]["broker"] == "does not answer"
    assert answer.headers["content-type"] == "application/problem+json"
    assert lonely.upload().status_code == 201
    assert lonely.count("outbox") >= 1


def test_without_a_keyring_an_upload_is_a_503_and_leaves_nothing(make_api):
    keyless = make_api(keyring_url=f"postgresql+psycopg://nobody:secret@127.0.0.1:{closed_port()}/none")
    before = keyless.count("datasets")
    answer = keyless.upload()
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text
    assert keyless.count("datasets") == before
    assert httpx.get(f"{keyless.address}/healthz", timeout=patience()).status_code == 200
    assert httpx.get(f"{keyless.address}/readyz", timeout=patience()).json()["checks"]["keyring"] == "does not answer"


def test_the_served_description_is_the_committed_one(api):
    served = httpx.get(f"{api.address}/openapi.json", timeout=patience()).json()
    assert served == json.loads(openapi.COMMITTED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/nothing", "/metrics", "/v1/datasets/", "/docs/../v1/x"])
def test_an_unknown_path_is_a_problem(api, path):
    answer = httpx.get(f"{api.address}{path}", timeout=patience())
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_another_method_is_a_405_that_says_which_is_allowed(api):
    answer = httpx.put(f"{api.address}/healthz", timeout=patience())
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD"
    assert answer.headers["content-type"] == "application/problem+json"
    assert httpx.put(f"{api.address}/v1/datasets", timeout=patience()).headers["Allow"] == "GET, HEAD, POST"


def test_every_answer_has_safe_headers_and_an_id(api):
    answer = httpx.get(f"{api.address}/healthz", timeout=patience())
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert (
        answer.headers["X-Request-Id"]
        != httpx.get(f"{api.address}/healthz", timeout=patience()).headers["X-Request-Id"]
    )


def test_requests_of_one_token_are_limited(make_api):
    hasty = make_api(requests_per_minute=5)
    with hasty.client("admin") as admin:
        statuses = [admin.get("/v1/methods").status_code for _ in range(12)]
    assert statuses[:5] == [200] * 5
    assert statuses[-1] == 429
    assert httpx.get(f"{hasty.address}/healthz", timeout=patience()).status_code == 200


def test_metrics_are_served_on_a_port_of_their_own(make_api):
    port = closed_port()
    watched = make_api(metrics_port=port)
    httpx.get(f"{watched.address}/healthz", timeout=patience())

    def counted() -> bool:
        text = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=patience()).text
        return 'antifaz_request_seconds_count{operation="healthz",status="200"}' in text

    # A request is counted once its answer is sent, so the client may be first.
    wait_for(counted, "the request among the metrics")
    second = make_api(metrics_port=port)
    assert httpx.get(f"{second.address}/healthz", timeout=patience()).status_code == 200


def test_the_version_is_that_of_the_software_and_of_the_interface(api):
    with api.client("consumer") as client:
        assert client.get("/v1/version").json() == {"antifaz": document.software_version(), "api": "1"}
