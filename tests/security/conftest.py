"""The API alone, as the tests of the service make it, and one whole stack for all of these tests."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import own_databases
from tests.service.conftest import api, make_api
from tests.system.conftest import Stack, make_stack, run_stack

__all__ = ["api", "make_api"]


@pytest.fixture(scope="package")
def stack(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """API, worker and sweeper on their own databases."""
    with own_databases(templates, "security_") as made:
        yield from run_stack(make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("security")))
