"""The API alone, as the tests of the service make it, and one whole stack for all of these tests."""

import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from cli import databases as installation
from tests.service.conftest import api, make_api
from tests.system.conftest import Stack, is_ready, make_stack, wait_for

__all__ = ["api", "make_api"]


@pytest.fixture(scope="session")
def stack(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """API, worker and sweeper on databases of their own."""
    suffix = secrets.token_hex(4)
    made = replace(templates, main=f"security_main_{suffix}", keyring=f"security_keyring_{suffix}")
    installation.create_database(templates.address, made.main, template=templates.main)
    installation.create_database(templates.address, made.keyring, template=templates.keyring)
    running = make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("security"))
    for name in ("api", "worker", "sweeper"):
        running.start(name)
    try:
        wait_for(lambda: is_ready(running.address), "the API")
        yield running
    finally:
        for name in list(running.processes):
            running.stop(name)
        for name in (made.main, made.keyring):
            installation.drop_database(templates.address, name)
