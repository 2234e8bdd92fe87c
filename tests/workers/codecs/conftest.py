"""What the tests of the codecs share."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from antifaz.errors import InvalidDataset
from storage.settings import Settings


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings()


@pytest.fixture(scope="session")
def refused() -> Callable[..., InvalidDataset]:
    """Call something that must be refused; the error must be ours, destroy the original and carry nothing else."""

    def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        result = function(*arguments)
        if isinstance(result, Iterable):
            list(result)

    def call(function: Callable[..., Any], *arguments: Any) -> InvalidDataset:
        with pytest.raises(InvalidDataset) as caught:
            run(function, arguments)
        error = caught.value
        assert error.shred
        assert error.__cause__ is None
        assert error.__context__ is None
        return error

    return call
