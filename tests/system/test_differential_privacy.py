"""Differential privacy over HTTP: what everyone sees of a release, what only its steward sees, and its cost."""

import csv
import io
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.patience import patience
from tests.system.conftest import ROOT, Stack
from tests.system.samples import patients
from tests.workers.test_differential_privacy import SYNTHETIC

FROM_ORIGINAL = ("dataset", "risk", "utility", "transformation", "explanation", "method", "timing")


@pytest.fixture(scope="module")
def story(stack: Stack) -> dict[str, Any]:
    """One synthetic table with a budget of 3."""
    answer = stack.upload(patients(300), budget={"epsilon": 3.0})
    assert answer.status_code == 201, answer.text
    dataset = answer.json()["id"]
    with stack.client() as steward:
        asked = steward.post("/v1/jobs", json={"dataset_id": dataset, "policy": SYNTHETIC})
        assert asked.status_code == 202, asked.text
        job = stack.finish(asked.json()["id"])
        assert job["status"] == "released", (job, stack.said())
        again = steward.post("/v1/jobs", json={"dataset_id": dataset, "policy": SYNTHETIC})
        more = steward.post("/v1/jobs", json={"dataset_id": dataset, "policy": SYNTHETIC | {"formats": ["jsonl"]}})
        budget = steward.get(f"/v1/datasets/{dataset}/budget").json()
    return {"job": job, "again": again, "more": more, "budget": budget, "dataset": dataset}


def test_the_same_request_is_free_and_another_one_is_not_granted_more_than_there_is(story: dict[str, Any]) -> None:
    assert story["again"].json()["id"] == story["job"]["id"]
    assert story["more"].status_code == 409
    assert (story["budget"]["spent"], story["budget"]["remaining"]) == (2.0, 1.0)


def test_only_the_steward_sees_figures_of_the_original(stack: Stack, story: dict[str, Any]) -> None:
    views = {}
    for role in ("steward", "auditor", "consumer"):
        with stack.client(role) as client:
            views[role] = client.get(f"/v1/releases/{story['job']['release_id']}/report").json()
    assert all(views["steward"][part]["private"] is False for part in FROM_ORIGINAL if part in views["steward"])
    assert set(FROM_ORIGINAL) & set(views["consumer"]) == set()
    assert set(FROM_ORIGINAL) & set(views["auditor"]) == {"dataset"}
    assert "rows" not in views["auditor"]["dataset"]
    assert views["consumer"]["mechanism"]["dp_marginals"]["steps"]


def test_a_downloaded_release_can_be_verified_with_the_public_report(
    stack: Stack, story: dict[str, Any], tmp_path: Any
) -> None:
    content = stack.data(story["job"]["release_id"])
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert list(rows[0]) == ["age", "sex", "disease"]
    assert all(18 <= int(row["age"]) <= 90 for row in rows)
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{story['job']['release_id']}/report").json()
    (tmp_path / "table.csv").write_bytes(content)
    (tmp_path / "report.json").write_text(json.dumps(report))
    (tmp_path / "policy.json").write_text(json.dumps(report["policy"]))
    command = [sys.executable, "-m", "verifier", "policy.json", "table.csv", "--mechanism", "report.json"]
    told = subprocess.run(
        [*command[:3], *(str(tmp_path / word) if "." in word else word for word in command[3:])],
        cwd=ROOT, capture_output=True, text=True, timeout=patience(), check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"gate": {"max_prosecutor_risk": 0.2}}, "/gate/max_prosecutor_risk"),
        ({"method": {**SYNTHETIC["method"], "values": {}}}, "/method/values/sex"),
        ({"guarantees": [], "waivers": [{"rule": "no_guarantee", "reason": "a test"}]}, "/guarantees"),
    ],
)
def test_a_policy_that_would_not_be_private_is_a_422(
    stack: Stack, story: dict[str, Any], change: dict[str, Any], pointer: str
) -> None:
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": story["dataset"], "policy": SYNTHETIC | change})
    assert answer.status_code == 422
    assert f"/policy{pointer}" in [fault["pointer"] for fault in answer.json()["errors"]]
