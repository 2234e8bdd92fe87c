"""Follow-ups of a job: its release becomes public and is sent, and a webhook is notified, all in one transaction."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from storage.errors import Forged
from storage.jobs import jobs
from storage.trail.events import webhooks_in
from tests.courier.conftest import register
from tests.courier.receivers import Receiver
from tests.patience import wait_for
from tests.service.conftest import Api
from tests.service.samples import ABOUT, table_policy
from workers.pipeline import followups


@pytest.fixture(scope="module")
def portal(api: Api) -> str:
    body = {"kind": "ckan", "name": "p", "url": "http://127.0.0.1:9", "token": "secret"}
    with api.client("admin") as admin:
        return str(admin.post("/v1/portals", json=body).json()["id"])


def pointers(answer: Any) -> list[str]:
    return [error["pointer"] for error in answer.json()["errors"]]


def test_what_cannot_follow_is_refused_when_the_job_is_submitted(api: Api, portal: str) -> None:
    upload = {"policy": table_policy(), "about": ABOUT}
    wrong = {
        "/metadata/then/0/webhook": [{"webhook": portal}],
        "/metadata/then/0/publish/portal": [{"publish": {"portal": "nonsense"}}],
        "/metadata/then/1/publish/acknowledge_copies": [
            {"publish": {"portal": portal}},
            {"publish": {"portal": portal, "mode": "upload"}},
        ],
    }
    before = api.count("datasets")
    for pointer, then in wrong.items():
        answer = api.upload(then=then, **upload)
        assert answer.status_code == 422, answer.text
        assert pointers(answer) == [pointer]
    bare = api.upload(policy=table_policy(), then=[{"publish": {"portal": portal}}])
    assert pointers(bare) == [f"/about/{name}" for name in ("title", "description", "license", "publisher", "contact")]
    unread = api.upload(then=[{"publish": {"portal": portal}}], about=ABOUT)
    assert pointers(unread) == ["/metadata/then"]
    assert api.count("datasets") == before
    dataset_id = api.upload().json()["id"]
    trial = {
        "dataset_id": dataset_id,
        "policy": table_policy(),
        "trial": True,
        "then": [{"publish": {"portal": portal}}],
    }
    with api.client() as steward:
        assert steward.post("/v1/jobs", json=trial).status_code == 422


def test_a_release_becomes_public_and_is_queued_with_it(api: Api, portal: str) -> None:
    then = [{"publish": {"portal": portal}}]
    job_id = api.upload(policy=table_policy(), about=ABOUT, then=then).json()["job"]["id"]
    release_id = finish(api, job_id)
    with api.client(None) as anybody:
        assert anybody.get(f"/v1/releases/{release_id}").json()["audience"] == "public"
        assert release_id in anybody.get("/v1/catalog").text
    with api.client() as steward, api.client("auditor") as auditor:
        [item] = steward.get(f"/v1/releases/{release_id}/publications").json()["items"]
        events = auditor.get("/v1/audit-events").json()["items"]
    assert (item["portal"], item["state"], item["mode"]) == (portal, "queued", "link")
    actions = {event["action"] for event in events if event["subject"] == release_id}
    assert {"release.audience", "publication.create"} <= actions


def test_a_card_that_is_no_longer_complete_keeps_the_release_to_its_tenant(api: Api, portal: str) -> None:
    with api.client("steward", "forgetful") as steward, api.client("admin", "forgetful") as admin:
        body = {"kind": "ckan", "name": "p", "url": "http://127.0.0.1:9", "token": "secret"}
        own = admin.post("/v1/portals", json=body).json()["id"]
        assert steward.put("/v1/catalog/about", json=ABOUT).status_code == 200
        then = [{"publish": {"portal": own}}]
        job_id = api.upload(policy=table_policy(), then=then, tenant="forgetful").json()["job"]["id"]
        assert steward.put("/v1/catalog/about", json={"title": "nothing else"}).status_code == 200
        release_id = finish(api, job_id)
        assert steward.get(f"/v1/releases/{release_id}").json()["audience"] == "tenant"
        [item] = steward.get(f"/v1/releases/{release_id}/publications").json()["items"]
    assert (item["state"], item["reason"]) == ("failed", followups.INCOMPLETE)


@pytest.mark.usefixtures("courier")
def test_a_webhook_that_a_job_names_hears_of_its_end_whatever_it_asked_for(api: Api, receiver: Receiver) -> None:
    webhook = register(api, receiver.url, "audit.broken")
    dataset_id = api.upload().json()["id"]
    body = {"dataset_id": dataset_id, "policy": table_policy(), "then": [{"webhook": webhook["id"]}]}
    with api.client() as steward:
        job_id = steward.post("/v1/jobs", json=body).json()["id"]
        steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": table_policy()})
        steward.post(f"/v1/jobs/{job_id}/cancel")
    wait_for(lambda: bool(receiver.heard), "the event")
    assert [(each.document["type"], each.document["data"]["job_id"]) for each in receiver.heard] == [
        ("job.cancelled", job_id)
    ]


def test_what_follows_a_job_cannot_be_changed_in_the_database(api: Api, portal: str) -> None:
    then = [{"publish": {"portal": portal}}]
    job_id = api.upload(policy=table_policy(), about=ABOUT, then=then).json()["job"]["id"]
    with api.owner.begin() as connection:
        connection.execute(text('UPDATE jobs SET "then" = NULL WHERE id = :id'), {"id": job_id})
    claimed = api.claim(job_id)
    with pytest.raises(Forged):
        jobs.require_bound(api.release_key, claimed.job)
    assert webhooks_in(None) == []


def finish(api: Api, job_id: str) -> str:
    """Release a job as a worker does, with its follow-ups."""
    claimed, release_id = api.claim(job_id), uuid4()
    with api.worker.begin() as connection:
        audience = followups.audience_of(connection, api.release_key, claimed.job)
        release = api.release_as(connection, claimed, release_id, audience)
        followups.follow(connection, api.release_key, claimed.job, release)
        followups.note(connection, "worker", claimed.job, release)
    return str(release_id)
