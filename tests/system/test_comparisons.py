"""Comparisons through the API: many policies on one dataset, a table of figures, then one of them released."""

import csv
import io
from typing import Any

import httpx
import pytest

from tests.patience import wait_for
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy
from tests.system.test_trials import files_of_releases, stored


def asked(stack: Stack, **body: Any) -> httpx.Response:
    with stack.client() as steward:
        return steward.post("/v1/comparisons", json=body)


def compared(stack: Stack, **body: Any) -> dict[str, Any]:
    """A finished comparison."""
    answer = asked(stack, **body)
    assert answer.status_code == 202, answer.text
    with stack.client("auditor") as auditor:

        def look() -> dict[str, Any]:
            return dict(auditor.get(answer.headers["Location"]).json())

        wait_for(lambda: look()["finished_at"] is not None, "the comparison's end")
        return look()


GRID = {"/guarantees/0/k": [2, 5, 12], "/method/cut": ["range", "loss"]}


def test_a_grid_ends_in_one_table_and_one_plot_and_one_policy_is_released(stack: Stack) -> None:
    dataset_id, before = stored(stack, patients(120)), files_of_releases(stack)
    found = compared(stack, dataset_id=dataset_id, policy=table_policy(2, None), vary=GRID, repeats=2)
    assert (found["status"], found["progress"], len(found["rows"])) == ("assessed", 1.0, 6)
    assert files_of_releases(stack) == before
    by_name = {row["name"]: row for row in found["rows"]}
    assert set(by_name) == {f"k={k}, cut={cut}" for k in (2, 5, 12) for cut in ("range", "loss")}
    for row in found["rows"]:
        assert (row["runs"], row["refused"], row["refusals"]) == (2, 0, [])
        assert row["figures"]["ncp"]["standard_error"] is not None
        k = int(row["settings"]["/guarantees/0/k"])
        assert row["answers"]["identity"]["highest"] <= 1 / k
        assert row["risk"] == row["answers"]["identity"]["rate"] <= 1 / k
        assert row["answers"]["membership"] is None
    for cut in ("range", "loss"):
        losses = [by_name[f"k={k}, cut={cut}"]["loss"] for k in (2, 5, 12)]
        assert losses == sorted(losses)
    assert not all(row["dominated"] for row in found["rows"])

    with stack.client("auditor") as auditor:
        place = f"/v1/comparisons/{found['id']}"
        lines = list(csv.DictReader(io.StringIO(auditor.get(place, params={"format": "csv"}).text)))
        assert [line["name"] for line in lines] == [row["name"] for row in found["rows"]]
        assert {line["/guarantees/0/k"] for line in lines} == {"2", "5", "12"}
        drawing = auditor.get(f"{place}/plot.svg")
        assert drawing.headers["content-type"].startswith("image/svg+xml")
        assert drawing.text.count("<circle") == 6
        assert "what do they have" in auditor.get(f"{place}/plot.svg", params={"question": "attribute"}).text
        assert auditor.get(f"{place}/plot.svg", params={"question": "why"}).status_code == 422
        page = auditor.get(f"{place}/report.html")
        assert "k=12, cut=loss" in page.text

    with stack.client() as steward:
        answer = steward.post(f"{place}/release", json={"name": "k=5, cut=loss"})
        assert answer.status_code == 202, answer.text
        job = stack.finish(answer.json()["id"])
        assert job["status"] == "released"
        release = steward.get(f"/v1/releases/{job['release_id']}").json()
        assert release["guarantees"][0]["required"] == {"k": 5}
        unknown = steward.post(f"{place}/release", json={"name": "k=7"})
        assert unknown.status_code == 422


def test_policies_that_are_listed_are_compared_and_refusals_are_counted(stack: Stack) -> None:
    dataset_id = stored(stack, patients(60))
    policies = [
        {"name": "<b>plain</b>", "policy": table_policy(3, None)},
        {"name": "gated", "policy": table_policy(3, None, gate={"max_loss": 0.0001})},
    ]
    found = compared(stack, dataset_id=dataset_id, policies=policies)
    plain, gated = found["rows"]
    assert (plain["refused"], gated["refused"], gated["refusals"]) == (0, 1, ["max_loss"])
    assert (gated["figures"], gated["risk"]) == ({}, None)
    with stack.client("auditor") as auditor:
        page = auditor.get(f"/v1/comparisons/{found['id']}/report.html").text
    assert "<b>plain</b>" not in page
    assert "&lt;b&gt;plain&lt;/b&gt;" in page


FAULTY = {
    "no such place": ({"vary": {"/guarantees/7/k": [2]}}, "/vary"),
    "a place that holds values of the data": (
        {"vary": {"/attributes/zip/hierarchy": [2]}},
        "/vary/~1attributes~1zip~1hierarchy",
    ),
    "k below 2": ({"vary": {"/guarantees/0/k": [5, 1]}}, "/policy/guarantees/0/k"),
    "too many runs": ({"vary": {"/guarantees/0/k": list(range(2, 102))}, "repeats": 3}, "/repeats"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_what_cannot_be_compared_is_refused_at_once(stack: Stack, fault: str) -> None:
    body, pointer = FAULTY[fault]
    dataset_id = stored(stack, patients(20))
    answer = asked(stack, dataset_id=dataset_id, policy=table_policy(2, None), **body)
    assert answer.status_code == 422, answer.text
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


def test_a_comparison_is_for_stewards_to_make_and_not_for_consumers_to_see(stack: Stack) -> None:
    dataset_id = stored(stack, patients(20))
    with stack.client("auditor") as auditor:
        body = {"dataset_id": dataset_id, "policies": [{"name": "a", "policy": table_policy(2, None)}]}
        assert auditor.post("/v1/comparisons", json=body).status_code == 403
    found = compared(stack, **body)
    with stack.client("consumer") as consumer:
        for place in ("", "/plot.svg", "/report.html"):
            assert consumer.get(f"/v1/comparisons/{found['id']}{place}").status_code == 403
