"""Engines, a tenant and a dataset on the databases of these tests."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pydantic import SecretStr
from sqlalchemy import Connection, Engine

from storage.blobs.intake import StoredOriginal, store_original
from storage.blobs.keyring import store_sealed
from storage.database.session import keyring_engine, main_engine
from storage.datasets.datasets import DatasetDraft, create_dataset
from storage.jobs.jobs import JobDraft, JobRecord, claim, submit
from storage.settings import Settings
from storage.tenancy.tenants import create_tenant
from tests.conftest import own_databases
from tests.storage.job_samples import ATTEMPTS, LEASE


@pytest.fixture(scope="session")
def databases(templates: Any) -> Iterator[Any]:
    """One main database and keyring for all of these modules: each test has its own tenant."""
    with own_databases(templates, "storage_") as made:
        yield made


@pytest.fixture(scope="session")
def private_key() -> X25519PrivateKey:
    """The workers' key."""
    return X25519PrivateKey.generate()


@pytest.fixture(scope="session")
def release_key() -> bytes:
    """The key of releases."""
    return secrets.token_bytes(32)


@pytest.fixture(scope="session")
def token_key() -> bytes:
    """The key of tokens."""
    return secrets.token_bytes(32)


@pytest.fixture(scope="session")
def owner_settings(databases: Any) -> Settings:
    """Both databases as their owner."""
    return _settings(databases.url, databases.keyring_url)


@pytest.fixture(scope="session")
def service_settings(databases: Any) -> Settings:
    """Both databases as the service's login."""
    return _settings(databases.service_url, databases.service_keyring_url)


@pytest.fixture(scope="session")
def worker_settings(databases: Any) -> Settings:
    """Both databases as the workers' login."""
    return _settings(databases.worker_url, databases.worker_keyring_url)


def _settings(main: str, keyring: str) -> Settings:
    return Settings(database_url=SecretStr(main), keyring_url=SecretStr(keyring), database_role=None)


@dataclass(frozen=True)
class Engines:
    """The engines of one login."""

    main: Engine
    keyring: Engine


@pytest.fixture(scope="session")
def owner(owner_settings: Settings) -> Iterator[Engines]:
    """The engines of the databases' owner."""
    yield from _engines(owner_settings)


@pytest.fixture(scope="session")
def service(service_settings: Settings) -> Iterator[Engines]:
    """The engines of the service's login."""
    yield from _engines(service_settings)


@pytest.fixture(scope="session")
def worker(worker_settings: Settings) -> Iterator[Engines]:
    """The engines of the workers' login."""
    yield from _engines(worker_settings)


def _engines(settings: Settings) -> Iterator[Engines]:
    engines = Engines(main_engine(settings, "test"), keyring_engine(settings, "test"))
    yield engines
    engines.main.dispose()
    engines.keyring.dispose()


@pytest.fixture
def c(owner: Engines) -> Iterator[Connection]:
    """A connection to the main database; its changes are rolled back."""
    with owner.main.connect() as connection:
        yield connection


@pytest.fixture
def tenant_id(owner: Engines) -> UUID:
    """The test's own tenant."""
    with owner.main.begin() as connection:
        return create_tenant(connection, secrets.token_hex(8)).id


StoreOriginal = Callable[[bytes], StoredOriginal]


@pytest.fixture
def store(owner: Engines, tenant_id: UUID, private_key: X25519PrivateKey) -> StoreOriginal:
    """Stores content like an original of the tenant, with its sealed key."""

    def store_content(content: bytes) -> StoredOriginal:
        with owner.main.begin() as connection, owner.keyring.begin() as keys:
            stored = store_original(connection, private_key.public_key(), tenant_id, content)
            store_sealed(keys, stored.blob_id, stored.sealed)
        return stored

    return store_content


@pytest.fixture
def dataset_id(owner: Engines, tenant_id: UUID, store: StoreOriginal, release_key: bytes) -> UUID:
    """A stored dataset of the tenant."""
    blob_id = store(b"name,age\nx,1\n").blob_id
    draft = DatasetDraft(tenant_id=tenant_id, name="test", kind="table", format="csv", size=13, blob_id=blob_id)
    with owner.main.begin() as connection:
        return create_dataset(connection, release_key, draft).id


@pytest.fixture
def job(owner: Engines, tenant_id: UUID, dataset_id: UUID) -> JobRecord:
    """A queued job of the tenant."""
    with owner.main.begin() as connection:
        return submit(connection, JobDraft(tenant_id, dataset_id, policy={"kind": "table"}))


@pytest.fixture
def fence(worker: Any, job: JobRecord) -> int:
    """The job, claimed by a first worker."""
    with worker.main.begin() as connection:
        claimed = claim(connection, job.id, LEASE, ATTEMPTS)
        assert claimed is not None
        return claimed.fence
