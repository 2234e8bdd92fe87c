"""The auditors' query."""

import csv
import io

import pytest

WAIVED = {"waivers": [{"rule": "free_text", "reason": "a test"}]}


@pytest.fixture(scope="module")
def published(api):
    first = [api.publish(tenant="audited", name=f"dataset {number}") for number in range(2)]
    return [*first, api.publish(tenant="audited", report=WAIVED)]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 3),
        ({"method": "mondrian"}, 3),
        ({"method": "datafly"}, 0),
        ({"guarantee": "k_anonymity"}, 3),
        ({"guarantee": "l_diversity"}, 0),
        ({"min_k": 3}, 3),
        ({"min_k": 4}, 0),
        ({"max_k": 3}, 3),
        ({"max_k": 2}, 0),
        ({"max_risk": 0.26}, 3),
        ({"max_risk": 0.24}, 0),
        ({"min_risk": 0.24}, 3),
        ({"min_risk": 0.26}, 0),
        ({"min_risk": 0.2, "max_risk": 0.3}, 3),
        ({"min_risk": 0.5, "question": "attribute"}, 3),
        ({"min_risk": 0.7, "question": "attribute"}, 0),
        ({"max_risk": 0.3, "question": "identity"}, 3),
        ({"max_risk": 1, "question": "membership"}, 0),
        ({"method": ["datafly", "mondrian"]}, 3),
        ({"method": ["datafly", "optimal"]}, 0),
        ({"guarantee": ["l_diversity", "k_anonymity"]}, 3),
        ({"waiver": "free_text"}, 1),
        ({"waiver": "naive"}, 0),
        ({"dataset": "dataset 1"}, 1),
        ({"dataset": "dataset"}, 0),
        ({"until": "2999-01-01"}, 3),
        ({"until": "2001-01-01T00:00:00Z"}, 0),
        ({"since": "2001-01-01", "until": "9999-12-31"}, 3),
        ({"status": "released"}, 3),
        ({"status": "refused"}, 0),
        ({"since": "2001-01-01T00:00:00Z"}, 3),
        ({"since": "0001-01-01T00:00:00Z"}, 3),
        ({"since": "2999-01-01T00:00:00+02:00"}, 0),
        ({"dataset_id": "nonsense"}, 0),
        ({"limit": 2}, 2),
    ],
)
def test_reports_are_found_by_what_they_say(api, published, query, count):
    with api.client("auditor", "audited") as auditor:
        answer = auditor.get("/v1/reports", params=query)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["items"]) == count


def test_one_dataset_has_its_own(api, published):
    with api.client("auditor", "audited") as auditor:
        (item,) = auditor.get("/v1/reports", params={"dataset_id": published[0].dataset_id}).json()["items"]
    assert item["job_id"] == published[0].job_id
    assert item["report"]["policy"]["method"] == {"name": "mondrian"}


def test_a_summary_says_what_was_promised_and_what_the_best_attack_reached(api, published):
    with api.client("auditor", "audited") as auditor:
        newest, *_ = auditor.get("/v1/reports").json()["items"]
    assert newest["promised_risk"] == pytest.approx(1 / 3)
    attack = newest["strongest_attack"]
    assert (attack["name"], attack["rate"], attack["baseline"]) == ("record_linkage", 0.25, 0.02)
    assert attack["knows"] == "the quasi-identifiers of a person"
    assert newest["answers"]["identity"] == attack
    assert newest["answers"]["attribute"]["rate"] == 0.6
    assert newest["answers"]["membership"] is None
    assert newest["waivers"] == ["free_text"]
    assert "risk" not in newest


def test_the_same_as_a_table(api, published):
    with api.client("auditor", "audited") as auditor:
        answer = auditor.get("/v1/reports", params={"format": "csv", "limit": 2})
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        more = auditor.get("/v1/reports", params={"format": "csv", "cursor": answer.headers["X-Next-Cursor"]})
    assert answer.headers["content-type"].startswith("text/csv")
    assert [row["job_id"] for row in rows] == [published[2].job_id, published[1].job_id]
    assert rows[0]["guarantees"] == "k_anonymity"
    assert (rows[0]["attack"], rows[0]["attack_rate"], rows[0]["waivers"]) == ("record_linkage", "0.25", "free_text")
    assert (rows[0]["attribute"], rows[0]["attribute_rate"], rows[0]["membership"]) == ("homogeneity", "0.6", "")
    assert len(more.text.splitlines()) == 2
    assert "X-Next-Cursor" not in more.headers


@pytest.mark.parametrize(
    "query",
    [
        "min_k=0",
        "min_k=99999999999",
        "max_risk=nan",
        "max_risk=2",
        "min_risk=-1",
        "max_k=0",
        "question=why",
        "until=tomorrow",
        "method=mondriaan",
        "guarantee=k_anonimity",
        "guarantee=k_anonymity&guarantee=nonsense",
        "waiver=everything",
        "dataset=",
        "since=yesterday",
        "since=2024-02-30T00:00:00Z",
        "since=2024-01-01T00:00:00",
        "since=0.5",
    ],
)
def test_a_wrong_bound_is_a_422(api, query):
    with api.client("auditor", "audited") as auditor:
        assert auditor.get(f"/v1/reports?{query}").status_code == 422


def test_a_table_is_given_to_a_client_that_accepts_nothing_else(api, published):
    with api.client("auditor", "audited") as auditor:
        assert auditor.get("/v1/reports", headers={"Accept": "text/csv"}).text.startswith("job_id,")
        answer = auditor.get("/v1/reports?method=mondriaan")
    assert "did you mean mondrian?" in answer.json()["detail"]
