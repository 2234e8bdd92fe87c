"""The whole service as its users meet it: API, worker and sweeper as processes, over real PostgreSQL and Redis."""

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from stack.children import commands
from stack.children.processes import kill_group, spawn
from stack.servers.ports import free_port
from storage.crypto.keys import ensure_keys
from storage.jobs.protocol import FAST, LARGE, SMALL
from tests.conftest import own_databases
from tests.patience import patience, wait_for

ROOT = Path(__file__).resolve().parents[2]
TERMINAL = {"released", "assessed", "refused", "failed", "cancelled"}
ADMIN = "system-test-admin-token-" + "0" * 24
_REDIS_DATABASES = {"gate": 1, "security": 2, "stack": 3, "browser": 4, "extended": 5}
INTERVALS = {
    "ANTIFAZ_LEASE_SECONDS": "4",
    "ANTIFAZ_BEAT_SECONDS": "0.5",
    "ANTIFAZ_SWEEP_SECONDS": "1",
    "ANTIFAZ_RERING_SECONDS": "2",
    "ANTIFAZ_CONSUMER_SECONDS": "6",
    "ANTIFAZ_METRICS_PORT": "0",
    "ANTIFAZ_UPLOADS_PER_MINUTE": "0",
    "ANTIFAZ_RECOGNIZE_FILES": "false",
    "ANTIFAZ_REQUESTS_PER_MINUTE": "0",
    "ANTIFAZ_WORKER_NICE": "0",
    "ANTIFAZ_OUTBOUND_NETWORKS": "127.0.0.0/8",
    "ANTIFAZ_COURIER_POLL_SECONDS": "0.5",
    "ANTIFAZ_COURIER_LEASE_SECONDS": "3",
    "ANTIFAZ_COURIER_METRICS_PORT": "0",
    "ANTIFAZ_WEBHOOK_BACKOFF": "0.3",
}
_NOT_OF_THE_COURIER = ("ANTIFAZ_BROKER_URL", "ANTIFAZ_AUDIT_KEY_FILE", "ANTIFAZ_WORKER_PUBLIC_KEY_FILE")


