"""No space left, no memory left."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.harness import World

VOLUME = "small_volume"
LARGE = 512 << 20
RESERVE = 1 << 20
"""Space left on a full volume."""


@pytest.mark.long
def test_no_space_for_an_upload(rig: World) -> None:
    """507, nothing stored, everything else continues; accepted as soon as there is space."""
    with volume(rig, "original_chunks") as grow:
        request = rig.request(rows=200_000, k=50)
        answer = rig.send(request)
        assert answer is not None
        assert answer.status_code == 507
        assert rig.ask("SELECT count(*) FROM datasets WHERE name = %s", request.name) == [(0,)]
        with rig.stack.client() as steward:
            assert steward.get("/v1/jobs").status_code == 200
        grow()
        assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.long
def test_no_space_for_a_release(rig: World) -> None:
    """Failed because the storage is full, no part of a release; the next job is released once there is space."""
    with volume(rig, "release_chunks") as grow:
        job_id = rig.submit(rows=200_000, k=50)
        assert rig.end_of(job_id) == "failed"
        assert rig.job(job_id)["error"]["rule"] == "storage"
        grow()
        assert rig.end_of(rig.submit()) == "released"


@pytest.mark.long
def test_a_job_that_needs_more_memory_than_it_may_have(rig: World) -> None:
    """Failed because memory ran out; the same pool releases the next job."""
    rig.stack.stop("worker-second")
    rig.restart("worker", ANTIFAZ_JOB_MEMORY_BYTES=str(192 << 20))
    assert rig.end_of(rig.submit()) == "released"
    job_id = rig.submit(rows=600_000, k=50)
    assert rig.end_of(job_id) == "failed"
    assert rig.job(job_id)["error"]["rule"] == "resource"
    assert rig.end_of(rig.submit()) == "released"
    rig.stack.stop("worker")


@contextmanager
def volume(rig: World, table: str) -> Iterator[Callable[[], None]]:
    """Move a table to its own volume, which is almost full; the given function enlarges it."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small volume")
    folder = rig.folder / VOLUME
    folder.mkdir()
    owner = rig.postgres.cluster.stat()
    options = f"size={LARGE},mode=0700,uid={owner.st_uid},gid={owner.st_gid}"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True, check=False)
    if mounted.returncode:
        folder.rmdir()
        pytest.skip("mounting a small volume is not allowed here")
    try:
        rig.ask(f"CREATE TABLESPACE {VOLUME} LOCATION '{folder}'")
        rig.ask(f"ALTER TABLE {table} SET TABLESPACE {VOLUME}")
        _resize(folder, shutil.disk_usage(folder).used + RESERVE)
        yield lambda: _resize(folder, LARGE)
    finally:
        _resize(folder, LARGE)
        rig.ask(f"ALTER TABLE {table} SET TABLESPACE pg_default")
        rig.ask(f"DROP TABLESPACE IF EXISTS {VOLUME}")
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def _resize(folder: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)
