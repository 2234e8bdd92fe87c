"""One day of the service over canary data, for all tests that search what it left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaks.story import Story, running_story


@pytest.fixture(scope="package")
def story(server_folder: Path) -> Iterator[Story]:
    """The running service, after every request was made once."""
    folder = server_folder / "leaks"
    folder.mkdir()
    folder.chmod(0o711)
    with running_story(folder) as told:
        yield told
