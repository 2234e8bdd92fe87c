"""Idempotency keys."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from service.access import idempotency
from storage.settings import Settings
from storage.tenancy import idempotency as stored_answers
from tests.service.samples import TABLE, table_policy


def test_the_same_upload_with_the_same_key_answers_the_first_result_again(api):
    key = {"Idempotency-Key": str(uuid4())}
    first = api.upload(policy=table_policy(), headers=key)
    before = api.count("datasets")
    again = api.upload(policy=table_policy(), headers=key)
    assert first.status_code == again.status_code == 202
    assert again.json() == first.json()
    assert again.headers["Location"] == first.headers["Location"]
    assert api.count("datasets") == before


def test_equality_is_that_of_the_decoded_parts(api):
    key = {"Idempotency-Key": str(uuid4())}
    first = api.upload(headers=key)
    spaced = json.dumps({"kind": "table", "name": "test"}, indent=4)
    again = api.upload(headers=key, parts=[("metadata", (None, spaced)), ("file", ("other.csv", TABLE))])
    assert again.json() == first.json()


def test_the_order_of_the_parts_makes_no_difference_and_the_policy_does(api):
    key, about = {"Idempotency-Key": str(uuid4())}, ("metadata", (None, json.dumps({"name": "test", "kind": "table"})))
    policy, file = ("policy", (None, json.dumps(table_policy()))), ("file", ("upload.csv", TABLE))
    first = api.upload(headers=key, parts=[about, file, policy])
    assert first.status_code == 202, first.text
    assert api.upload(headers=key, parts=[about, policy, file]).json() == first.json()
    assert api.upload(headers=key, parts=[about, file, policy]).json() == first.json()
    other = ("policy", (None, json.dumps(table_policy(formats=["csv"]))))
    for form in ([about, file, other], [about, other, file], [about, file]):
        assert api.upload(headers=key, parts=form).json()["type"].endswith("key-reused")


def test_the_same_key_with_other_content_is_a_422(api):
    key = {"Idempotency-Key": str(uuid4())}
    assert api.upload(headers=key).status_code == 201
    for other in (api.upload(TABLE + b"x,1,2,3\n", headers=key), api.upload(headers=key, name="other")):
        assert other.status_code == 422
        assert other.json()["type"].endswith("key-reused")
    with api.client() as steward:
        body = {"name": "p", "policy": table_policy()}
        assert steward.post("/v1/policies", json=body, headers=key).status_code == 422


def test_a_refused_upload_does_not_use_up_its_key(api):
    key = {"Idempotency-Key": str(uuid4())}
    assert api.upload(b"", headers=key).status_code == 422
    assert api.upload(headers=key).status_code == 201


def test_while_the_first_is_being_stored_the_second_is_told_to_wait(api):
    key = str(uuid4())
    with api.owner.begin() as connection:
        tenant = connection.execute(text("SELECT id FROM tenants WHERE name = 'default'")).scalar_one()
        name = f"idempotency/{tenant}/{key}"
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
        answer = api.upload(headers={"Idempotency-Key": key})
        assert answer.status_code == 409
        assert answer.headers["Retry-After"] == "1"
    assert api.upload(headers={"Idempotency-Key": key}).status_code == 201


def test_many_at_once_create_one(api):
    key = {"Idempotency-Key": str(uuid4())}
    before = api.count("datasets")
    # As many as one tenant may upload at one time: a fifth could be turned away with 503 before its key is seen.
    with ThreadPoolExecutor(Settings.model_fields["tenant_uploads_at_once"].default) as pool:
        answers = list(pool.map(lambda _: api.upload(headers=key), range(8)))
    # One tenant has fewer places for uploads than that: requests that find none must be retried.
    assert {answer.status_code for answer in answers} <= {201, 409, 503}
    assert all("Retry-After" in answer.headers for answer in answers if answer.status_code != 201)
    answers.append(api.upload(headers=key))
    assert answers[-1].status_code == 201
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1
    assert api.count("datasets") == before + 1


def test_a_key_belongs_to_its_tenant(api):
    key = {"Idempotency-Key": str(uuid4())}
    mine = api.upload(headers=key)
    theirs = api.upload(headers=key, tenant="other")
    assert mine.status_code == theirs.status_code == 201
    assert mine.json()["id"] != theirs.json()["id"]


SHOWN_ONCE = {
    "/v1/tokens": ({"name": "a", "role": "auditor"}, ("token",)),
    "/v1/tenants": ({"name": "told once"}, ("token", "token")),
    "/v1/webhooks": ({"url": "http://127.0.0.1:9", "events": ["job.released"]}, ("secret",)),
}
"""What is created with a secret, and where the response shows it."""


@pytest.mark.parametrize("path", sorted(SHOWN_ONCE))
def test_a_secret_is_shown_once_and_neither_stored_nor_repeated_for_the_same_key(api, path):
    body, place = SHOWN_ONCE[path]
    key = {"Idempotency-Key": str(uuid4())}
    with api.client("admin") as admin:
        first, *later = (admin.post(path, json=body, headers=key) for _ in range(3))
    shown = first.json()
    secret = secret_at(shown, place)
    assert isinstance(secret, str)
    for again in later:
        assert again.status_code == first.status_code == 201
        assert secret_at(again.json(), place) is None
        assert secret not in again.text
        assert without(again.json(), place) == without(shown, place)
    with api.owner.connect() as connection:
        stored = connection.execute(
            text("SELECT body FROM idempotency WHERE key = :key"), {"key": key["Idempotency-Key"]}
        )
        kept = stored.scalar_one()
    assert kept == again.json()


def test_every_response_with_a_secret_is_tried_above():
    made = Path(idempotency.__file__).parents[1].rglob("*.py")
    used = sum(source.read_text().count("Secret(text") for source in made)
    assert used == len(SHOWN_ONCE)


def test_a_secret_that_was_sealed_by_an_earlier_version_is_not_shown(api):
    key = {"Idempotency-Key": str(uuid4())}
    with api.client("admin") as admin:
        made = admin.post("/v1/tokens", json={"name": "a", "role": "auditor"}, headers=key).json()
        tenant = UUID(admin.get("/v1/me").json()["tenant"]["id"])
        with api.owner.begin() as connection:
            found = stored_answers.recall(connection, api.release_key, tenant, key["Idempotency-Key"])
            connection.execute(text("DELETE FROM idempotency WHERE key = :key"), {"key": key["Idempotency-Key"]})
            older = {**found.body, "sealed_secret": {"owner": made["id"], "text": "00", "path": ["token"]}}
            answer = (found.fingerprint, found.status, found.headers, older)
            stored_answers.remember(connection, api.release_key, tenant, key["Idempotency-Key"], *answer)
        again = admin.post("/v1/tokens", json={"name": "a", "role": "auditor"}, headers=key)
    assert again.json() == made | {"token": None}


def secret_at(body, place):
    for step in place:
        body = body[step]
    return body


def without(body, place):
    """The body without the member at that place."""
    first, *rest = place
    return {**body, first: without(body[first], rest) if rest else None}


def test_jobs_policies_and_hierarchies_are_created_once(api):
    dataset_id = api.upload().json()["id"]
    rows = [["a", "*"], ["b", "*"]]
    bodies = {
        "/v1/jobs": {"dataset_id": dataset_id, "policy": table_policy()},
        "/v1/policies": {"name": "p", "policy": table_policy()},
        "/v1/hierarchies": {"name": "h", "hierarchy": {"kind": "levels", "rows": rows}},
    }
    with api.client() as steward:
        for path, body in bodies.items():
            key = {"Idempotency-Key": str(uuid4())}
            first, again = (steward.post(path, json=body, headers=key) for _ in range(2))
            assert first.status_code in (201, 202), first.text
            assert again.json() == first.json()


def test_a_key_that_cannot_be_one_is_refused(api):
    assert api.upload(headers={"Idempotency-Key": "x" * 256}).status_code == 422
    assert api.upload(headers={"Idempotency-Key": ""}).status_code == 422


def test_equal_bodies_of_two_operations_are_two_requests(api):
    tenant_id, parts = uuid4(), {"body": b"{}"}
    marks = {idempotency.fingerprint(api, tenant_id, operation, parts) for operation in ("create_token", "create_job")}
    assert len(marks) == 2
