"""L3, L4 and L5: logs, metrics, the broker, the databases' files and temporary folders contain no value."""

import os
import subprocess
import tempfile
from pathlib import Path

import httpx
import pytest
import redis

from tests.leaks.story import SHARED, Story
from tests.patience import patience, wait_for
from tests.system.conftest import ROOT


def test_the_logs_of_all_processes_hold_no_value(story: Story) -> None:
    said = story.said()
    assert b"a job failed" in said
    assert said.count(b'"operation": "create_dataset"') > 5
    assert story.data.anything.find(said) == []


def test_the_logs_of_the_servers_hold_no_value(story: Story) -> None:
    for server in (story.postgres, story.redis):
        assert story.data.anything.find(server.log.read_bytes()) == []


def test_the_metrics_hold_no_value(story: Story) -> None:
    told = httpx.get(f"http://127.0.0.1:{story.metrics_port}/metrics", timeout=patience()).text
    assert 'operation="create_dataset"' in told
    assert story.data.anything.find(told) == []


def test_webhooks_and_portals_hear_no_value(story: Story) -> None:
    assert story.sink is not None
    assert story.portal is not None
    sink = story.sink
    wanted = {"job.released", "job.failed", "job.refused", "release.withdrawn", "dataset.deleted"}
    wait_for(lambda: {request.document["type"] for request in sink.heard} >= wanted, "the last event of the day")
    heard = [request.body for request in (*sink.heard, *story.portal.receiver.heard)]
    assert story.portal.packages
    assert story.data.anything.find(b"\n".join(heard)) == []


def test_redis_is_told_nothing_but_ids(story: Story) -> None:
    told = story.monitor.heard
    assert b"antifaz.run" in told
    assert b"end-of-monitor" in told
    assert story.data.anything.find(told) == []


def test_a_dump_of_redis_holds_no_value(story: Story) -> None:
    with redis.Redis.from_url(story.redis.url) as client:
        client.save()
    dump = story.redis.store / "dump.rdb"
    assert dump.read_bytes().startswith((b"REDIS", b"VALKEY"))
    assert story.data.anything.find(dump.read_bytes()) == []


def test_the_files_of_the_databases_and_their_log_of_changes_hold_no_value(story: Story) -> None:
    with story.postgres.address.connect() as connection:
        connection.execute("CHECKPOINT")
    assert list((story.postgres.cluster / "pg_wal").glob("0000*"))
    assert story.data.anything.find_in_folder(story.postgres.cluster) == {}


@pytest.mark.parametrize("name", ["main", "keyring"])
def test_a_dump_of_a_database_holds_no_value(story: Story, name: str) -> None:
    """Rows that the server compresses are plain in a dump."""
    program = story.postgres.programs.companion("pg_dump")
    if not program.exists():
        pytest.skip("this installation of PostgreSQL has no pg_dump")
    address = story.postgres.address
    done = subprocess.run(
        [program, "-h", address.host, "-p", str(address.port), "-U", address.admin, getattr(story, name)],
        env={"PATH": os.defpath, "PGPASSWORD": address.password},
        capture_output=True,
        check=True,
        timeout=patience(),
    )
    assert (b"COPY public.datasets" if name == "main" else b"COPY public.sealed_keys") in done.stdout
    assert story.data.anything.find(done.stdout) == []


def test_a_killed_worker_leaves_no_value_in_temporary_files(story: Story) -> None:
    assert story.jobs["table"]["status"] == "released"
    assert story.residue == {}
    assert story.left_outside() == {}


@pytest.mark.parametrize("folder", SHARED)
def test_a_value_left_in_a_shared_folder_is_seen(story: Story, folder: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=folder) as left:
        left.write(story.data.table())
        left.flush()
        assert list(story.left_outside()) == [left.name]
    assert story.left_outside() == {}


def test_no_process_can_leave_a_memory_image_behind(story: Story) -> None:
    for name, process in story.stack.processes.items():
        for pid in [process.pid, *_children(process.pid)]:
            limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
            core = next(line for line in limits if line.startswith("Max core file size"))
            assert core.split()[4:6] == ["0", "0"], name


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    direct = [int(word) for word in text.split()]
    return direct + [deeper for child in direct for deeper in _children(child)]


def test_nothing_is_written_into_the_folder_in_which_the_processes_run(story: Story) -> None:
    began = story.postgres.cluster.stat().st_ctime
    skipped = {".venv", ".git", ".numba_cache", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
    young = [
        file
        for place in ROOT.iterdir()
        if place.name not in skipped
        for file in ([place] if place.is_file() else place.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.stat().st_mtime >= began and file.suffix != ".pyc"
    ]
    assert {str(file): found for file in young if (found := story.data.anything.find_in_file(file))} == {}
