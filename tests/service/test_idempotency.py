"""Idempotency keys."""

import json
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from sqlalchemy import text

from storage.settings import Settings
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


def test_a_token_made_with_a_key_is_shown_again_but_not_stored_in_clear(api):
    key = {"Idempotency-Key": str(uuid4())}
    with api.client("admin") as admin:
        first = admin.post("/v1/tokens", json={"name": "a", "role": "auditor"}, headers=key)
        again = admin.post("/v1/tokens", json={"name": "a", "role": "auditor"}, headers=key)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    with api.owner.connect() as connection:
        stored = connection.execute(text("SELECT string_agg(body::text, '') FROM idempotency")).scalar_one()
    assert first.json()["token"] not in stored
    assert first.json()["id"] in stored


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
