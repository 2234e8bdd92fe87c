"""G1 with a worker process, when a thief changes the artifact between sealing and verifying."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.gate import vault
from tests.patience import wait_for
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy


@pytest.fixture(scope="module")
def slow_worker(stack: Stack) -> Iterator[Stack]:
    """A worker process that pauses between sealing and verifying."""
    stack.kill("worker")
    stack.start("worker", ANTIFAZ_FAILPOINT="sealed:sleep=6")
    yield stack
    stack.kill("worker")
    stack.start("worker")


def submit(stack: Stack) -> tuple[str, Any]:
    """Submit a job and wait until its one artifact is sealed: the job's id, and the artifact's blob and tenant."""
    before = set(vault.unpublished(stack))
    answer = stack.upload(patients(60), table_policy(3, formats=["csv"]))
    assert answer.status_code == 202, answer.text
    wait_for(lambda: set(vault.unpublished(stack)) > before, "a sealed artifact")
    (blob,) = set(vault.unpublished(stack)) - before
    return str(answer.json()["job"]["id"]), blob


@pytest.mark.long
def test_bytes_that_change_under_a_running_worker_are_never_released(slow_worker: Stack) -> None:
    job_id, blob = submit(slow_worker)
    vault.rewrite(slow_worker, *blob, vault.with_another_cell)
    vault.assert_not_released(slow_worker, slow_worker.finish(job_id))


@pytest.mark.long
def test_bytes_that_do_not_change_are_released(slow_worker: Stack) -> None:
    job_id, _ = submit(slow_worker)
    assert slow_worker.finish(job_id)["status"] == "released"
