"""Patience: how long a test waits for an expected event, even on a busy machine.

A deadline costs nothing if the event happens, so all tests share one, far above the waits seen under a load of fifteen
on two cores: the slowest, for an API to start, took more than 120 seconds. A test that something does *not* happen
waits briefly: on a busy machine it may miss a failure, but it never fails wrongly.

CPU time varies as well, by the machine's speed and by what else its processor holds. Work that is too slow is too slow
every time: a measurement over its limit is repeated, and the shortest counts.
"""

import gc
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


MEASUREMENTS = 3
"""How often work that took too long is measured before it counts as slow."""


def shortest(measure: Callable[[], float], limit: float) -> float:
    """The first measurement below the limit, or the shortest of all.

    Python's search for garbage is off meanwhile: in a process that ran thousands of other tests it takes seconds.
    """
    gc.collect(0)
    gc.disable()
    try:
        taken = [measure()]
        while taken[-1] >= limit and len(taken) < MEASUREMENTS:
            taken.append(measure())
        return min(taken)
    finally:
        gc.enable()
