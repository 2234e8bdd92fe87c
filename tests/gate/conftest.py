"""One running service for all tests of the gate."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.crypto.keys import load_private_key, load_release_key
from storage.database.session import keyring_engine, main_engine
from storage.settings import Settings
from tests.conftest import own_databases
from tests.system.conftest import Stack, make_stack, run_stack
from workers.run.context import Context


@pytest.fixture(scope="package")
def stack(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """API, worker and sweeper on their own databases. A test that replaces the worker restores it."""
    with own_databases(templates, "gate_") as made:
        yield from run_stack(make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("gate")))


@pytest.fixture(scope="module")
def context(stack: Stack) -> Iterator[Context]:
    """A worker in this process, so that its methods can be sabotaged; the stack's own worker is paused."""
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
