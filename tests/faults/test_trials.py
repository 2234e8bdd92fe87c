"""Trials and comparisons while a worker dies: they end, and no chunk of a rendered file is left."""

from typing import Any

import pytest

from storage.jobs.protocol import TERMINAL
from tests.faults.harness import World
from tests.patience import RECOVERY, wait_for

long = pytest.mark.long
TRIAL = ("claimed", "decrypted", "protected", "sealing", "sealed", "verified")
COMPARISON = ("claimed", "protected")


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "sealed" else long) for p in TRIAL])
def test_a_worker_killed_on_a_trial(rig: World, place: str) -> None:
    """Another worker assesses it; no release, and no file of either attempt."""
    dataset_id, policy = stored(rig)
    rig.arm(f"{place}:kill")
    job_id = asked(rig, "/v1/jobs", {"dataset_id": dataset_id, "policy": policy, "trial": True})
    rig.fired()
    assert rig.end_of(job_id) == "assessed"
    assert rig.job(job_id)["attempt"] == 2
    wait_for(lambda: rendered(rig, job_id) == (0, 0), "the end of what the trial rendered", RECOVERY)


@long
@pytest.mark.parametrize("place", TRIAL[2:])
def test_a_trial_that_kills_every_worker(rig: World, place: str) -> None:
    """Failed after three attempts; none of them leaves a file."""
    dataset_id, policy = stored(rig)
    rig.arm(f"{place}:kill")
    job_id = asked(rig, "/v1/jobs", {"dataset_id": dataset_id, "policy": policy, "trial": True})
    for _ in range(2):
        rig.fired()
        rig.arm(f"{place}:kill")
    assert rig.end_of(job_id) == "failed"
    wait_for(lambda: rendered(rig, job_id) == (0, 0), "the end of what the trial rendered", RECOVERY)


@long
def test_a_trial_that_is_cancelled_while_its_files_are_there(rig: World) -> None:
    """Cancelled, and shredded immediately."""
    dataset_id, policy = stored(rig)
    rig.arm("sealed:sleep=4")
    job_id = asked(rig, "/v1/jobs", {"dataset_id": dataset_id, "policy": policy, "trial": True})
    rig.fired()
    with rig.stack.client() as steward:
        assert steward.post(f"/v1/jobs/{job_id}/cancel").status_code == 200
    assert rig.end_of(job_id) == "cancelled"
    wait_for(lambda: rendered(rig, job_id) == (0, 0), "the end of what the trial rendered", RECOVERY)


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "protected" else long) for p in COMPARISON])
def test_a_worker_killed_on_a_comparison(rig: World, place: str) -> None:
    """Another worker runs the whole comparison again: a row for each policy, and no file is ever stored."""
    dataset_id, policy = stored(rig)
    rig.arm(f"{place}:kill")
    body = {"dataset_id": dataset_id, "policy": policy, "vary": {"/guarantees/0/k": [2, 3]}, "repeats": 2}
    job_id = asked(rig, "/v1/comparisons", body)
    rig.fired()
    assert rig.end_of(job_id) == "assessed"
    assert rig.job(job_id)["attempt"] == 2
    with rig.stack.client() as steward:
        found = steward.get(f"/v1/comparisons/{job_id}").json()
    assert [(row["runs"], row["refused"]) for row in found["rows"]] == [(2, 0), (2, 0)]
    assert rig.ask("SELECT count(*) FROM comparisons WHERE job_id = %s", job_id) == [(1,)]
    assert rendered(rig, job_id) == (0, 0)


def stored(rig: World) -> tuple[str, dict[str, Any]]:
    """A dataset without a policy, profiled, so that no other job reaches a failpoint; and a policy for it."""
    request = rig.request()
    answer = rig.stack.upload(request.content, name=request.name)
    assert answer.status_code == 201, answer.text
    dataset_id = str(answer.json()["id"])
    ended = "SELECT count(*) FROM jobs WHERE dataset_id = %s AND task = 'profile' AND finished_at IS NOT NULL"
    wait_for(lambda: rig.ask(ended, dataset_id) == [(1,)], "the profile", RECOVERY)
    return dataset_id, request.policy


def asked(rig: World, path: str, body: dict[str, Any]) -> str:
    """Submit a job; returns its id."""
    with rig.stack.client() as steward:
        answer = steward.post(path, json=body)
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] not in TERMINAL
    return str(answer.json()["id"])


def rendered(rig: World, job_id: str) -> tuple[int, int]:
    """Number of files and of chunks in the store that attempts at a job rendered."""
    files = rig.ask("SELECT count(*) FROM blobs WHERE purpose = 'release' AND job_id = %s", job_id)[0][0]
    chunks = rig.ask(
        "SELECT count(*) FROM release_chunks WHERE blob_id NOT IN (SELECT id FROM blobs)"
        " OR blob_id IN (SELECT id FROM blobs WHERE job_id = %s)",
        job_id,
    )[0][0]
    return files, chunks
