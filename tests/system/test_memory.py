"""Memory: data that passes through the API, in or out, does not stay in memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from bench.load.memory import add_artifact, download, upload
from storage.crypto.keys import load_release_key
from tests.patience import patience
from tests.system.samples import patients, table_policy

MEGABYTE = 10**6


def memory(stack: Any, key: str) -> int:
    """Bytes of memory that the API holds now (VmRSS), or held at most since it was started (VmHWM)."""
    status = Path(f"/proc/{stack.processes['api'].pid}/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{key}:"))


def growth(stack: Any, transfer: Callable[[], None]) -> int:
    """Peak memory during a transfer minus the memory held before it."""
    # Reset the peak to the current value: starting took more memory than serving does.
    Path(f"/proc/{stack.processes['api'].pid}/clear_refs").write_text("5")
    before = memory(stack, "VmRSS")
    transfer()
    return memory(stack, "VmHWM") - before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells no process's memory")
@pytest.mark.parametrize("megabytes", [24, pytest.param(200, marks=pytest.mark.long)])
def test_a_large_upload_and_a_large_download_leave_no_trace_in_memory(stack: Any, megabytes: int) -> None:
    job = stack.publish(patients(), table_policy())
    release_id, size = UUID(job["release_id"]), megabytes * MEGABYTE
    key = load_release_key(Path(stack.api_environment["ANTIFAZ_RELEASE_KEY_FILE"]))
    add_artifact(stack.database_url, key, release_id, f"large{megabytes}", size)
    bound = 20 * MEGABYTE
    with stack.client("admin") as client:
        client.timeout = patience()
        upload(client, 2 * MEGABYTE)
        download(client, release_id)
        assert growth(stack, lambda: upload(client, size)) < bound
        assert growth(stack, lambda: download(client, release_id, f"large{megabytes}", size)) < bound
