"""Patience: how long a test waits for what must happen, also on a machine that is busy with other things.

A deadline costs nothing if the awaited thing happens, so there is one for all, far beyond what a load of fifteen on two
cores takes: the slowest wait that was seen there, for an API to start, took more than 120 seconds. Where a test waits
to see that something does *not* happen, it waits briefly: a busy machine then makes it notice less, never fail wrongly.
"""

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds. The timeout of a whole test (pyproject.toml) is longer, so that the wait that failed is the one reported."""


def wait_for(condition: Callable[[], bool], what: str, patience: float = PATIENCE, pause: float = 0.1) -> None:
    """Wait until the condition holds, or fail and say what was not there."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} was not there after {patience} s")
        time.sleep(pause)
