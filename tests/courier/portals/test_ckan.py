"""Releases on a CKAN: one package however often they are sent, and nothing left when they are withdrawn."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from courier.portals.portal import Answered, refused
from tests.courier.conftest import Courier, register
from tests.courier.portals.little_ckan import KEY, LittleCkan, little_ckan
from tests.courier.receivers import Receiver
from tests.patience import wait_for
from tests.service.conftest import Api, Published
from tests.service.samples import ABOUT

pytestmark = pytest.mark.usefixtures("courier")
OVER = ("published", "failed", "withdrawn", "could_not_be_removed")


@pytest.fixture
def ckan() -> Iterator[LittleCkan]:
    with little_ckan() as made:
        yield made


def connect(api: Api, portal: LittleCkan, key: str = KEY, **more: Any) -> str:
    body = {"kind": "ckan", "name": "little", "url": portal.url, "token": key, **more}
    with api.client("admin") as admin:
        answer = admin.post("/v1/portals", json=body)
    assert answer.status_code == 201, answer.text
    assert key not in answer.text
    return str(answer.json()["id"])


def public_release(api: Api, **about: Any) -> Published:
    published = api.publish()
    api.open_to_all(published, **about)
    return published


def publish(api: Api, published: Published, portal_id: str, **more: Any) -> dict[str, Any]:
    """Send a release to a portal, and wait for the end."""
    with api.client() as steward:
        body = {"portal": portal_id, **more}
        answer = steward.post(f"/v1/releases/{published.release_id}/publications", json=body)
    assert answer.status_code == 202, answer.text
    return end_of(api, published)


def end_of(api: Api, published: Published) -> dict[str, Any]:
    def found() -> dict[str, Any]:
        with api.client() as steward:
            [item] = steward.get(f"/v1/releases/{published.release_id}/publications").json()["items"]
        return dict(item)

    wait_for(lambda: found()["state"] in OVER, "the end of a publication", pause=0.05)
    return found()


def withdraw(api: Api, published: Published) -> dict[str, Any]:
    with api.client() as steward:
        answer = steward.post(f"/v1/releases/{published.release_id}/withdraw", json={"reason": "test"})
    assert answer.status_code == 200, answer.text
    return end_of(api, published)


def test_sent_twice_it_is_one_package_of_links_that_say_what_protects_people(api: Api, ckan: LittleCkan) -> None:
    published, portal_id = public_release(api), connect(api, ckan, collection="hospital")
    first = publish(api, published, portal_id)
    again = publish(api, published, portal_id)
    assert (first["state"], again["state"]) == ("published", "published"), again
    [package] = ckan.packages.values()
    assert package["name"] == f"antifaz-{published.release_id}"
    assert again["url"] == f"{ckan.url}/dataset/{package['name']}"
    assert (package["title"], package["owner_org"], package["license_id"]) == (ABOUT["title"], "hospital", "cc-by")
    assert "k anonymity" in package["notes"]
    [resource] = package["resources"]
    with api.client(None) as anybody:
        shown = anybody.get(f"/v1/releases/{published.release_id}").json()["artifacts"][0]
        assert anybody.get(resource["url"]).content == published.content
    # The loader wrote its own over ``hash``.
    assert shown["sha256"] in resource["description"]
    assert "guid" not in {extra["key"] for extra in package["extras"]}


def test_a_portal_with_a_schema_gets_its_fields_filled_and_no_extras(api: Api, ckan: LittleCkan) -> None:
    fields = ("title", "notes", "publisher_name", "contact_email", "tag_string", "provenance")
    ckan.fields = {name: [] for name in fields}
    published = public_release(api)
    assert publish(api, published, connect(api, ckan))["state"] == "published"
    [package] = ckan.packages.values()
    assert (package["publisher_name"], package["contact_email"]) == ("Hospital of Nowhere", "data@hospital.example")
    assert package["tag_string"] == "health,patients"
    assert "extras" not in package


def test_fields_that_consist_of_others_are_filled_with_what_they_consist_of(api: Api, ckan: LittleCkan) -> None:
    flat = {"title": [], "notes": [], "identifier": []}
    ckan.fields = {**flat, "contact": ["name", "email"], "publisher": ["name"], "issued": ["moment"]}
    assert publish(api, public_release(api), connect(api, ckan))["state"] == "published"
    [package] = ckan.packages.values()
    assert package["contact"] == [{"name": "Data office", "email": "data@hospital.example"}]
    assert package["publisher"] == [{"name": "Hospital of Nowhere"}]
    assert "identifier" in package
    assert "issued" not in package


def test_a_reason_names_the_fields_of_a_validation_and_nothing_of_a_refused_key() -> None:
    said = {"__type": "Validation Error", "extras": ["There is a schema field with the same name"], "a b": ["?"]}
    assert str(refused("create", Answered(409, None), said)) == "create: the portal answered 409, about extras"
    said = {"__type": "Authorization Error", "message": "Access denied"}
    expected = "create: the portal answered 403: the key does not allow this"
    assert str(refused("create", Answered(403, None), said)) == expected


def test_a_withdrawal_leaves_no_resource_no_package_and_no_rows(api: Api, ckan: LittleCkan) -> None:
    published, portal_id = public_release(api), connect(api, ckan)
    publish(api, published, portal_id)
    assert ckan.rows
    withdrawn = withdraw(api, published)
    assert (withdrawn["state"], withdrawn["reason"]) == ("withdrawn", None)
    assert (ckan.live, ckan.rows) == ([], set())
    with api.client("admin") as admin:
        assert admin.delete(f"/v1/portals/{portal_id}").status_code == 204


def test_what_is_no_longer_public_leaves_the_portals_and_comes_back_as_the_same_package(
    api: Api, ckan: LittleCkan
) -> None:
    published, portal_id = public_release(api), connect(api, ckan)
    publish(api, published, portal_id)
    [package_id] = ckan.packages
    with api.client() as steward:
        steward.post(f"/v1/releases/{published.release_id}/audience", json={"audience": "tenant"})
    wait_for(lambda: end_of(api, published)["state"] == "withdrawn", "the removal")
    assert ckan.live == []
    api.open_to_all(published)
    assert publish(api, published, portal_id)["state"] == "published"
    assert [package["id"] for package in ckan.live] == [package_id]


def test_copies_need_an_acknowledgement_and_are_what_was_verified(api: Api, ckan: LittleCkan) -> None:
    published, portal_id = public_release(api), connect(api, ckan)
    path = f"/v1/releases/{published.release_id}/publications"
    with api.client() as steward:
        refused = steward.post(path, json={"portal": portal_id, "mode": "upload"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/acknowledge_copies"
    for _ in range(2):
        sent = publish(api, published, portal_id, mode="upload", acknowledge_copies=True)
        assert sent["state"] == "published", sent
    [package] = ckan.packages.values()
    assert [ckan.files[resource["id"]] for resource in package["resources"]] == [published.content]
    withdrawn = withdraw(api, published)
    assert withdrawn["state"] == "withdrawn"
    assert "may remain on its disk" in withdrawn["reason"]
    assert (ckan.live, ckan.rows) == ([], set())


def test_a_wrong_key_fails_with_the_reason_and_without_the_key(
    api: Api, ckan: LittleCkan, receiver: Receiver, capfd: pytest.CaptureFixture[str]
) -> None:
    webhook = register(api, receiver.url, "publication.failed")
    wrong = "a-key-that-the-portal-repeats-in-its-answer"
    published = public_release(api)
    failed = publish(api, published, connect(api, ckan, wrong))
    assert (failed["state"], failed["attempts"]) == ("failed", 1)
    assert failed["reason"] == "package_show: the portal answered 403: the key does not allow this"
    wait_for(lambda: bool(receiver.heard), "the event")
    assert receiver.heard[0].document["data"]["release_id"] == published.release_id
    with api.client("admin") as admin:
        told = admin.get("/v1/audit-events").text + admin.get("/v1/portals").text
        told += admin.get(f"/v1/webhooks/{webhook['id']}/deliveries").text
    with api.owner.connect() as connection:
        kept = json.dumps([str(row) for row in connection.execute(text("SELECT * FROM publications, portals"))])
    said = capfd.readouterr()
    assert wrong not in told + kept + said.err + said.out + str([request.body for request in receiver.heard])


def test_a_portal_that_is_away_is_tried_again_and_then_reported(api: Api, ckan: LittleCkan) -> None:
    published, portal_id = public_release(api), connect(api, ckan)
    ckan.receiver.answers = [(503, b""), (500, b"")]
    sent = publish(api, published, portal_id)
    assert (sent["state"], sent["attempts"]) == ("published", 3)
    ckan.receiver.usual = (502, b"")
    withdrawn = withdraw(api, published)
    assert (withdrawn["state"], withdrawn["attempts"]) == ("could_not_be_removed", 6)
    assert withdrawn["reason"] == "package_show: the portal answered 502"
    with api.client("admin") as admin, api.client() as steward:
        assert admin.delete(f"/v1/portals/{portal_id}").status_code == 409
        ckan.receiver.usual = ckan.answer
        assert steward.delete(f"/v1/publications/{withdrawn['id']}").status_code == 202
        assert end_of(api, published)["state"] == "withdrawn"
        assert steward.delete(f"/v1/publications/{withdrawn['id']}").status_code == 409
        assert admin.delete(f"/v1/portals/{portal_id}").status_code == 204


def test_only_what_is_public_is_sent(api: Api, ckan: LittleCkan) -> None:
    published, portal_id = api.publish(), connect(api, ckan)
    path = f"/v1/releases/{published.release_id}/publications"
    with api.client() as steward:
        refused = steward.post(path, json={"portal": portal_id})
        assert refused.status_code == 409
        assert "public first" in refused.json()["detail"]
        unknown = steward.post(path, json={"portal": published.release_id})
    assert unknown.json()["errors"][0]["pointer"] == "/portal"
    assert ckan.packages == {}


def test_a_portal_that_was_changed_in_the_database_gets_no_key(api: Api, ckan: LittleCkan, receiver: Receiver) -> None:
    published, portal_id = public_release(api), connect(api, ckan)
    with api.owner.begin() as connection:
        changed = {"url": receiver.url, "id": portal_id}
        connection.execute(text("UPDATE portals SET url = :url WHERE id = :id"), changed)
    with api.client() as steward:
        answer = steward.post(f"/v1/releases/{published.release_id}/publications", json={"portal": portal_id})
    assert answer.status_code == 500
    assert receiver.heard == []


@pytest.mark.usefixtures("courier")
def test_the_courier_counts_what_it_sent(courier: Courier) -> None:
    from prometheus_client import generate_latest

    told = generate_latest(courier.context.metrics.registry).decode()
    assert 'antifaz_publications_total{outcome="published"}' in told
    assert 'antifaz_deliveries_total{outcome="delivered"}' in told
