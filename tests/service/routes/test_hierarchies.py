"""Hierarchies: only their shape is ever shown."""

import json

import pytest

from service.http.problems import Problem
from service.policies.hierarchy_reader import parsed
from tests.patience import patience
from tests.service.samples import table_policy

ROWS = [["secret-a", "high", "*"], ["secret-b", "high", "*"], ["secret-c", "low", "*"]]


def test_an_uploaded_hierarchy_shows_its_shape_and_no_label(api):
    with api.client() as steward:
        body = {"name": "education", "hierarchy": {"kind": "levels", "rows": ROWS}}
        answer = steward.post("/v1/hierarchies", json=body)
        assert answer.status_code == 201, answer.text
        shown = steward.get(answer.headers["Location"])
    assert shown.json() == answer.json()
    assert shown.json()["shape"] == {"kind": "levels", "levels": 3, "groups": [3, 2, 1]}
    assert shown.json()["status"] == "ready"
    assert "secret" not in shown.text


def test_rows_of_text_are_the_same_hierarchy(api):
    content = "\n".join(";".join(row) for row in ROWS)
    with api.client() as steward:
        headers = {"Content-Type": "text/csv"}
        answer = steward.post("/v1/hierarchies", params={"name": "rows"}, content=content, headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.json()["shape"]["groups"] == [3, 2, 1]


@pytest.mark.parametrize(
    ("content", "row"),
    [(b"canary;*\ncanary\n", 2), (b"", None), (b"\xff;*\n", None), (b'"canary;*\n', None), (b"canary\x00;*\n", None)],
)
def test_wrong_rows_are_refused_without_a_label(api, content, row):
    with api.client() as steward:
        headers = {"Content-Type": "text/csv"}
        answer = steward.post("/v1/hierarchies", params={"name": "rows"}, content=content, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["errors"][0].get("row") == row
    assert "canary" not in answer.text


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"kind": "levels", "rows": [["canary", "a", "*"], ["canary", "b", "*"]]},
        {"kind": "levels", "rows": [["x", "canary", "*"], ["y", "canary", "+"]]},
        {"kind": "canary"},
        {"kind": "levels", "rows": "canary"},
        {},
    ],
)
def test_a_wrong_hierarchy_is_refused_without_a_label(api, hierarchy):
    with api.client() as steward:
        answer = steward.post("/v1/hierarchies", json={"name": "h", "hierarchy": hierarchy})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"].startswith("/hierarchy")
    assert "canary" not in answer.text


@pytest.mark.parametrize(
    ("query", "body", "pointer"),
    [("", {"hierarchy": {}}, "/name"), ("?name=x", {"name": "x", "hierarchy": {}}, "/query/name")],
)
def test_the_name_stands_in_one_place(api, query, body, pointer):
    with api.client() as steward:
        answer = steward.post(f"/v1/hierarchies{query}", json=body)
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_text_needs_a_name_and_other_types_are_refused(api):
    with api.client() as steward:
        answer = steward.post("/v1/hierarchies", content=b"a;*\n", headers={"Content-Type": "text/csv"})
        assert answer.json()["errors"][0]["pointer"] == "/query/name"
        assert steward.post("/v1/hierarchies", content=b"x", headers={"Content-Type": "text/xml"}).status_code == 415


LARGE = [[f"secret {row:06d}", f"group {row // 100}", "*"] for row in range(20_000)]
"""Large enough to be read in a separate process."""


def test_a_large_hierarchy_is_the_same_as_json_and_as_text(api):
    body = {"name": "large", "hierarchy": {"kind": "levels", "rows": LARGE}}
    content = "\n".join(";".join(row) for row in LARGE)
    with api.client() as steward:
        first = steward.post("/v1/hierarchies", json=body, timeout=patience())
        headers = {"Content-Type": "text/csv"}
        second = steward.post(
            "/v1/hierarchies", params={"name": "large"}, content=content, headers=headers, timeout=patience()
        )
    for answer in (first, second):
        assert answer.status_code == 201, answer.text
        assert answer.json()["shape"] == {"kind": "levels", "levels": 3, "groups": [20_000, 200, 1]}
        assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [([*LARGE, LARGE[0]], "/hierarchy/rows"), ([*LARGE, ["secret", "x" * 2_000, "*"]], "/hierarchy/rows")],
)
def test_a_large_hierarchy_that_is_wrong_is_refused_without_a_label(api, changed, pointer):
    with api.client() as steward:
        body = {"name": "large", "hierarchy": {"kind": "levels", "rows": changed}}
        answer = steward.post("/v1/hierarchies", json=body, timeout=patience())
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert "secret" not in answer.text


