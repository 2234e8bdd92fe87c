"""Releases: bytes, ranges, reports, withdrawal."""

import hashlib

import httpx
import pytest
from sqlalchemy import text

from storage.blobs.blobs import CHUNK_BYTES
from storage.releases import releases


@pytest.fixture(scope="module")
def published(api):
    return api.publish(b"age,zip\n" + b"20,08000\n" * ((2 * CHUNK_BYTES + 1000) // 9))


def data(api, published, role="consumer", method="GET", **headers) -> httpx.Response:
    with api.client(role) as client:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.request(method, f"/v1/releases/{published.release_id}/data", headers=named)


def test_the_bytes_served_are_those_whose_hash_is_stated(api, published):
    answer = data(api, published)
    assert answer.status_code == 200
    assert answer.content == published.content
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-length"] == str(len(published.content))
    assert answer.headers["ETag"] == f'"{hashlib.sha256(answer.content).hexdigest()}"'
    assert answer.headers["Content-Disposition"] == 'attachment; filename="test-table.csv"'
    with api.client("consumer") as consumer:
        (artifact,) = consumer.get(f"/v1/releases/{published.release_id}").json()["artifacts"]
    digest = hashlib.sha256(answer.content).hexdigest()
    href = f"{api.address}/v1/releases/{published.release_id}/data?format=csv&part=table"
    size = len(published.content)
    assert artifact == {"format": "csv", "part": "table", "sha256": digest, "bytes": size, "href": href}


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, 1),
        (10, 100),
        (CHUNK_BYTES - 1, CHUNK_BYTES + 1),
        (CHUNK_BYTES, 2 * CHUNK_BYTES),
        (5, 2 * CHUNK_BYTES + 5),
    ],
)
def test_a_range_is_exactly_its_bytes(api, published, start, stop):
    answer = data(api, published, Range=f"bytes={start}-{stop - 1}")
    assert answer.status_code == 206
    assert answer.content == published.content[start:stop]
    assert answer.headers["Content-Range"] == f"bytes {start}-{stop - 1}/{len(published.content)}"


def test_the_last_bytes_and_an_impossible_range(api, published):
    assert data(api, published, Range="bytes=-7").content == published.content[-7:]
    answer = data(api, published, Range=f"bytes={len(published.content)}-")
    assert answer.status_code == 416
    assert answer.headers["Content-Range"] == f"bytes */{len(published.content)}"


def test_if_range_and_if_none_match_follow_the_etag(api, published):
    etag = f'"{hashlib.sha256(published.content).hexdigest()}"'
    assert data(api, published, Range="bytes=0-9", If_Range=etag).status_code == 206
    assert data(api, published, Range="bytes=0-9", If_Range='"other"').status_code == 200
    unchanged = data(api, published, If_None_Match=f'"x", {etag}')
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_head_has_the_headers_and_no_body(api, published):
    answer = data(api, published, method="HEAD")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(published.content))


@pytest.mark.parametrize(("query", "status"), [("format=parquet", 404), ("part=nodes", 404), ("format=A", 422)])
def test_another_format_or_part_is_not_there(api, published, query, status):
    with api.client("consumer") as consumer:
        answer = consumer.get(f"/v1/releases/{published.release_id}/data?{query}")
    assert answer.status_code == status


def test_a_chunk_that_was_changed_is_never_served(api):
    changed = api.publish(b"age\n" + b"20\n" * CHUNK_BYTES)
    with api.owner.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE release_chunks SET content = set_byte(content, 9, get_byte(content, 9) # 1) "
            "WHERE number = 2 AND blob_id = (SELECT blob_id FROM artifacts WHERE release_id = %s)",
            (changed.release_id,),
        )
    with pytest.raises(httpx.RemoteProtocolError):
        data(api, changed)
    answer = data(api, changed, Range=f"bytes={2 * CHUNK_BYTES}-")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert data(api, changed, Range="bytes=0-99").content == changed.content[:100]


def test_a_withdrawn_release_is_gone_but_its_report_stays(api):
    published = api.publish()
    path = f"/v1/releases/{published.release_id}"
    with api.client() as steward:
        assert steward.post(f"{path}/withdraw", json={}).status_code == 422
        withdrawn = steward.post(f"{path}/withdraw", json={"reason": "a mistake"}).json()
        assert withdrawn["withdrawn_reason"] == "a mistake"
        assert withdrawn["withdrawn_at"] is not None
        assert steward.post(f"{path}/withdraw", json={"reason": "again"}).status_code == 409
    with api.client("consumer") as consumer:
        answer = consumer.get(f"{path}/data")
        assert answer.status_code == 410
        assert answer.headers["content-type"] == "application/problem+json"
        assert consumer.get(f"{path}/report").status_code == 200


