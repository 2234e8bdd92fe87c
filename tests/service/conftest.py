"""The API under uvicorn over real servers, and helpers that publish releases as a worker does."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from uuid import UUID, uuid4

import httpx
import pytest
import uvicorn
from sqlalchemy import Engine, delete, text

from service.app import create_app
from service.http.connections import TimedProtocol
from storage.blobs.blobs import write_release_blob
from storage.crypto.heads import HeadSigner
from storage.crypto.keys import ensure_keys, load_audit_keys, load_release_key
from storage.database.session import keyring_engine, main_engine
from storage.datasets import datasets
from storage.jobs import jobs
from storage.operations import consumers
from storage.orm import Consumer
from storage.releases import releases, reports
from storage.releases.releases import ArtifactDraft, ReleaseDraft, ReleaseRecord
from storage.releases.reports import ReportDraft
from storage.settings import Settings
from tests.patience import patience
from tests.service.samples import ABOUT, DECLARATIONS, KEPT, TABLE, described, full_report, table_policy

ADMIN = "admin-token-of-the-service-tests-" + "0" * 16
QUEUES = ("small", "large", "fast", "deliveries", "upkeep")
ROLES = ("steward", "consumer", "auditor", "analyst", "admin")


@dataclass(frozen=True)
class Published:
    """A release that the tests' own worker made."""

    job_id: str
    release_id: str
    dataset_id: str
    content: bytes