@dataclass
class Stack:
    """The running processes and a way to talk to them."""

    address: str
    api_environment: dict[str, str]
    worker_environment: dict[str, str]
    courier_environment: dict[str, str]
    logs: Path
    redis_url: str
    database_url: str
    keyring_url: str
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, **extra: str) -> None:
        """Start one process; extra environment variables apply to this start only."""
        port = int(self.address.rsplit(":", 1)[1])
        command, environment = {
            "api": (commands.api("127.0.0.1", port), self.api_environment),
            "worker": (commands.worker(processes=1), self.worker_environment),
            "small": (commands.worker((SMALL,), 1), self.worker_environment),
            "large": (commands.worker((LARGE,), 1), self.worker_environment),
            "questions": (commands.worker((FAST,), 1), self.worker_environment),
            "sweeper": (commands.sweeper(), self.worker_environment),
            "courier": (commands.courier(), self.courier_environment),
        }[name.split("-", maxsplit=1)[0]]
        self.processes[name] = spawn(
            command, environment=environment | extra, log=self.logs / f"{name}.log", folder=ROOT
        )

    def kill(self, name: str) -> None:
        """kill -9 a process with all its children."""
        process = self.processes.pop(name)
        kill_group(process)
        process.wait()

    def stop(self, name: str) -> None:
        """Ask a process to end, and wait for it."""
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            kill_group(process)
            process.wait()

    def client(self, role: str | None = "steward") -> httpx.Client:
        """A client with a token of a role of the default tenant, or with none."""
        headers = {"Authorization": f"Bearer {self.token(role)}"} if role else {}
        # No test of the service itself goes through a proxy, even one that tests the command line with a proxy set.
        return httpx.Client(base_url=self.address, headers=headers, timeout=patience(), trust_env=False)

    def token(self, role: str) -> str:
        if role == "admin":
            return ADMIN
        if role not in self.tokens:
            with self.client("admin") as admin:
                answer = admin.post("/v1/tokens", json={"name": role, "role": role, "expires_in_days": 1})
                assert answer.status_code == 201, answer.text
                self.tokens[role] = answer.json()["token"]
        return self.tokens[role]

    def upload(
        self,
        content: bytes,
        policy: Mapping[str, Any] | None = None,
        *,
        file_name: str = "upload.csv",
        nodes: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        **metadata: Any,
    ) -> httpx.Response:
        """POST a dataset as a steward."""
        about = {"name": "test", "kind": (policy or {}).get("kind", "table"), **metadata}
        parts: list[tuple[str, Any]] = [("metadata", (None, json.dumps(about), "application/json"))]
        if policy is not None:
            parts.append(("policy", (None, json.dumps(policy), "application/json")))
        if nodes is not None:
            parts.append(("nodes", ("nodes.csv", nodes)))
        parts.append(("file", (file_name, content)))
        with self.client() as client:
            return client.post("/v1/datasets", files=parts, headers=dict(headers or {}))

    def finish(self, job_id: str, patience: float = patience()) -> dict[str, Any]:
        """Wait for a job's end."""
        deadline = time.monotonic() + patience
        with self.client() as client:
            while time.monotonic() < deadline:
                job = client.get(f"/v1/jobs/{job_id}", params={"wait": 5}).json()
                if job["status"] in TERMINAL:
                    return dict(job)
        raise AssertionError(f"job still {job['status']} after {patience} s\n{self.said()}")

    def publish(self, content: bytes, policy: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """Upload with a policy and wait for the job's end."""
        answer = self.upload(content, policy, **more)
        assert answer.status_code == 202, answer.text
        return self.finish(answer.json()["job"]["id"])

    def data(self, release_id: str, **parameters: str) -> bytes:
        """An artifact of a release, as a consumer gets it."""
        with self.client("consumer") as client:
            answer = client.get(f"/v1/releases/{release_id}/data", params=parameters)
            assert answer.status_code == 200, answer.text
            return answer.content

    def said(self) -> str:
        """The ends of all logs, for the message of a failing test."""
        return "\n".join(f"== {log.name}\n{log.read_text()[-3000:]}" for log in sorted(self.logs.glob("*.log")))


@pytest.fixture(autouse=True)
def _own_known_keys(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The command line keeps the keys of services in a folder of its user: here it is new for every test."""
    monkeypatch.setenv("ANTIFAZ_CONFIG_DIR", str(tmp_path_factory.getbasetemp() / f"config-{secrets.token_hex(8)}"))


@pytest.fixture(scope="package")
def stack(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """API, worker and sweeper on their own databases, started once for all tests here, since starting is slow."""
    with own_databases(templates) as made:
        yield from run_stack(make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("stack")))


def run_stack(running: Stack) -> Iterator[Stack]:
    """Start API, worker and sweeper, yield the stack once it answers, and stop all running processes at the end."""
    for name in ("api", "worker", "sweeper"):
        running.start(name)
    try:
        wait_for(lambda: is_ready(running.address), "the API")
        yield running
    finally:
        for name in list(running.processes):
            running.stop(name)


def make_stack(databases: Any, redis_url: str, folder: Path) -> Stack:
    """The processes' environments; nothing is started yet.

    Stacks that live at the same time share the Redis server: each uses its own Redis database, or one would take the
    other's messages (and drop them, because its own database does not have the job).
    """
    database = _REDIS_DATABASES.get(folder.name.rstrip("0123456789"))
    if database is not None:
        redis_url = f"{redis_url.rsplit('/', 1)[0]}/{database}"
    keys = folder / "keys"
    ensure_keys(keys)
    base = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANTIFAZ_")},
        **INTERVALS,
        "ANTIFAZ_BROKER_URL": redis_url,
        "ANTIFAZ_RELEASE_KEY_FILE": str(keys / "release.key"),
        "ANTIFAZ_AUDIT_KEY_FILE": str(keys / "audit.key"),
        "ANTIFAZ_WORKER_PUBLIC_KEY_FILE": str(keys / "worker.pub"),
    }
    api = {
        "ANTIFAZ_DATABASE_URL": databases.service_url,
        "ANTIFAZ_KEYRING_URL": databases.service_keyring_url,
        "ANTIFAZ_BOOTSTRAP_TOKEN": ADMIN,
        "ANTIFAZ_TOKEN_KEY_FILE": str(keys / "token.key"),
        "ANTIFAZ_COURIER_PUBLIC_KEY_FILE": str(keys / "courier.pub"),
    }
    worker = {
        "ANTIFAZ_DATABASE_URL": databases.worker_url,
        "ANTIFAZ_KEYRING_URL": databases.worker_keyring_url,
        "ANTIFAZ_WORKER_KEY_FILE": str(keys / "worker.key"),
    }
    courier = {
        "ANTIFAZ_DATABASE_URL": databases.courier_url,
        "ANTIFAZ_COURIER_KEY_FILE": str(keys / "courier.key"),
    }
    logs = folder / "logs"
    logs.mkdir()
    return Stack(
        f"http://127.0.0.1:{free_port()}",
        base | api,
        base | worker,
        {name: value for name, value in base.items() if name not in _NOT_OF_THE_COURIER} | courier,
        logs,
        redis_url,
        databases.url,
        databases.keyring_url,
    )


def is_ready(address: str) -> bool:
    """Whether the API and everything it needs are up."""
    try:
        return httpx.get(f"{address}/readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
