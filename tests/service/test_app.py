"""The application as a process."""

import os
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from service.runtime.state import build_service
from stack.children import commands
from stack.servers.ports import free_port
from storage.settings import Settings
from tests.patience import patience
from tests.service.samples import table_policy

ROOT = Path(__file__).resolve().parents[2]


def environment(settings: Settings) -> dict[str, str]:
    """The variables that give another process the same settings."""
    given = {
        "ANTIFAZ_DATABASE_URL": settings.database_url.get_secret_value(),
        "ANTIFAZ_KEYRING_URL": settings.keyring_url.get_secret_value(),
        "ANTIFAZ_BROKER_URL": settings.broker_url.get_secret_value(),
        "ANTIFAZ_WORKER_PUBLIC_KEY_FILE": str(settings.worker_public_key_file),
        "ANTIFAZ_COURIER_PUBLIC_KEY_FILE": str(settings.courier_public_key_file),
        "ANTIFAZ_RELEASE_KEY_FILE": str(settings.release_key_file),
        "ANTIFAZ_TOKEN_KEY_FILE": str(settings.token_key_file),
        "ANTIFAZ_AUDIT_KEY_FILE": str(settings.audit_key_file),
        "ANTIFAZ_METRICS_PORT": "0",
    }
    return {name: value for name, value in os.environ.items() if not name.startswith("ANTIFAZ_")} | given


def start(settings: Settings, port: int) -> "subprocess.Popen[str]":
    command = commands.api("127.0.0.1", port)
    return subprocess.Popen(
        command, env=environment(settings), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def wait_until_it_answers(address: str, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + patience()
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{address}/healthz", timeout=patience())
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the API did not start")


def test_a_stopping_server_lets_go_of_those_who_wait_and_has_logged_no_value(api):
    job_id = api.upload(policy=table_policy()).json()["job"]["id"]
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    process = start(api.settings, port)
    try:
        wait_until_it_answers(address, process)
        headers = {"Authorization": f"Bearer {api.token('steward')}"}
        httpx.get(f"{address}/v1/jobs?status=cnry_status", headers=headers, timeout=patience())
        with httpx.stream("GET", f"{address}/v1/jobs/{job_id}/events", headers=headers, timeout=patience()) as answer:
            lines = answer.iter_lines()
            assert "event: job" in (next(lines) for _ in range(3))
            process.send_signal(signal.SIGTERM)
            rest = list(lines)
        assert not any(line.startswith("event:") for line in rest)
        said, _ = process.communicate(timeout=patience())
    finally:
        process.kill()
        process.wait()
    assert process.returncode in (0, -signal.SIGTERM)
    assert '"operation": "watch_job"' in said
    assert "cnry" not in said
    assert api.token("steward") not in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "key",
    ["worker_public_key_file", "courier_public_key_file", "release_key_file", "token_key_file", "audit_key_file"],
)
def test_without_a_key_it_does_not_start(api, key):
    with pytest.raises(RuntimeError, match=f"ANTIFAZ_{key.upper()} must be set"):
        build_service(api.settings.model_copy(update={key: None}))


def test_what_nobody_foresaw_is_a_500_without_a_word_about_it(api, capfd):
    with api.owner.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE policies ADD CONSTRAINT cnry CHECK (name <> 'cnry_name')")
    try:
        with api.client() as steward:
            answer = steward.post("/v1/policies", json={"name": "cnry_name", "policy": table_policy()})
    finally:
        with api.owner.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE policies DROP CONSTRAINT cnry")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "cnry" not in answer.text + "".join(capfd.readouterr())
