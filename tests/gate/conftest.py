"""One running service for all tests of the gate."""

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli import databases as installation
from storage.keys import load_private_key, load_release_key
from storage.session import keyring_engine, main_engine
from storage.settings import Settings
from tests.system.conftest import Stack, is_ready, make_stack, wait_for
from workers.context import Context


@pytest.fixture(scope="session")
def stack(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """API, worker and sweeper on databases of their own. A test that exchanges the worker puts it back."""
    suffix = secrets.token_hex(4)
    made = replace(templates, main=f"gate_main_{suffix}", keyring=f"gate_keyring_{suffix}")
    installation.create_database(made.address, made.main, template=templates.main)
    installation.create_database(made.address, made.keyring, template=templates.keyring)
    running = make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("gate"))
    for name in ("api", "worker", "sweeper"):
        running.start(name)
    try:
        wait_for(lambda: is_ready(running.address), "the API")
        yield running
    finally:
        for name in list(running.processes):
            running.stop(name)
        for name in (made.main, made.keyring):
            installation.drop_database(made.address, name)


@pytest.fixture(scope="module")
def context(stack: Stack) -> Iterator[Context]:
    """A worker in this process, so that its methods can be sabotaged; the stack's own rests."""
    stack.kill("worker")
    prefix = "ANTIFAZ_"
    given: dict[str, Any] = {
        name.removeprefix(prefix).lower(): value
        for name, value in stack.worker_environment.items()
        if name.startswith(prefix)
    }
    settings = Settings(**given)
    main, keyring = main_engine(settings), keyring_engine(settings)
    private, shared = settings.worker_key_file, settings.release_key_file
    yield Context(settings, main, keyring, load_private_key(Path(str(private))), load_release_key(Path(str(shared))))
    main.dispose()
    keyring.dispose()
    stack.start("worker")
