"""Datasets: metadata and deletion."""

import pytest

from storage.blobs.originals import read_original
from storage.crypto.keys import load_private_key
from storage.errors import Shredded
from tests.service.samples import table_policy


def test_a_deleted_original_can_never_be_read_again_and_its_release_stays(api):
    published = api.publish()
    private = load_private_key(api.settings.worker_public_key_file.with_name("worker.key"))
    with api.owner.connect() as connection:
        tenant_id, blob_id = connection.exec_driver_sql(
            "SELECT tenant_id, blob_id FROM datasets WHERE id = %s", (published.dataset_id,)
        ).one()
        chunks = connection.exec_driver_sql("SELECT * FROM original_chunks WHERE blob_id = %s", (blob_id,)).all()
    with api.client() as steward:
        assert steward.delete(f"/v1/datasets/{published.dataset_id}").status_code == 204
        assert steward.get(f"/v1/datasets/{published.dataset_id}").status_code == 404
        assert steward.delete(f"/v1/datasets/{published.dataset_id}").status_code == 404
        assert steward.get(f"/v1/releases/{published.release_id}/data").content == published.content
        assert steward.get(f"/v1/releases/{published.release_id}/report").status_code == 200
        body = {"dataset_id": published.dataset_id, "policy": table_policy()}
        assert steward.post("/v1/jobs", json=body).status_code == 404
    with api.owner.begin() as connection:
        left = connection.exec_driver_sql("SELECT count(*) FROM original_chunks WHERE blob_id = %s", (blob_id,))
        assert left.scalar_one() == 0
        for row in chunks:
            connection.exec_driver_sql("INSERT INTO original_chunks VALUES (%s, %s, %s)", tuple(row))
    with (
        api.worker.connect() as connection,
        api.worker_keyring.connect() as keyring,
        pytest.raises(Shredded),
    ):
        list(read_original(connection, keyring, private, tenant_id, blob_id))


def test_deleting_cancels_what_still_runs(api):
    answer = api.upload(policy=table_policy()).json()
    with api.client() as steward:
        assert steward.delete(f"/v1/datasets/{answer['dataset']['id']}").status_code == 204
        assert steward.get(f"/v1/jobs/{answer['job']['id']}").json()["status"] == "cancelled"
    with api.client("auditor") as auditor:
        told = auditor.get("/v1/audit-events", params={"action": "job.cancel"}).json()["items"]
    assert [event["subject"] for event in told] == [answer["job"]["id"]]
    assert told[0]["details"] == {"dataset": answer["dataset"]["id"]}


def test_lists_are_paged_newest_first(api):
    made = [api.upload(name=f"n{number}", tenant="pager").json()["id"] for number in range(5)]
    with api.client("steward", "pager") as steward:
        found, cursor = [], None
        while True:
            page = steward.get("/v1/datasets", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
            found += [item["id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
    assert found == made[::-1]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=x", "cursor=%00", "cursor=abc", "unknown=1", "limit=10&limti=2"],
)
def test_a_wrong_query_is_a_422(api, query):
    with api.client() as steward:
        answer = steward.get(f"/v1/datasets?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith("/query")


def test_an_auditor_sees_the_metadata_and_no_value(api):
    dataset = api.upload().json()
    with api.client("auditor") as auditor:
        seen = auditor.get(f"/v1/datasets/{dataset['id']}")
    assert seen.json() == dataset
    assert "person" not in seen.text
