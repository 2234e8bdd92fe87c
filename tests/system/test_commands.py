"""The command line as a client: from a file to a policy, trials, releases, reports and verdicts."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.patience import patience
from tests.system.conftest import ROOT
from tests.system.samples import friends, graph_policy, patients, table_policy


def antifaz(stack: Any, *words: str, role: str = "steward") -> "subprocess.CompletedProcess[str]":
    connection = ["--url", stack.address, "--token", stack.token(role)]
    return subprocess.run(
        [sys.executable, "-m", "antifaz_client.commands.main", *words, *connection],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )


def written(folder: Path, name: str, content: bytes, policy: dict[str, Any]) -> tuple[str, str]:
    (folder / name).write_bytes(content)
    (folder / "policy.json").write_text(json.dumps(policy))
    return str(folder / name), str(folder / "policy.json")


def test_publishing_a_table_saves_every_file_of_the_release(stack, tmp_path):
    done = antifaz(
        stack, "publish", *written(tmp_path, "p.csv", patients(60), table_policy(3)), "--to", str(tmp_path / "out")
    )
    assert done.returncode == 0, done.stderr
    saved = ["dictionary.csv", "dictionary.json", "report.json", "table.csv", "table.parquet"]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == saved
    described = json.loads((tmp_path / "out" / "dictionary.json").read_text())
    assert [column["name"] for column in described] == ["age", "zip", "sex", "disease"]
    with (tmp_path / "out" / "dictionary.csv").open(encoding="utf-8-sig") as lines:
        assert [row["meaning"] for row in csv.DictReader(lines)] == [column["meaning"] for column in described]
    with (tmp_path / "out" / "table.csv").open() as table:
        assert len(list(csv.DictReader(table))) == 60
    assert "verified k_anonymity: k = " in done.stderr
    assert json.loads((tmp_path / "out" / "report.json").read_text())["release_id"] == done.stdout.strip()


def test_what_publishing_a_graph_saves_is_verified_by_the_verifiers_own_command(stack, tmp_path):
    files = written(tmp_path, "f.edges", friends(), graph_policy(3))
    assert antifaz(stack, "publish", *files, "--to", str(tmp_path)).returncode == 0
    command = [sys.executable, "-m", "verifier", files[1], str(tmp_path / "edges.csv"), str(tmp_path / "nodes.csv")]
    verdict = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(), check=False)
    assert verdict.returncode == 0, verdict.stdout
    assert json.loads(verdict.stdout)["holds"] is True


def test_publishing_with_a_budget_charges_it_and_an_exhausted_one_publishes_nothing(stack, tmp_path):
    guarantee = {"model": "edge_local_dp", "epsilon": 4.0, "density": {"declared": 0.08}}
    policy = {"kind": "graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp"}}
    files = written(tmp_path, "friends.csv", friends(), policy)
    done = antifaz(stack, "publish", *files, "--budget", "5", "--to", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["guarantees"][0]["holds"] is True
    assert report["budget"] == {"epsilon": 5.0, "charged": 4.0}
    with stack.client() as steward:
        account = steward.get(f"/v1/datasets/{report['dataset']['id']}/budget").json()
        assert (account["spent"], account["remaining"]) == (4.0, 1.0)
        again = {"dataset_id": report["dataset"]["id"], "policy": policy | {"formats": ["edgelist"]}}
        assert steward.post("/v1/jobs", json=again).status_code == 409
    assert "budget" in antifaz(stack, "publish", *files, "--budget", "3").stderr


def test_a_refusal_is_explained_and_is_not_a_success(stack, tmp_path):
    files = written(tmp_path, "p.csv", patients(60), table_policy(3, l_value=5))
    done = antifaz(stack, "publish", *files, "--to", str(tmp_path / "out"))
    assert done.returncode == 2
    assert "what would work: l = 4" in done.stderr
    saved = list((tmp_path / "out").iterdir())
    report = json.loads(saved[0].read_text())
    assert [file.name for file in saved] == [f"refused-{report['job_id']}.json"]
    assert report["status"] == "refused"
    assert report["job_id"] in done.stderr


def test_a_bad_policy_is_reported_with_its_pointers(stack, tmp_path):
    files = written(tmp_path, "p.csv", patients(60), table_policy(1))
    done = antifaz(stack, "publish", *files)
    assert done.returncode == 1
    assert "/policy/guarantees/0/k" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("missing", ["file", "policy"])
def test_a_file_that_is_not_there_is_said_plainly(stack, tmp_path, missing):
    file, policy = written(tmp_path, "p.csv", patients(5), table_policy(3))
    Path(file if missing == "file" else policy).unlink()
    done = antifaz(stack, "publish", file, policy)
    assert done.returncode == 1
    assert "file not found" in done.stderr


def test_no_answer_is_said_plainly(stack, tmp_path):
    file, policy = written(tmp_path, "p.csv", patients(5), table_policy(3))
    command = [
        sys.executable,
        "-m",
        "antifaz_client.commands.main",
        "publish",
        file,
        policy,
        "--url",
        "127.0.0.1:9",
        "--token",
        "x",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(), check=False)
    assert done.returncode == 4
    assert "no answer from http://127.0.0.1:9" in done.stderr


def test_tokens_are_made_listed_and_revoked(stack):
    made = antifaz(stack, "tokens", "create", "portal", "consumer", "--days", "3", role="admin")
    assert made.returncode == 0, made.stderr
    with stack.client("admin") as admin:
        token = next(item for item in admin.get("/v1/tokens").json()["items"] if item["name"] == "portal")
    assert "portal" in antifaz(stack, "tokens", "list", role="admin").stdout
    assert antifaz(stack, "tokens", "revoke", token["id"], role="admin").returncode == 0
    with stack.client(None) as client:
        answer = client.get("/v1/releases", headers={"Authorization": f"Bearer {made.stdout.strip()}"})
    assert answer.status_code == 401


def test_a_steward_cannot_make_tokens(stack):
    done = antifaz(stack, "tokens", "create", "x", "admin")
    assert done.returncode == 1
    assert "403" in done.stderr


def test_a_list_of_messages_is_proposed_as_a_temporal_graph_and_published_unedited(stack, tmp_path):
    (tmp_path / "m.csv").write_bytes((ROOT / "examples" / "messages.csv").read_bytes())
    done = antifaz(stack, "init", str(tmp_path / "m.csv"))
    assert done.returncode == 0, done.stderr
    assert "taken for a temporal graph" in done.stderr
    assert "--kind table" in done.stderr
    policy = str(tmp_path / "m.policy.jsonc")
    published = antifaz(stack, "publish", "--dataset", done.stdout.split()[-1], policy, "--to", str(tmp_path / "out"))
    assert published.returncode == 0, published.stderr


def test_a_proposed_policy_has_a_reason_for_each_column_and_is_published_unedited(stack, tmp_path):
    (tmp_path / "p.csv").write_bytes(patients(80))
    done = antifaz(stack, "init", str(tmp_path / "p.csv"))
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "p.policy.jsonc").read_text()
    assert written.count("// ") >= 5
    assert all(f'"{name}": {{"role"' in written for name in ("name", "age", "zip", "sex", "disease"))
    dataset_id = done.stdout.split()[-1]
    assert f"--dataset {dataset_id}" in done.stderr
    assert antifaz(stack, "init", str(tmp_path / "p.csv")).returncode == 64
    policy = str(tmp_path / "p.policy.jsonc")
    assert antifaz(stack, "validate", policy, "--dataset", dataset_id).stdout == "valid\n"
    published = antifaz(stack, "publish", "--dataset", dataset_id, policy, "--to", str(tmp_path / "out"))
    assert published.returncode == 0, published.stderr
    verdict = antifaz(stack, "verify", published.stdout.strip(), role="consumer")
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    assert json.loads(verdict.stdout)["holds"] is True


def test_a_trial_prints_its_report_and_releases_nothing(stack, tmp_path):
    before = antifaz(stack, "releases", "--json").stdout
    files = written(tmp_path, "p.csv", patients(60), table_policy(3))
    done = antifaz(stack, "publish", *files, "--trial")
    assert done.returncode == 0, done.stderr
    assert "k_anonymity" in done.stdout
    assert antifaz(stack, "releases", "--json").stdout == before


def test_policies_are_compared_on_one_dataset(stack, tmp_path):
    file, policy = written(tmp_path, "p.csv", patients(60), table_policy(3, l_value=None))
    drawn = ["--csv", str(tmp_path / "rows.csv"), "--plot", str(tmp_path / "plot.svg")]
    done = antifaz(stack, "compare", file, policy, "--vary", "/guarantees/0/k=2,4", *drawn, "--json")
    assert done.returncode == 0, done.stderr
    assert [row["settings"]["/guarantees/0/k"] for row in json.loads(done.stdout)["rows"]] == [2, 4]
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 3
    assert (tmp_path / "plot.svg").read_text().startswith("<svg")


def test_lists_show_whole_ids_and_reports_are_found_by_release_and_by_job(stack, tmp_path):
    files = written(tmp_path, "p.csv", patients(60), table_policy(3))
    release_id = antifaz(stack, "publish", *files, "--to", str(tmp_path / "out")).stdout.strip()
    assert release_id in antifaz(stack, "releases").stdout
    listed = json.loads(antifaz(stack, "jobs", "--status", "released", "--json").stdout)
    job = next(each for each in listed if each["release_id"] == release_id)
    assert job["id"] in antifaz(stack, "jobs").stdout
    assert job["dataset_id"] in antifaz(stack, "datasets").stdout
    assert job["dataset_id"] in antifaz(stack, "datasets", job["dataset_id"]).stdout
    assert "k_anonymity" in antifaz(stack, "report", release_id).stdout
    assert json.loads(antifaz(stack, "report", job["id"], "--json").stdout)["release_id"] == release_id
    assert antifaz(stack, "report", "nothing").returncode == 64
