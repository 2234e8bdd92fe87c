"""A worker in this process, on its own databases, and the datasets and policies that a steward would submit."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, text

from storage.accounts import ledger
from storage.audit import audit
from storage.blobs import blobs
from storage.blobs.intake import store_original
from storage.blobs.keyring import store_sealed
from storage.database.session import keyring_engine, main_engine
from storage.datasets import datasets
from storage.jobs import jobs
from storage.releases import releases, reports
from storage.settings import Settings
from storage.tenancy.tenants import create_tenant
from tests.conftest import own_databases
from workers.process.tasks import run_job
from workers.run.context import Context


@pytest.fixture(scope="session")
def worker_databases(templates: Any) -> Iterator[Any]:
    """One main database and keyring for all of these modules: each test has its own tenant."""
    with own_databases(templates, "worker_") as made:
        yield made


@pytest.fixture(scope="session")
def context(worker_databases: Any) -> Iterator[Context]:
    """The worker's context, with the workers' own login."""
    settings = Settings(
        database_url=SecretStr(worker_databases.worker_url),
        keyring_url=SecretStr(worker_databases.worker_keyring_url),
        database_role=None,
        # Tests upload the same file repeatedly; tests of duplicate files enable it.
        recognize_files=False,
    )
    main, keyring = main_engine(settings, "test"), keyring_engine(settings, "test")
    yield Context(settings, main, keyring, X25519PrivateKey.generate(), secrets.token_bytes(32))
    main.dispose()
    keyring.dispose()


@pytest.fixture(scope="session")
def owner(worker_databases: Any) -> Iterator[tuple[Engine, Engine]]:
    """The owner's access to both databases."""
    engines = tuple(
        create_engine(url, hide_parameters=True) for url in (worker_databases.url, worker_databases.keyring_url)
    )
    yield engines[0], engines[1]
    for engine in engines:
        engine.dispose()


@dataclass(frozen=True)
class Steward:
    """Stores datasets and submits jobs of one tenant, and reads the results."""

    context: Context
    main: Engine
    keyring: Engine
    tenant_id: UUID

    def store(self, content: bytes) -> UUID:
        """A sealed blob, its key in the keyring."""
        with self.main.begin() as connection, self.keyring.begin() as keys:
            stored = store_original(connection, self.context.public_key, self.tenant_id, content)
            store_sealed(keys, stored.blob_id, stored.sealed)
        return stored.blob_id

    def upload(self, content: bytes, kind: str = "table", **more: Any) -> datasets.DatasetRecord:
        """A stored dataset."""
        fields = {"format": "csv", "details": {"delimiter": ",", "encoding": "utf-8"}}
        if kind == "graph":
            fields = {"format": "edgelist", "details": {"directed": False, "strict": False, "header": True}}
        draft = datasets.DatasetDraft(
            tenant_id=self.tenant_id,
            kind=kind,
            size=len(content),
            blob_id=self.store(content),
            **{"name": "patients", **fields, **more},
        )
        with self.main.begin() as connection:
            return datasets.create_dataset(connection, self.context.release_key, draft)

    def submit(self, dataset: datasets.DatasetRecord, policy: dict[str, Any] | None, **more: Any) -> UUID:
        """A queued job."""
        blob_id = None if policy is None else self.store(json.dumps(policy).encode())
        draft = jobs.JobDraft(self.tenant_id, dataset.id, policy=policy, policy_blob_id=blob_id, **more)
        with self.main.begin() as connection:
            return jobs.submit(connection, jobs.bind(self.context.release_key, draft)).id

    def grant(self, dataset: datasets.DatasetRecord, total: int) -> None:
        """Open the account of a dataset's lineage, in millionths."""
        with self.main.begin() as connection:
            ledger.open_account(connection, self.context.release_key, self.tenant_id, dataset.lineage_id, total)

    def run(self, dataset: datasets.DatasetRecord, policy: dict[str, Any], charge: int | None = None) -> jobs.JobRecord:
        """Submit a job with a charge and run it to its end."""
        job_id = self.submit(dataset, policy)
        if charge is not None:
            with self.main.begin() as connection:
                assert ledger.spend(connection, self.context.release_key, dataset.lineage_id, charge)
                ledger.enter(connection, self.context.release_key, dataset.lineage_id, job_id, ledger.Price(charge))
        run_job(self.context, job_id)
        return self.job(job_id)

    def job(self, job_id: UUID) -> jobs.JobRecord:
        with self.main.connect() as connection:
            found = jobs.get_job(connection, self.tenant_id, job_id)
        assert found is not None
        return found

    def dataset(self, dataset_id: UUID) -> datasets.DatasetRecord:
        with self.main.connect() as connection:
            found = datasets.get_dataset(connection, self.tenant_id, dataset_id)
        assert found is not None
        return found

    def releases_of(self, dataset: datasets.DatasetRecord) -> list[releases.ReleaseRecord]:
        """Every release of the dataset's lineage, oldest first."""
        with self.main.connect() as connection:
            return releases.earlier_releases(connection, self.context.release_key, dataset.lineage_id)

    def released(self, job: jobs.JobRecord) -> releases.ReleaseRecord:
        """The release of a job that has one."""
        assert job.release_id is not None
        with self.main.connect() as connection:
            found = releases.get_release(connection, self.context.release_key, self.tenant_id, job.release_id)
        assert found is not None
        return found

    def report(self, job: jobs.JobRecord) -> reports.ReportRecord:
        with self.main.connect() as connection:
            found = reports.get_report_of_job(connection, self.context.release_key, self.tenant_id, job.id)
        assert found is not None
        return found

    def content(self, artifact: releases.ArtifactRecord) -> bytes:
        """The bytes of an artifact, as served."""
        with self.main.connect() as connection:
            return b"".join(
                blobs.read_release_chunks(connection, self.context.release_key, self.tenant_id, artifact.blob_id)
            )

    def events(self) -> list[audit.EventRecord]:
        """The tenant's audit trail, oldest first."""
        with self.main.connect() as connection:
            return sorted(audit.list_events(connection, self.tenant_id, 100).items, key=lambda event: event.number)

    def ask(self, statement: str, **values: Any) -> Any:
        """One value of the main database."""
        with self.main.begin() as connection:
            return connection.execute(text(statement), {"tenant": self.tenant_id, **values}).scalar_one_or_none()

    def unpublished(self) -> int:
        """How many release blobs of the tenant belong to no release."""
        statement = "SELECT count(*) FROM blobs WHERE tenant_id = :tenant AND purpose = 'release' AND NOT published"
        return int(self.ask(statement))


@pytest.fixture
def steward(context: Context, owner: tuple[Engine, Engine]) -> Steward:
    """The test's own tenant."""
    main, keyring = owner
    with main.begin() as connection:
        tenant_id = create_tenant(connection, f"tenant {uuid4()}").id
    return Steward(context, main, keyring, tenant_id)
