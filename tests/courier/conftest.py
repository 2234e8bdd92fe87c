"""An API over real servers and a courier next to it, both in this process; and receivers for its messages."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from courier.context import Context, build_context
from courier.rounds import Rounds
from storage.settings import Settings
from tests.courier.receivers import Receiver, receiving
from tests.patience import patience, wait_for
from tests.service.conftest import Api, api, make_api

__all__ = ["api", "make_api"]

BRISK = {"courier_poll_seconds": 0.02, "courier_lease_seconds": 5.0, "webhook_backoff": "0.05"}


@dataclass
class Courier:
    """A running courier."""

    context: Context
    stop: Callable[[], None] = field(repr=False)


@pytest.fixture(scope="module")
def make_courier(api: Api, databases: Any) -> Iterator[Callable[..., Courier]]:
    """Starts couriers with the test's own settings; all are stopped at the module's end."""
    running: list[Courier] = []

    def start(**changes: Any) -> Courier:
        made = run_courier(courier_settings(api, databases, **changes))
        running.append(made)
        return made

    yield start
    for each in running:
        each.stop()


def courier_settings(api: Api, databases: Any, **changes: Any) -> Settings:
    """The settings of a courier that works with an API."""
    given = {
        "database_url": databases.courier_url,
        "courier_key_file": Path(str(api.settings.courier_public_key_file)).with_name("courier.key"),
        "release_key_file": api.settings.release_key_file,
        "outbound_networks": api.settings.outbound_networks,
        "courier_metrics_port": 0,
    }
    return Settings(**(given | BRISK | changes))


def run_courier(settings: Settings) -> Courier:
    """A courier on its own thread."""
    ready, box = threading.Event(), {}

    async def run() -> None:
        box["loop"], box["stop"] = asyncio.get_running_loop(), asyncio.Event()
        box["context"] = build_context(settings)
        ready.set()
        await Rounds(box["context"]).run(box["stop"])
        await box["context"].main.dispose()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True, name="a courier")
    thread.start()
    assert ready.wait(patience())

    def stop() -> None:
        if thread.is_alive():
            box["loop"].call_soon_threadsafe(box["stop"].set)
            thread.join(patience())

    return Courier(box["context"], stop)


@pytest.fixture(scope="module")
def courier(make_courier: Callable[..., Courier]) -> Courier:
    """A courier that retries immediately."""
    return make_courier()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A webhook receiver."""
    with receiving() as made:
        yield made


def register(api: Api, url: str, *events: str, tenant: str = "default", status: int = 201) -> dict[str, Any]:
    """Subscribe an address to events."""
    with api.client("admin", tenant) as admin:
        answer = admin.post("/v1/webhooks", json={"url": url, "events": list(events) or ["job.released"]})
    assert answer.status_code == status, answer.text
    return dict(answer.json())


def send_test(api: Api, webhook: dict[str, Any]) -> dict[str, Any]:
    """Cause a delivery to a webhook."""
    with api.client("admin") as admin:
        answer = admin.post(f"/v1/webhooks/{webhook['id']}/test")
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def delivery_of(api: Api, webhook_id: str, delivery_id: str | None = None) -> dict[str, Any]:
    """A delivery of a webhook: one by its id, or the newest."""
    with api.client("admin") as admin:
        answer: httpx.Response = admin.get(f"/v1/webhooks/{webhook_id}/deliveries", params={"limit": 200})
    items = [item for item in answer.json()["items"] if delivery_id in (None, item["id"])]
    return dict(items[0]) if items else {}


def settled(api: Api, webhook_id: str, delivery_id: str | None = None) -> dict[str, Any]:
    """A delivery after it has finished."""

    def is_over() -> bool:
        return delivery_of(api, webhook_id, delivery_id).get("state") in ("delivered", "failed")

    wait_for(is_over, "the end of a delivery", pause=0.03)
    return delivery_of(api, webhook_id, delivery_id)
