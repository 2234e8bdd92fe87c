"""Known files: the same bytes in a tenant are recognized, for any sender and any number of times."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.samples import table_policy


@pytest.fixture(scope="module")
def strict(make_api):
    """An API that recognizes files, as it does by default."""
    return make_api(recognize_files=True)


def _refused(answer, dataset_id: str) -> None:
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:antifaz:problem:known-file"
    assert answer.json()["dataset_id"] == dataset_id


def test_the_same_file_again_is_refused_and_names_the_dataset(strict):
    first = strict.upload(tenant="again").json()["id"]
    before = strict.count("datasets"), strict.count("original_chunks")
    _refused(strict.upload(tenant="again", name="other"), first)
    _refused(strict.upload(tenant="again", policy=table_policy()), first)
    assert (strict.count("datasets"), strict.count("original_chunks")) == before


def test_a_newer_version_may_have_the_same_file(strict):
    first = strict.upload(tenant="versions").json()["id"]
    second = strict.upload(tenant="versions", supersedes=first)
    assert second.status_code == 201
    assert second.json()["unrelated_to"] is None


def test_superseding_something_else_does_not_hide_the_file(strict):
    first = strict.upload(tenant="elsewhere").json()["id"]
    other = strict.upload(tenant="elsewhere", content=b"name,age,zip\nx,1,2\n").json()["id"]
    _refused(strict.upload(tenant="elsewhere", supersedes=other), first)


def test_an_unrelated_upload_is_accepted_audited_and_shown(strict):
    first = strict.upload(tenant="unrelated").json()["id"]
    second = strict.upload(tenant="unrelated", unrelated=True)
    assert second.status_code == 201
    assert second.json()["unrelated_to"] == first
    with strict.client("auditor", "unrelated") as auditor:
        events = auditor.get("/v1/audit-events", params={"action": "dataset.upload"}).json()["items"]
    assert [event["details"].get("unrelated_to") for event in events if event["subject"] == second.json()["id"]] == [
        first
    ]


def test_another_tenants_file_is_not_recognized(strict):
    strict.upload(tenant="here")
    assert strict.upload(tenant="there").status_code == 201


def test_a_deleted_dataset_without_a_release_is_forgotten(strict):
    first = strict.upload(tenant="deleted").json()["id"]
    with strict.client("steward", "deleted") as steward:
        assert steward.delete(f"/v1/datasets/{first}").status_code == 204
    assert strict.upload(tenant="deleted").status_code == 201


def test_of_the_same_file_sent_twice_at_once_one_is_stored(strict):
    strict.token("steward", "at-once")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: strict.upload(tenant="at-once").status_code, range(4)))
    assert sorted(answers) == [201, 409, 409, 409]


def test_digests_are_shown_to_nobody(strict):
    dataset = strict.upload(tenant="digests").json()
    assert "digest" not in dataset