def test_the_same_hierarchy_is_known_again_however_it_is_written(api):
    """With and without spaces it is read by a thread or by a process; the key knows it all the same."""
    body = {"name": "known", "hierarchy": {"kind": "levels", "rows": LARGE[:1_500]}}
    dense, airy = json.dumps(body, separators=(",", ":")).encode(), json.dumps(body, indent=8).encode()
    assert len(dense) < 1 << 16 < len(airy)
    headers = {"Idempotency-Key": "known", "Content-Type": "application/json"}
    with api.client() as steward:
        answers = [
            steward.post("/v1/hierarchies", content=each, headers=headers, timeout=patience()) for each in (dense, airy)
        ]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()


def test_a_hierarchy_with_too_many_cells_is_refused_by_counting():
    with pytest.raises(Problem) as caught:
        parsed("h", {"kind": "levels", "rows": [["x"] * 1_000] * 1_001})
    assert caught.value.status_code == 413
    assert caught.value.errors[0]["pointer"] == "/hierarchy/rows"


def test_a_hierarchy_can_be_looked_at_over_a_datasets_column(api):
    body = {"dataset_id": api.upload().json()["id"], "column": "zip", "hierarchy": {"kind": "mask"}}
    with api.client() as steward:
        answer = steward.post("/v1/hierarchies/preview", json=body)
        assert answer.status_code == 202, answer.text
        made = steward.get(answer.headers["Location"]).json()
        assert (made["status"], made["name"], made["column"]) == ("generating", "zip", "zip")
        assert steward.post("/v1/hierarchies/preview", json=body | {"column": "salary"}).status_code == 422
        assert steward.post("/v1/hierarchies/preview", json=body | {"hierarchy": {"kind": "maks"}}).status_code == 422
    with api.owner.begin() as connection:
        task = connection.exec_driver_sql("SELECT task FROM jobs WHERE hierarchy_id = %s", (made["id"],)).scalar_one()
        connection.exec_driver_sql("UPDATE hierarchies SET status = 'preview' WHERE id = %s", (made["id"],))
    assert task == "preview"
    with api.client() as steward:
        assert made["id"] not in [item["id"] for item in steward.get("/v1/hierarchies").json()["items"]]
        policy = table_policy()
        policy["attributes"]["zip"] = {"role": "quasi_identifier", "hierarchy": {"id": made["id"]}}
        used = steward.post("/v1/policies/validate", json={"policy": policy})
        assert "the hierarchy is not ready" in used.text


def test_a_hierarchy_can_be_asked_for_from_a_datasets_column(api):
    dataset_id = api.upload().json()["id"]
    body = {"name": "zip", "dataset_id": dataset_id, "column": "zip", "hierarchy": {"kind": "mask"}}
    with api.client() as steward:
        answer = steward.post("/v1/hierarchies/generate", json=body)
        assert answer.status_code == 202, answer.text
        made = steward.get(answer.headers["Location"]).json()
        assert made["status"] == "generating"
        missing = steward.post("/v1/hierarchies/generate", json=body | {"column": "salary"})
        assert missing.json()["errors"][0]["pointer"] == "/column"
        assert steward.post("/v1/hierarchies/generate", json=body | {"dataset_id": "x"}).status_code == 404
        assert made["id"] in [item["id"] for item in steward.get("/v1/hierarchies").json()["items"]]
    with api.owner.connect() as connection:
        task = connection.exec_driver_sql("SELECT task FROM jobs WHERE hierarchy_id = %s", (made["id"],)).scalar_one()
    assert task == "hierarchy"
