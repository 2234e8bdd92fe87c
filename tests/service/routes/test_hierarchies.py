"""Hierarchies: only their shape is ever shown."""

import pytest

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
