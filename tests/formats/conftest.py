"""Helpers for the tests of the formats."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from formats.core.faults import Fault
from formats.core.limits import Limits
from tests.formats.limits import limits_of


@pytest.fixture(scope="session")
def limits() -> Limits:
    return limits_of()


@pytest.fixture(scope="session")
def refused() -> Callable[..., Fault]:
    """Call something that must be refused; the error must be our type and carry nothing else."""

    def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        result = function(*arguments)
        if isinstance(result, Iterable):
            list(result)

    def call(function: Callable[..., Any], *arguments: Any) -> Fault:
        with pytest.raises(Fault) as caught:
            run(function, arguments)
        error = caught.value
        assert error.__cause__ is None
        assert error.__context__ is None
        return error

    return call
