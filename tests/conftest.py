"""Real servers for the tests: one PostgreSQL and one Redis for the whole run, fresh databases for each module."""

import gc
import os
import secrets
import shutil
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx
import pytest
import redis as redis_client
from httpx._transports import default as transports
from hypothesis import HealthCheck, settings

from stack import kernels
from stack.servers import databases as installation
from stack.servers.broker import RedisServer
from stack.servers.postgres import PostgresAddress, PostgresServer
from stack.servers.programs import NoProgram, find_postgres, find_redis
from tests import distribution

# The next run reuses compiled kernels, even if make did not set this.
os.environ.setdefault("NUMBA_CACHE_DIR", str(kernels.cache_folder()))


@cache
def _trust(trust_env: bool, *_: str | None) -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=trust_env)


def _trust_once(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
    if verify is True and cert is None:
        return _trust(trust_env, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return httpx.create_ssl_context(verify, cert, trust_env)


# Each client would load all trusted certificates of the machine, although it talks to 127.0.0.1 without TLS:
# 25 milliseconds for each of thousands of clients.
transports.create_ssl_context = _trust_once

# Test runs are deterministic: each draws the same examples. `make test-long` sets HYPOTHESIS_PROFILE and tries new
# ones, and more of them. Neither fails because the machine is slow.
_UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("certain", max_examples=40, derandomize=True, database=None, **_UNHURRIED)
settings.register_profile("exploring", max_examples=100, **_UNHURRIED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "certain")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more processes than cores: those with a stack mostly wait for leases, servers and browsers."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> distribution.SharedStacks | None:
    """Distribute tests by the stacks that they share, unless another distribution was requested."""
    return distribution.SharedStacks(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the tests that wait longest."""
    distribution.order(items)
    # Modules, parts and thirteen thousand tests live until the end: the garbage collector can skip them.
    gc.enable()
    gc.collect()
    gc.freeze()


# Test collection creates hardly any garbage, but garbage collection takes a tenth of its time, in every process.
gc.disable()


@dataclass(frozen=True)
class GivenRedis:
    """A Redis server that was started outside of the tests."""

    url: str

    @property
    def work_url(self) -> str:
        """The address for our processes: the provider of the server knows which rights they need."""
        return self.url


@dataclass(frozen=True)
class Databases:
    """A migrated main database and its keyring, with the address of each login."""

    address: PostgresAddress
    main: str
    """Name of the main database."""
    keyring: str
    """Name of the keyring's database."""
    passwords: dict[str, str]

    @property
    def url(self) -> str:
        """The main database, for its owner."""
        return self.address.url(self.main)

    @property
    def keyring_url(self) -> str:
        """The keyring, for its owner."""
        return self.address.url(self.keyring)

    @property
    def service_url(self) -> str:
        """The main database, for the API's login."""
        return self._url(self.main, installation.API)

    @property
    def service_keyring_url(self) -> str:
        """The keyring, for the API's login."""
        return self._url(self.keyring, installation.API)

    @property
    def worker_url(self) -> str:
        """The main database, for the workers' login."""
        return self._url(self.main, installation.WORKER)

    @property
    def worker_keyring_url(self) -> str:
        """The keyring, for the workers' login."""
        return self._url(self.keyring, installation.WORKER)

    @property
    def courier_url(self) -> str:
        """The main database, for the courier's login."""
        return self._url(self.main, installation.COURIER)

    def _url(self, database: str, login: installation.Login) -> str:
        return self.address.url(database, login.name, self.passwords[login.name])


def pytest_report_header() -> list[str]:
    """The servers that the run will use."""
    lines = []
    for title, variable, find in (
        ("PostgreSQL", "ANTIFAZ_TEST_DATABASE_URL", find_postgres),
        ("Redis", "ANTIFAZ_TEST_BROKER_URL", find_redis),
    ):
        if os.environ.get(variable):
            lines.append(f"{title}: given by {variable}")
            continue
        try:
            found = find()
        except NoProgram as cause:
            lines.append(f"{title}: {cause}")
        else:
            lines.append(f"{title}: {found.version} ({'wheel' if found.wheel else found.server})")
    return lines


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """A folder that the servers' own user can reach, which pytest's temporary folders are not for root."""
    folder = Path(tempfile.mkdtemp(prefix="antifaz-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres(server_folder: Path) -> Iterator[PostgresServer | PostgresAddress]:
    """A PostgreSQL server for the whole run; both kinds answer `url`, `admin_url`, `version` and `connect`."""
    given = os.environ.get("ANTIFAZ_TEST_DATABASE_URL")
    if given:
        parts = urlsplit(given)
        yield PostgresAddress(
            host=parts.hostname or "127.0.0.1",
            port=parts.port or 5432,
            admin=unquote(parts.username or "postgres"),
            password=unquote(parts.password or ""),
        )
        return
    server = PostgresServer.start(server_folder / "postgres", durable=False, install=True)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis_server(server_folder: Path) -> Iterator[RedisServer | GivenRedis]:
    """A Redis server for the whole run."""
    given = os.environ.get("ANTIFAZ_TEST_BROKER_URL")
    if given:
        yield GivenRedis(given)
        return
    server = RedisServer.start(server_folder / "redis", durable=False, install=True)
    yield server
    server.stop()


@pytest.fixture
def redis(redis_server: RedisServer | GivenRedis) -> RedisServer | GivenRedis:
    """The Redis server, emptied."""
    with redis_client.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server


@pytest.fixture(scope="session")
def templates(postgres: PostgresServer | PostgresAddress) -> Iterator[Databases]:
    """The migrated databases that are copied for every module, so that migrations run once."""
    address = _address(postgres)
    suffix = secrets.token_hex(8)
    passwords = {login.name: secrets.token_urlsafe(16) for login in installation.LOGINS}
    made = Databases(address, f"template_main_{suffix}", f"template_keyring_{suffix}", passwords)
    for name in (made.main, made.keyring):
        installation.create_database(address, name)
    installation.migrate(made.url, made.keyring_url)
    installation.grant_logins(address, passwords)
    yield made
    for name in (made.main, made.keyring):
        installation.drop_database(address, name)


@pytest.fixture(scope="module")
def databases(templates: Databases) -> Iterator[Databases]:
    """A fresh main database and keyring for a module of tests, dropped at its end."""
    with own_databases(templates) as made:
        yield made


@contextmanager
def own_databases(templates: Databases, prefix: str = "") -> Iterator[Databases]:
    """Copies of both databases, whose names begin with the prefix; dropped at the end."""
    suffix = secrets.token_hex(8)
    made = replace(templates, main=f"{prefix}main_{suffix}", keyring=f"{prefix}keyring_{suffix}")
    installation.create_database(made.address, made.main, template=templates.main)
    installation.create_database(made.address, made.keyring, template=templates.keyring)
    try:
        yield made
    finally:
        for name in (made.main, made.keyring):
            installation.drop_database(made.address, name)


def _address(postgres: PostgresServer | PostgresAddress) -> PostgresAddress:
    return postgres.address if isinstance(postgres, PostgresServer) else postgres
