"""Third-party software that reads our releases: portals, validators, clients. Run only by `make test-portals`.

Their environments are in the folder that ANTIFAZ_PORTALS names, which `make test-portals` fills and sets.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import own_databases
from tests.system.conftest import Stack, make_stack, run_stack

_FOLDER = os.environ.get("ANTIFAZ_PORTALS")
# Without the environments there is nothing to run: other targets do not even collect these tests.
collect_ignore_glob = [] if _FOLDER else ["test_*.py"]


@pytest.fixture(scope="session")
def environments() -> Path:
    """The folder with the environments of third-party software."""
    return Path(str(_FOLDER)).resolve()


@pytest.fixture(scope="session")
def stack(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The whole service, for all of these tests."""
    with own_databases(templates) as made:
        yield from run_stack(make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("stack")))
