"""Cards: versions, defaults, and what a release must state before it is public."""

import json

import pytest

from tests.service.samples import ABOUT


def card_of(api, published, tenant="default"):
    with api.client("steward", tenant) as steward:
        return steward.get(f"/v1/releases/{published.release_id}/about").json()


def put(api, path, about, tenant="default"):
    with api.client("steward", tenant) as steward:
        return steward.put(path, json=about)


def test_a_release_without_a_card_is_not_made_public_and_what_it_lacks_is_named(api):
    path = f"/v1/releases/{api.publish(tenant='bare').release_id}"
    with api.client("steward", "bare") as steward:
        answer = steward.post(f"{path}/audience", json={"audience": "public"})
        assert answer.status_code == 422
        assert answer.json()["type"] == "urn:antifaz:problem:incomplete-card"
        named = [error["pointer"] for error in answer.json()["errors"]]
        assert named == [f"/about/{name}" for name in ("title", "description", "license", "publisher", "contact")]
        assert steward.get(path).json()["audience"] == "tenant"
    with api.client(None) as nobody:
        assert nobody.get(path).status_code == 404


@pytest.mark.parametrize("name", ["title", "description", "license", "publisher", "contact"])
def test_each_of_the_five_is_needed(api, name):
    path = f"/v1/releases/{api.publish().release_id}"
    assert put(api, f"{path}/about", {key: ABOUT[key] for key in ABOUT if key != name}).json()["missing"] == [name]
    with api.client() as steward:
        answer = steward.post(f"{path}/audience", json={"audience": "public"})
        assert [error["pointer"] for error in answer.json()["errors"]] == [f"/about/{name}"]
        assert steward.put(f"{path}/about", json=ABOUT).status_code == 200
        assert steward.post(f"{path}/audience", json={"audience": "public"}).status_code == 200


def test_a_public_release_keeps_what_it_must_say(api):
    published = api.publish()
    api.open_to_all(published)
    path = f"/v1/releases/{published.release_id}/about"
    assert put(api, path, {"title": "only this"}).status_code == 422
    assert card_of(api, published)["about"] == ABOUT
    assert put(api, path, ABOUT | {"title": "Another"}).status_code == 200


def test_what_an_upload_says_is_the_card_until_the_release_has_its_own(api):
    published = api.publish(about=ABOUT)
    assert card_of(api, published) == {"about": ABOUT, "version": 0, "missing": []}
    put(api, f"/v1/releases/{published.release_id}/about", {"title": "mine"})
    assert card_of(api, published)["about"] == {"title": "mine"}
    assert card_of(api, published)["version"] == 1


def test_where_a_card_says_nothing_the_tenant_speaks(api):
    published = api.publish(tenant="speaking")
    defaults = {name: ABOUT[name] for name in ("license", "publisher", "contact")}
    assert put(api, "/v1/catalog/about", defaults, "speaking").json()["version"] == 1
    own = {"title": "mine", "description": ABOUT["description"], "license": "CC0-1.0"}
    answer = put(api, f"/v1/releases/{published.release_id}/about", own, "speaking").json()
    assert answer["about"] == defaults | own
    assert answer["missing"] == []
    with api.client("steward", "speaking") as steward:
        assert steward.get("/v1/catalog/about").json()["about"] == defaults
        release = f"/v1/releases/{published.release_id}"
        assert steward.post(f"{release}/audience", json={"audience": "public"}).status_code == 200
    refused = put(api, "/v1/catalog/about", {"license": "CC0-1.0"}, "speaking")
    assert refused.status_code == 409
    assert "publisher" in refused.json()["detail"]
    with api.client("steward", "speaking") as steward:
        assert steward.get("/v1/catalog/about").json() == {
            "about": defaults,
            "version": 1,
            "missing": ["title", "description"],
        }


def test_every_version_is_in_the_trail_with_its_number_and_its_fields(api):
    published = api.publish(tenant="versions")
    path = f"/v1/releases/{published.release_id}/about"
    for title in ("one", "two"):
        put(api, path, {"title": title, "keywords": ["x"]}, "versions")
    with api.client("auditor", "versions") as auditor:
        events = auditor.get("/v1/audit-events", params={"action": "release.about"}).json()["items"]
    assert [event["details"] for event in events] == [
        {"version": number, "fields": ["keywords", "title"]} for number in (2, 1)
    ]
    assert {event["subject"] for event in events} == {published.release_id}


@pytest.mark.parametrize(
    ("about", "pointer"),
    [
        ({"license": "CC BY 4.0"}, "/license"),
        ({"license": "CC-BY-99.0"}, "/license"),
        ({"description": "short"}, "/description"),
        ({"themes": ["FUN"]}, "/themes/0"),
        ({"publisher": {"url": "https://x.example"}}, "/publisher/name"),
        ({"publisher": {"name": "x", "url": "javascript:alert(1)"}}, "/publisher/url"),
        ({"publisher": {"name": "x", "url": 'https://x.example/">'}}, "/publisher/url"),
        ({"contact": {"email": "nobody"}}, "/contact/email"),
        ({"contact": {"email": "a@b.example\nX: y"}}, "/contact/email"),
        ({"doi": "doi:10.1/x"}, "/doi"),
        ({"title": "a\u0007b"}, "/title"),
        ({"temporal": {"start": "yesterday"}}, "/temporal/start"),
        ({"seed": 1}, "/seed"),
    ],
)
def test_a_card_that_portals_could_not_read_is_refused_with_its_place(api, about, pointer):
    path = f"/v1/releases/{api.publish().release_id}/about"
    answer = put(api, path, about)
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    upload = api.upload(about=about)
    assert upload.status_code == 422
    assert [error["pointer"] for error in upload.json()["errors"]] == [f"/metadata/about{pointer}"]
    assert "javascript" not in json.dumps(answer.json()) + upload.text


def test_a_card_that_was_changed_in_the_database_is_shown_to_nobody(api):
    published = api.publish()
    api.open_to_all(published)
    with api.owner.begin() as connection:
        connection.exec_driver_sql(
            'UPDATE cards SET content = content || \'{"title": "forged"}\' WHERE subject = %s', (published.release_id,)
        )
    with api.client(None) as nobody:
        assert nobody.get(f"/v1/releases/{published.release_id}").status_code == 500
        assert nobody.get(f"/v1/releases/{published.release_id}/metadata").status_code == 500
    with api.owner.begin() as connection:
        connection.exec_driver_sql("DELETE FROM cards WHERE subject = %s", (published.release_id,))
