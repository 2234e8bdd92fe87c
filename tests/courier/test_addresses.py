"""Hostile addresses: refused when they are registered, and again when something is sent."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from courier.calls import Caller, NoAnswer
from storage.outbound import addresses as outbound
from storage.outbound.addresses import Allowed
from tests.courier.conftest import courier_settings, delivery_of, register, run_courier, send_test
from tests.courier.names import Names
from tests.courier.receivers import Receiver
from tests.patience import wait_for
from tests.service.conftest import Api
from tests.storage.outbound.test_addresses import HOSTILE

NOT_CALLED = "calls to this address are not allowed"


@pytest.fixture(scope="module")
def strict_api(make_api: Callable[..., Api]) -> Api:
    """An API whose operator allows no private network."""
    return make_api(outbound_networks="")


def test_hostile_addresses_are_refused_at_creation_and_not_repeated(strict_api: Api) -> None:
    with strict_api.client("admin") as admin:
        before = admin.get("/v1/webhooks").json()["items"], admin.get("/v1/portals").json()["items"]
        for url in HOSTILE:
            for path, body in (
                ("/v1/webhooks", {"url": url, "events": ["job.released"]}),
                ("/v1/portals", {"kind": "ckan", "name": "p", "url": url, "token": "a-key-of-a-portal"}),
            ):
                answer = admin.post(path, json=body)
                assert answer.status_code == 422, (url, answer.text)
                assert answer.json()["errors"][0]["pointer"] == "/url"
                assert "a-key-of-a-portal" not in answer.text
        assert (admin.get("/v1/webhooks").json()["items"], admin.get("/v1/portals").json()["items"]) == before


def test_an_address_that_is_private_when_it_is_called_is_not_called(
    api: Api, databases: Any, receiver: Receiver
) -> None:
    """Registered when it was allowed, as a name is that resolves elsewhere later; the courier judges it again."""
    webhook = register(api, receiver.url)
    strict = run_courier(courier_settings(api, databases, outbound_networks=""))
    delivery = send_test(api, webhook)["id"]
    wait_for(lambda: delivery_of(api, webhook["id"], delivery)["last_error"] is not None, "a refusal")
    strict.stop()
    seen = delivery_of(api, webhook["id"], delivery)
    assert (seen["state"], seen["last_error"]) == ("pending", NOT_CALLED)
    assert receiver.heard == []


def test_a_name_that_leads_elsewhere_after_it_was_registered_is_not_called(
    strict_api: Api, databases: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Public when registered, this machine when called: the answers of a hostile name server."""
    names = Names(monkeypatch)
    port = receiver.url.rsplit(":", 1)[1]
    names.addresses["hooks.example"] = "8.8.8.8"
    webhook = register(strict_api, f"https://hooks.example:{port}/")
    portal = {"kind": "ckan", "name": "p", "url": f"https://hooks.example:{port}", "token": "a-key-of-a-portal"}
    published = strict_api.publish()
    strict_api.open_to_all(published)
    with strict_api.client("admin") as admin, strict_api.client() as steward:
        portal_id = admin.post("/v1/portals", json=portal).json()["id"]
        path = f"/v1/releases/{published.release_id}/publications"
        names.addresses["hooks.example"] = "127.0.0.1"
        assert steward.post(path, json={"portal": portal_id}).status_code == 202
        delivery = send_test(strict_api, webhook)["id"]
        settings = courier_settings(strict_api, databases, outbound_networks="", publication_attempts=1)
        strict = run_courier(settings)
        wait_for(lambda: delivery_of(strict_api, webhook["id"], delivery)["last_error"] is not None, "a refusal")
        wait_for(lambda: steward.get(path).json()["items"][0]["state"] == "failed", "another refusal")
        strict.stop()
        reason = steward.get(path).json()["items"][0]["reason"]
    assert delivery_of(strict_api, webhook["id"], delivery)["last_error"] == NOT_CALLED
    assert reason.endswith(NOT_CALLED)
    assert receiver.heard == []


def _call(caller: Caller, url: str) -> Any:
    return asyncio.run(caller.call("POST", url, headers={}, content=b"{}"))


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.usual = (302, receiver.url.encode() + b"/elsewhere")
    caller = Caller(outbound.allowed_by("127.0.0.0/8"))
    assert _call(caller, receiver.url).status == 302
    assert [request.path for request in receiver.heard] == ["/"]


def test_no_variable_of_the_environment_sends_a_call_elsewhere(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert _call(Caller(outbound.allowed_by("127.0.0.0/8")), receiver.url).status == 204


def test_a_call_ends_after_its_time_however_slowly_the_answer_drips(receiver: Receiver) -> None:
    def drip(_: Any) -> tuple[int, bytes]:
        time.sleep(3)
        return 200, b""

    receiver.usual = drip
    caller = Caller(outbound.allowed_by("127.0.0.0/8"))

    async def call() -> None:
        await caller.call("POST", receiver.url, headers={}, seconds=0.3)

    with pytest.raises(NoAnswer, match="no answer in time"):
        asyncio.run(call())


def test_a_name_goes_to_the_address_that_was_judged_with_its_own_name_in_the_request(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The resolver's first answer is used; a second one would lead to a port without a listener."""
    asked: list[str] = []

    async def answer(self: Any, host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1" if len(asked) == 1 else "127.0.0.2", port))]

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", answer)
    port = receiver.url.rsplit(":", 1)[1]
    reply = _call(Caller(Allowed(names=frozenset({"portal.intern"}))), f"http://portal.intern:{port}/x")
    assert reply.status == 204
    assert receiver.heard[0].headers["host"] == f"portal.intern:{port}"
    assert asked.count("portal.intern") == 1
