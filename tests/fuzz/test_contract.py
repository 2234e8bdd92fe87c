"""The API against its own description, with generated requests."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fuzz.hooks import EXISTING
from tests.patience import patience
from tests.service.samples import table_policy

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
EVERY_PHASE = "examples,coverage,fuzzing,stateful"
SECRET = "zqxjkvwyqxzj"
"""Appears in every row of the originals, and nowhere else: with a probability of 10^-18 in the random letters of a
hundred tokens."""
TABLE = b"name,age,zip,disease\n" + b"".join(
    b"%s%d,%d,%05d,%s\n" % (SECRET.encode(), i, 20 + i % 40, 8000 + i % 7, (b"flu", b"cancer")[i % 2])
    for i in range(60)
)
DESTROYING = {"delete_dataset": "datasets", "withdraw_release": "releases", "revoke_token": "tokens"}
OF_KIND = {
    "datasets": ["get_dataset", "create_job", "validate_policy", "generate_hierarchy"],
    "jobs": ["get_job", "watch_job", "cancel_job", "get_job_report", "get_job_report_page"],
    "releases": [
        "get_release",
        "get_release_data",
        "get_release_report",
        "get_release_report_page",
        "get_release_bundle",
        "get_release_metadata",
        "get_release_about",
        "set_release_about",
        "set_release_audience",
    ],
    "policies": ["get_policy"],
    "hierarchies": ["get_hierarchy"],
}


class Made:
    """Resources that exist before the run, so that not every request is about a missing one."""

    def __init__(self, address: str, admin: str) -> None:
        self.client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {admin}"}, timeout=patience())
        token = self._post("/v1/tokens", {"name": "the run", "role": "admin"})
        self.token, self.token_id = token["token"], token["id"]
        self.ids: dict[str, list[str]] = {kind: [] for kind in OF_KIND}
        self.spare: dict[str, list[str]] = {kind: [] for kind in DESTROYING.values()}

    def _post(self, path: str, body: Any) -> dict[str, Any]:
        answer = self.client.post(path, json=body)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def make(self, releases: list[tuple[str, str, str]]) -> None:
        """One resource of every type; releases come with their jobs and datasets, half of them to be withdrawn."""
        for number, (dataset, job, release) in enumerate(releases):
            kept = self.ids if number % 2 == 0 else self.spare
            kept["datasets"].append(dataset)
            kept["releases"].append(release)
            self.ids["jobs"].append(job)
        self.ids["policies"].append(self._post("/v1/policies", {"name": "p", "policy": table_policy()})["id"])
        hierarchy = {"name": "h", "hierarchy": {"kind": "levels", "rows": [["a", "*"], ["b", "*"]]}}
        self.ids["hierarchies"].append(self._post("/v1/hierarchies", hierarchy)["id"])
        for number in range(5):
            self.spare["tokens"].append(self._post("/v1/tokens", {"name": f"t{number}", "role": "auditor"})["id"])

    def write(self, path: Path) -> None:
        by_operation = {name: self.ids[kind] for kind, names in OF_KIND.items() for name in names}
        by_operation |= {name: self.spare[kind] for name, kind in DESTROYING.items()}
        path.write_text(json.dumps({"ids": by_operation, "token_id": self.token_id, "secrets": [SECRET]}))


def run(made: Made, address: str, folder: Path, *options: str) -> None:
    """Run schemathesis; any failed check is reported with its request."""
    made.write(folder / "existing.json")
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(CONFIGURATION), "run"),
        f"{address}/openapi.json",
        *("--header", f"Authorization: Bearer {made.token}"),
        "--no-color",
        *options,
    ]
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks",
        "PYTHONPATH": str(ROOT),
        EXISTING: str(folder / "existing.json"),
    }
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert ran.returncode >= 0, f"the run was ended by signal {-ran.returncode}: nothing is known"
    assert ran.returncode == 0, ran.stdout[-30_000:] + ran.stderr[-2_000:]


@pytest.fixture
def made_without_workers(api: Any) -> Iterator[Made]:
    made = Made(api.address, api.token("admin"))
    published = [api.publish() for _ in range(4)]
    made.make([(each.dataset_id, each.job_id, each.release_id) for each in published])
    made.ids["datasets"].append(api.upload(TABLE).json()["id"])
    with closing(made.client):
        yield made


def test_a_few_generated_requests_find_no_server_error_and_no_broken_promise(
    api: Any, made_without_workers: Made, tmp_path: Path
) -> None:
    """Without workers the stream of a new job's events would never end. The requests are the same in every run."""
    options = ("--phases=examples,fuzzing", "--max-examples=2", "--exclude-operation-id=watch_job")
    options += ("--generation-deterministic",)
    # Nothing takes the jobs that it makes, and a service without live consumers is rightly not ready.
    with api.consumers_of_everything():
        run(made_without_workers, api.address, tmp_path, *options)


@pytest.fixture
def made_by_workers(stack: Any) -> Iterator[Made]:
    made = Made(stack.address, stack.token("admin"))
    releases = []
    for _ in range(6):
        job = stack.publish(TABLE, table_policy())
        assert job["status"] == "released", job
        releases.append((job["dataset_id"], job["id"], job["release_id"]))
    made.make(releases)
    with closing(made.client):
        yield made


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_generated_requests_find_no_server_error_and_no_broken_promise(
    stack: Any, made_by_workers: Made, tmp_path: Path
) -> None:
    try:
        run(made_by_workers, stack.address, tmp_path, f"--phases={EVERY_PHASE}", "--max-examples=200")
    finally:
        # The origin of a server error is only in the log.
        print(*failures(stack), sep="\n")
    assert failures(stack) == []
    assert all(process.poll() is None for process in stack.processes.values())


def failures(stack: Any) -> list[str]:
    """The errors in the logs of the API and the worker."""
    said = [*(stack.logs / "api.log").read_text().splitlines(), *(stack.logs / "worker.log").read_text().splitlines()]
    return [line for line in said if '"request failed"' in line or "Traceback" in line]
