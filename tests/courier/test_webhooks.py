"""Webhooks: accepted by the reference library, sent at least once, under one id; slow ones delay no others."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from storage.jobs import jobs
from storage.trail.events import EVENTS
from tests.courier.conftest import Courier, delivery_of, register, send_test, settled
from tests.courier.receivers import Heard, Receiver, receiving
from tests.patience import wait_for
from tests.service.conftest import Api
from tests.service.samples import table_policy


@pytest.mark.usefixtures("courier")
def test_the_reference_library_accepts_a_signature_and_no_changed_byte(api: Api, receiver: Receiver) -> None:
    webhook = register(api, receiver.url)
    assert webhook["secret"].startswith("whsec_")
    settled(api, webhook["id"], send_test(api, webhook)["id"])
    [heard] = receiver.heard
    Webhook(webhook["secret"]).verify(heard.body, heard.headers)
    # A second before the one that was signed, whatever the clock says by now.
    earlier = str(int(heard.headers["webhook-timestamp"]) - 1)
    for body, headers in (
        (heard.body + b" ", heard.headers),
        (heard.body, heard.headers | {"webhook-id": "msg_other"}),
        (heard.body, heard.headers | {"webhook-timestamp": earlier}),
    ):
        with pytest.raises(WebhookVerificationError):
            Webhook(webhook["secret"]).verify(body, headers)


@pytest.mark.usefixtures("courier")
def test_a_receiver_that_is_down_three_times_hears_one_id_in_four_attempts(api: Api, receiver: Receiver) -> None:
    receiver.answers = [(500, b"no"), (503, b""), (302, b"http://127.0.0.1:1/")]
    webhook = register(api, receiver.url)
    delivery = settled(api, webhook["id"], send_test(api, webhook)["id"])
    assert (delivery["state"], delivery["attempts"], delivery["last_status"]) == ("delivered", 4, 204)
    assert [request.headers["webhook-id"] for request in receiver.heard] == [delivery["id"]] * 4
    assert len({request.body for request in receiver.heard}) == 1
    with api.client("admin") as admin:
        assert admin.get(f"/v1/webhooks/{webhook['id']}").json()["failing_since"] is None


@pytest.mark.usefixtures("courier")
def test_every_event_says_ids_and_nothing_else(api: Api, receiver: Receiver) -> None:
    webhook = register(api, receiver.url, *EVENTS)
    published = api.publish(name="a name that stays here")
    api.open_to_all(published)
    queued = api.upload(policy=table_policy()).json()["job"]["id"]
    ends = {status: api.upload(policy=table_policy()).json()["job"]["id"] for status in ("failed", "refused")}
    for status, job_id in ends.items():
        claimed = api.claim(job_id)
        with api.worker.begin() as connection:
            details: dict[str, Any] = {"error" if status == "failed" else "refusal": {"secret": "age"}}
            assert jobs.finish(connection, UUID(job_id), claimed.fence, status, **details)
    with api.client() as steward:
        steward.post(f"/v1/jobs/{queued}/cancel")
        steward.post(f"/v1/releases/{published.release_id}/withdraw", json={"reason": "a reason that stays here"})
        assert steward.delete(f"/v1/datasets/{published.dataset_id}").status_code == 204
    expected = {
        "job.released": {"job_id": published.job_id, "release_id": published.release_id},
        "job.cancelled": {"job_id": queued},
        "job.failed": {"job_id": ends["failed"]},
        "job.refused": {"job_id": ends["refused"]},
        "release.published": {"release_id": published.release_id},
        "release.audience": {"release_id": published.release_id},
        "release.withdrawn": {"release_id": published.release_id},
        "dataset.deleted": {"dataset_id": published.dataset_id},
    }
    wait_for(lambda: {request.document["type"] for request in receiver.heard} >= set(expected), "every event")
    for event, ids in expected.items():
        [heard] = receiver.of_type(event)
        assert set(heard.document) == {"type", "timestamp", "data"}
        assert heard.document["data"].items() >= ids.items()
        for value in heard.document["data"].values():
            UUID(value)
        Webhook(webhook["secret"]).verify(heard.body, heard.headers)


@pytest.mark.usefixtures("courier")
def test_a_webhook_hears_only_what_it_asked_for_and_nothing_of_another_tenant(api: Api, receiver: Receiver) -> None:
    register(api, receiver.url, "job.released")
    with receiving() as foreign:
        register(api, foreign.url, *EVENTS, tenant="stranger")
        api.publish()
        wait_for(lambda: bool(receiver.heard), "the event")
        time.sleep(0.3)
    assert {request.document["type"] for request in receiver.heard} == {"job.released"}
    assert foreign.heard == []


@pytest.mark.usefixtures("courier")
def test_after_a_rotation_both_secrets_sign_and_after_a_day_the_new_one_alone(api: Api, receiver: Receiver) -> None:
    webhook = register(api, receiver.url)
    with api.client("admin") as admin:
        turned = admin.post(f"/v1/webhooks/{webhook['id']}/rotate").json()
    assert turned["secret"] not in (None, webhook["secret"])
    assert turned["former_until"] is not None
    settled(api, webhook["id"], send_test(api, webhook)["id"])
    for secret in (webhook["secret"], turned["secret"]):
        Webhook(secret).verify(receiver.heard[-1].body, receiver.heard[-1].headers)
    assert len(receiver.heard[-1].headers["webhook-signature"].split()) == 2
    _age_rotation(api, webhook["id"])
    settled(api, webhook["id"], send_test(api, webhook)["id"])
    Webhook(turned["secret"]).verify(receiver.heard[-1].body, receiver.heard[-1].headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["secret"]).verify(receiver.heard[-1].body, receiver.heard[-1].headers)


def _age_rotation(api: Api, webhook_id: str) -> None:
    """Put the rotation back by a day, code and all."""
    from dataclasses import replace
    from datetime import timedelta

    from sqlalchemy import select, update

    from storage.crypto.authenticity import mac_of
    from storage.orm import Webhook as Row
    from storage.outbound import webhooks

    with api.owner.begin() as connection:
        held = webhooks.WebhookRecord(
            *connection.execute(select(*webhooks.COLUMNS).where(Row.id == UUID(webhook_id))).one()
        )
        assert held.former_until is not None
        aged = replace(held, former_until=held.former_until - timedelta(hours=25))
        bound = mac_of(api.release_key, "webhook", [getattr(aged, name) for name in webhooks._BOUND])
        connection.execute(update(Row).where(Row.id == held.id).values(former_until=aged.former_until, mac=bound))


@pytest.mark.usefixtures("courier")
def test_410_disables_a_webhook_and_is_in_the_audit_trail(api: Api, receiver: Receiver) -> None:
    receiver.usual = (410, b"")
    webhook = register(api, receiver.url)
    delivery = settled(api, webhook["id"], send_test(api, webhook)["id"])
    assert (delivery["state"], delivery["attempts"]) == ("failed", 1)
    with api.client("admin") as admin:
        seen = admin.get(f"/v1/webhooks/{webhook['id']}").json()
        assert seen["disabled_reason"] == "it answered 410"
        assert admin.post(f"/v1/webhooks/{webhook['id']}/test").status_code == 409
        assert admin.post(f"/v1/deliveries/{delivery['id']}/redeliver").status_code == 409
        events = admin.get("/v1/audit-events", params={"action": "webhook.disable"}).json()["items"]
    assert webhook["id"] in [event["subject"] for event in events]


def test_five_days_of_failure_disable_a_webhook(
    api: Api, receiver: Receiver, make_courier: Callable[..., Courier]
) -> None:
    receiver.usual = (500, b"")
    webhook = register(api, receiver.url)
    with api.owner.begin() as connection:
        connection.execute(
            text("UPDATE webhooks SET failing_since = now() - interval '4 days 23 hours' WHERE id = :id"),
            {"id": webhook["id"]},
        )
    courier = make_courier()
    first = send_test(api, webhook)["id"]
    wait_for(lambda: delivery_of(api, webhook["id"], first)["attempts"] > 1, "attempts")
    with api.client("admin") as admin:
        assert admin.get(f"/v1/webhooks/{webhook['id']}").json()["disabled_at"] is None
        with api.owner.begin() as connection:
            connection.execute(
                text("UPDATE webhooks SET failing_since = now() - interval '5 days 1 hour' WHERE id = :id"),
                {"id": webhook["id"]},
            )
        assert settled(api, webhook["id"], first)["state"] == "failed"
        seen = admin.get(f"/v1/webhooks/{webhook['id']}").json()
    courier.stop()
    assert seen["disabled_reason"] == "it failed for 5 days"


@pytest.mark.usefixtures("courier")
def test_a_slow_receiver_delays_no_other(api: Api, receiver: Receiver) -> None:
    """Eight seconds are enough for three calls unless the machine is very busy: then it is tried again."""
    prompt = register(api, receiver.url)
    assert any(_is_prompt_beside_a_slow_one(api, prompt) for _ in range(5))


def _is_prompt_beside_a_slow_one(api: Api, prompt: dict[str, Any]) -> bool:
    """Whether three deliveries came through before the first of the slow calls was given up."""
    release = threading.Event()

    def dawdle(_: Heard) -> tuple[int, bytes]:
        release.wait(8)
        return 204, b""

    with receiving() as slow:
        slow.usual = dawdle
        late = register(api, slow.url)
        waiting = [send_test(api, late)["id"] for _ in range(6)]
        wait_for(lambda: len(slow.heard) >= 4, "as many calls as one webhook may have")
        for _ in range(3):
            settled(api, prompt["id"], send_test(api, prompt)["id"])
        pending = all(delivery_of(api, late["id"], each)["state"] == "pending" for each in waiting)
        in_time = pending and len(slow.heard) == 4
        release.set()
        for each in waiting:
            assert settled(api, late["id"], each)["state"] == "delivered"
    return in_time


@pytest.mark.usefixtures("courier")
def test_a_delivery_is_sent_again_under_its_id_when_somebody_asks_for_it(api: Api, receiver: Receiver) -> None:
    webhook = register(api, receiver.url)
    first = settled(api, webhook["id"], send_test(api, webhook)["id"])
    with api.client("admin") as admin:
        assert admin.post(f"/v1/deliveries/{first['id']}/redeliver").status_code == 202
    wait_for(lambda: len(receiver.heard) == 2, "the second call")
    assert {request.headers["webhook-id"] for request in receiver.heard} == {first["id"]}


@pytest.mark.usefixtures("courier")
def test_what_a_deleted_webhook_was_still_to_hear_is_not_sent(api: Api, receiver: Receiver) -> None:
    receiver.usual = (500, b"")
    webhook = register(api, receiver.url)
    send_test(api, webhook)
    wait_for(lambda: bool(receiver.heard), "a call")
    with api.client("admin") as admin:
        assert admin.delete(f"/v1/webhooks/{webhook['id']}").status_code == 204
        assert admin.get(f"/v1/webhooks/{webhook['id']}").status_code == 404
    time.sleep(0.3)
    heard = len(receiver.heard)
    time.sleep(0.3)
    assert len(receiver.heard) == heard


@pytest.mark.usefixtures("courier")
@pytest.mark.parametrize("column", ["url", "events", "secret"])
def test_a_webhook_that_was_changed_in_the_database_is_not_called(api: Api, receiver: Receiver, column: str) -> None:
    with receiving() as thief:
        webhook = register(api, thief.url)
        changed = {"url": "url || '/x'", "events": "ARRAY['job.failed']", "secret": "secret || 'x'::bytea"}[column]
        with api.owner.begin() as connection:
            connection.execute(text(f"UPDATE webhooks SET {column} = {changed} WHERE id = :id"), {"id": webhook["id"]})
        delivery = send_test(api, webhook)["id"]
        wait_for(lambda: delivery_of(api, webhook["id"], delivery)["last_error"] is not None, "a refusal")
        assert thief.heard == []
        assert delivery_of(api, webhook["id"], delivery)["last_error"] == "the stored webhook was changed"
        with api.client("admin") as admin:
            admin.delete(f"/v1/webhooks/{webhook['id']}")
    assert receiver.heard == []


@pytest.mark.usefixtures("courier")
def test_a_long_answer_is_cut_off_and_counts(api: Api, receiver: Receiver) -> None:
    receiver.usual = (200, b"x" * 1_000_000)
    webhook = register(api, receiver.url)
    assert settled(api, webhook["id"], send_test(api, webhook)["id"])["state"] == "delivered"


def test_a_secret_is_shown_once_and_neither_the_api_nor_a_repetition_can_show_it_again(api: Api) -> None:
    body = {"url": "http://127.0.0.1:9/x", "events": ["job.released"]}
    with api.client("admin") as admin:
        first = admin.post("/v1/webhooks", json=body, headers={"Idempotency-Key": "once"}).json()
        second = admin.post("/v1/webhooks", json=body, headers={"Idempotency-Key": "once"}).json()
        listed = admin.get("/v1/webhooks").text
    assert first["secret"].startswith("whsec_")
    assert second == first | {"secret": None}
    assert first["secret"] not in listed
    with api.owner.connect() as connection:
        kept = json.dumps([str(row) for row in connection.execute(text("SELECT * FROM webhooks, idempotency"))])
    assert first["secret"] not in kept
