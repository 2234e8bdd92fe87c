"""One day of the service over canary data, for all tests that look for what it left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaks.story import Story, running_story


@pytest.fixture(scope="package")
def story(server_folder: Path) -> Iterator[Story]:
    """The service, still running, after everything was asked of it once."""
    folder = server_folder / "leaks"
    folder.mkdir()
    folder.chmod(0o711)
    with running_story(folder) as told:
        yield told
