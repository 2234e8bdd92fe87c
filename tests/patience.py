"""Patience: how long a test waits for an expected event, even on a busy machine.

A deadline costs nothing if the event happens, so all tests share one, far above the waits seen under a load of fifteen
on two cores: the slowest, for an API to start, took more than 120 seconds. A test that something does *not* happen
waits briefly: on a busy machine it may miss a failure, but it never fails wrongly.
"""

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds. The timeout of a whole test (pyproject.toml) is longer, so that the wait that failed is the one reported."""


def wait_for(condition: Callable[[], bool], what: str, patience: float = PATIENCE, pause: float = 0.1) -> None:
    """Wait until the condition holds, or fail and report what was missing."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} was not there after {patience} s")
        time.sleep(pause)