class KeptClient(httpx.Client):
    """A client that several tests use one after the other: a new one costs more than most requests."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return


@dataclass
class Api:
    """A running API and its servers."""

    address: str
    settings: Settings
    worker: Engine
    worker_keyring: Engine
    owner: Engine
    tokens: dict[tuple[str, str], str]
    clients: dict[str, httpx.Client] = field(default_factory=dict)

    def client(self, role: str | None = "steward", tenant: str = "default") -> httpx.Client:
        """A client with a token of that role in that tenant, or with none."""
        token = self.token(role, tenant) if role else ""
        if token not in self.clients:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            self.clients[token] = KeptClient(base_url=self.address, headers=headers, timeout=patience())
        return self.clients[token]

    def token(self, role: str, tenant: str = "default") -> str:
        if (tenant, role) not in self.tokens:
            self._make(role, tenant)
        return self.tokens[tenant, role]

    def _make(self, role: str, tenant: str) -> None:
        if role == "admin":
            with self.client("admin") as admin:
                answer = admin.post("/v1/tenants", json={"name": tenant})
                assert answer.status_code == 201, answer.text
                self.tokens[tenant, "admin"] = answer.json()["token"]["token"]
            return
        with self.client("admin", tenant) as admin:
            answer = admin.post("/v1/tokens", json={"name": role, "role": role})
            assert answer.status_code == 201, answer.text
            self.tokens[tenant, role] = answer.json()["token"]

    def upload(
        self,
        content: bytes = TABLE,
        policy: Any = None,
        *,
        parts: list[tuple[str, Any]] | None = None,
        file_name: str | None = "upload.csv",
        headers: Mapping[str, str] | None = None,
        tenant: str = "default",
        role: str = "steward",
        nodes: bytes | None = None,
        **metadata: Any,
    ) -> httpx.Response:
        """POST a dataset; ``parts`` replaces the whole form."""
        if parts is None:
            about = {"name": "test", "kind": (policy or {}).get("kind", "table"), **metadata}
            parts = [("metadata", (None, json.dumps(about), "application/json"))]
            if policy is not None:
                parts.append(("policy", (None, json.dumps(policy), "application/json")))
            if nodes is not None:
                parts.append(("nodes", ("nodes.csv", nodes)))
            parts.append(("file", (file_name, content)))
        with self.client(role, tenant) as client:
            return client.post("/v1/datasets", files=parts, headers=dict(headers or {}))

    def count(self, table: str) -> int:
        """How many rows a table of the main database has."""
        with self.owner.connect() as connection:
            return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())

    @contextmanager
    def consumers_of_everything(self) -> Iterator[None]:
        """Live consumers of all queues, whatever other tests left in them; they take nothing."""
        ended = threading.Event()

        def live() -> None:
            while not ended.wait(5.0):
                beat()

        def beat() -> None:
            with self.owner.begin() as connection:
                consumers.beat(connection, "of everything", dict.fromkeys(QUEUES, 12.0))

        beat()
        living = threading.Thread(target=live)
        living.start()
        try:
            yield
        finally:
            ended.set()
            living.join()
            with self.owner.begin() as connection:
                connection.execute(delete(Consumer).where(Consumer.id == "of everything"))

    @property
    def head_signer(self) -> HeadSigner:
        return HeadSigner(load_audit_keys(Path(str(self.settings.audit_key_file))))

    @property
    def release_key(self) -> bytes:
        return load_release_key(Path(str(self.settings.release_key_file)))

    def claim(self, job_id: str) -> jobs.Claim:
        """Claim a job as a worker does."""
        with self.worker.begin() as connection:
            claimed = jobs.claim(connection, UUID(job_id), 60, 3)
        assert claimed is not None
        return claimed

    def declare(self, dataset_id: str, **changes: Any) -> httpx.Response:
        """Let a worker have read the dataset, and declare its columns."""
        known = self.client().get(f"/v1/datasets/{dataset_id}").json()["columns"]
        columns = [{"name": column["name"], "type": "text"} for column in known]
        with self.worker.begin() as connection:
            datasets.mark_profiled(connection, UUID(dataset_id), columns, {"rows": 50})
        return self.client().put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARATIONS | changes)

    def publish(
        self,
        content: bytes = b"age,zip\n" + b"20,08000\n" * 50,
        *,
        private: bool = False,
        tenant: str = "default",
        report: Mapping[str, Any] | None = None,
        **metadata: Any,
    ) -> Published:
        """Upload with a policy and finish the job with a release of these bytes."""
        answer = self.upload(policy=table_policy(), tenant=tenant, **metadata)
        assert answer.status_code == 202, answer.text
        job_id = answer.json()["job"]["id"]
        claimed, release_id = self.claim(job_id), uuid4()
        with self.worker.begin() as connection:
            self._publish(connection, claimed, release_id, content, private, dict(report or {}))
        return Published(job_id, str(release_id), answer.json()["dataset"]["id"], content)

    def open_to_all(self, published: Published, tenant: str = "default", **about: Any) -> None:
        """Write the card of a release and make it public."""
        path = f"/v1/releases/{published.release_id}"
        with self.client("steward", tenant) as steward:
            answer = steward.put(f"{path}/about", json=ABOUT | about)
            assert answer.status_code == 200, answer.text
            answer = steward.post(f"{path}/audience", json={"audience": "public"})
            assert answer.status_code == 200, answer.text

    def _publish(
        self,
        connection: Any,
        claimed: jobs.Claim,
        release_id: UUID,
        content: bytes,
        private: bool,
        more: dict[str, Any],
        audience: str = "tenant",
    ) -> ReleaseRecord:
        job = claimed.job
        key = self.release_key
        record = datasets.get_dataset(connection, job.tenant_id, job.dataset_id)
        assert record is not None
        digest = hashlib.sha256(content).hexdigest()
        stored = write_release_blob(connection, key, job.tenant_id, [content])
        artifact = ArtifactDraft(format="csv", part="table", sha256=digest, size=len(content), blob_id=stored.id)
        release = releases.publish(
            connection,
            key,
            ReleaseDraft(
                id=release_id,
                job_id=job.id,
                tenant_id=job.tenant_id,
                dataset_id=job.dataset_id,
                lineage_id=record.lineage_id,
                kind="table",
                name=record.name,
                shape={"rows": 50, "columns": [{"name": name, "type": "text"} for name in ("age", "zip")]},
                guarantees=[KEPT],
                dictionary=[described("age"), described("zip")],
                map_blob_id=None,
                audience=audience,
                artifacts=[artifact],
            ),
        )
        report = full_report(str(job.id), str(release_id), str(job.dataset_id), digest) | more
        reports.save_report(
            connection,
            key,
            ReportDraft(
                job_id=job.id,
                tenant_id=job.tenant_id,
                dataset_id=job.dataset_id,
                release_id=release_id,
                status="released",
                method="mondrian",
                guarantees=["k_anonymity"],
                achieved_k=3,
                risk=0.25,
                private=private,
                content=report,
            ),
        )
        assert jobs.finish(connection, job.id, claimed.fence, "released", release_id=release_id)
        return release

    def release_as(self, connection: Any, claimed: jobs.Claim, release_id: UUID, audience: str) -> ReleaseRecord:
        """Finish a claimed job with a release for this audience."""
        content = b"age,zip\n" + b"20,08000\n" * 50
        return self._publish(connection, claimed, release_id, content, False, {}, audience)


@pytest.fixture(scope="module")
def make_api(
    databases: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Api]]:
    """Starts an API with the test's own settings; all are stopped at the module's end."""
    keys = tmp_path_factory.mktemp("keys")
    ensure_keys(keys)
    running: list[Callable[[], None]] = []

    def start(**changes: Any) -> Api:
        given: dict[str, Any] = {
            "database_url": databases.service_url,
            "keyring_url": databases.service_keyring_url,
            "broker_url": redis_server.work_url,
            "worker_public_key_file": keys / "worker.pub",
            "courier_public_key_file": keys / "courier.pub",
            "release_key_file": keys / "release.key",
            "token_key_file": keys / "token.key",
            "audit_key_file": keys / "audit.key",
            "bootstrap_token": ADMIN,
            "metrics_port": 0,
            "requests_per_minute": 0,
            "uploads_per_minute": 0,
            # Tests upload the same file repeatedly; tests of duplicate files enable it.
            "recognize_files": False,
            "outbound_networks": "127.0.0.0/8",
        }
        settings = Settings(**(given | changes))
        address, stop = _serve(settings)
        behind = Settings(database_url=databases.worker_url, keyring_url=databases.worker_keyring_url)
        owner = main_engine(Settings(database_url=databases.url))
        api = Api(address, settings, main_engine(behind), keyring_engine(behind), owner, {("default", "admin"): ADMIN})

        def close() -> None:
            stop()
            for client in api.clients.values():
                client.close()
            for engine in (api.worker, api.worker_keyring, api.owner):
                engine.dispose()

        running.append(close)
        return api

    yield start
    for close in running:
        close()


@pytest.fixture(scope="module")
def api(make_api: Callable[..., Api]) -> Api:
    """An API without rate limits."""
    return make_api()


LOOP = "the event loop of an API"


def _serve(settings: Settings) -> tuple[str, Callable[[], None]]:
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings),
            port=0,
            http=TimedProtocol,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
    )
    thread = threading.Thread(target=server.run, daemon=True, name=LOOP)
    thread.start()
    deadline = time.monotonic() + patience()
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the API did not start")
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]

    def stop() -> None:
        server.should_exit = True
        thread.join(timeout=patience())

    return f"http://127.0.0.1:{port}", stop
