"""The API against its own description, with requests that nobody thought of."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_generated_requests_find_no_server_error_and_no_broken_promise(api, tmp_path):
    """Not asked: that every schema-valid policy is accepted, for some contradict themselves or their dataset."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{api.address}/openapi.json",
        "--header",
        f"Authorization: Bearer {api.token('admin')}",
        "--phases=examples,fuzzing",
        "--max-examples=50",
        "--exclude-checks=positive_data_acceptance",
        "--exclude-operation-id=watch_job",
        "--exclude-operation-id=revoke_token",
        "--generation-database=none",
        "--no-color",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stdout[-20_000:]