def test_the_bytes_of_a_withdrawn_release_can_be_destroyed(api):
    published = api.publish()
    path = f"/v1/releases/{published.release_id}"
    with api.client() as steward:
        early = steward.delete(f"{path}/data")
        assert early.status_code == 409
        assert data(api, published).status_code == 200
        assert steward.post(f"{path}/withdraw", json={"reason": "a mistake"}).json()["destroyed_at"] is None
        destroyed = steward.delete(f"{path}/data")
        assert destroyed.status_code == 202
        assert destroyed.json()["destroyed_at"] is not None
        assert steward.delete(f"{path}/data").json() == destroyed.json()
    with api.worker.begin() as connection:
        assert releases.destroy_marked(connection) == 1
    with api.owner.connect() as connection:
        left = text("SELECT count(*) FROM release_chunks JOIN artifacts USING (blob_id) WHERE release_id = :id")
        assert connection.execute(left, {"id": published.release_id}).scalar_one() == 0
    with api.client("consumer") as consumer:
        assert consumer.get(f"{path}/data").status_code == 410
        assert consumer.get(f"{path}/report").status_code == 200
        assert consumer.get(path).json()["artifacts"][0]["bytes"] == len(published.content)
    with api.client("auditor") as auditor:
        events = auditor.get("/v1/audit-events", params={"action": "release.destroy"}).json()["items"]
    assert [event["subject"] for event in events] == [published.release_id]
    assert events[0]["details"] == {"bytes": len(published.content)}


def test_only_a_steward_of_the_tenant_destroys_a_release(api):
    published = api.publish()
    path = f"/v1/releases/{published.release_id}"
    with api.client() as steward:
        steward.post(f"{path}/withdraw", json={"reason": "a mistake"})
    for role in ("consumer", "auditor"):
        with api.client(role) as client:
            assert client.delete(f"{path}/data").status_code == 403
    with api.client("steward", "stranger") as stranger:
        assert stranger.delete(f"{path}/data").status_code == 404
    with api.client() as steward:
        assert steward.get(path).json()["destroyed_at"] is None


def test_each_role_sees_its_view_of_the_report(api, published):
    path = f"/v1/releases/{published.release_id}"
    with api.client("consumer") as consumer, api.client("auditor") as auditor, api.client() as steward:
        public, full = consumer.get(f"{path}/report").json(), auditor.get(f"{path}/report").json()
        assert full == steward.get(f"{path}/report").json()
        assert "risk" not in public
        assert full["risk"]["before"] == {"uniques": 41}
        page = consumer.get(f"{path}/report.html")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "uniques" not in page.text


def test_of_a_differentially_private_job_only_the_steward_sees_the_figures(api):
    published = api.publish(private=True)
    path = f"/v1/jobs/{published.job_id}/report"
    with api.client("auditor") as auditor, api.client() as steward:
        assert "risk" not in auditor.get(path).json()
        assert steward.get(path).json()["risk"]["private"] is False
        assert "uniques" not in auditor.get(f"/v1/releases/{published.release_id}/report.html").text
        found = auditor.get("/v1/reports", params={"dataset_id": published.dataset_id}).json()["items"]
        assert found[0]["strongest_attack"] is None
        bounded = {"dataset_id": published.dataset_id, "min_risk": 0.1}
        assert auditor.get("/v1/reports", params=bounded).json()["items"] == []
        assert len(steward.get("/v1/reports", params=bounded).json()["items"]) == 1


def test_releases_are_listed(api, published):
    with api.client("consumer") as consumer:
        items = consumer.get("/v1/releases", params={"limit": 200}).json()["items"]
    mine = next(item for item in items if item["id"] == published.release_id)
    assert [column["name"] for column in mine["columns"]] == ["age", "zip"]
    assert mine["audience"] == "tenant"


def test_bytes_are_served_as_bytes_to_who_accepts_nothing_else(api):
    release_id = api.publish().release_id
    with api.client("consumer") as consumer:
        plain = consumer.get(f"/v1/releases/{release_id}/data", headers={"Accept": "application/octet-stream"})
        usual = consumer.get(f"/v1/releases/{release_id}/data")
    assert plain.headers["content-type"] == "application/octet-stream"
    assert usual.headers["content-type"].startswith("text/csv")
    assert plain.content == usual.content
