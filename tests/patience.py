"""Patience: how long a test waits for an expected event, even on a busy machine.

A wait that fails costs its whole deadline, and a developer waits with it. So the deadline is a minute, several times
the longest wait on a machine that has nothing else to do, and grows with the work that others give the machine: at a
load of fifteen on two cores an API took two minutes to start. A test that something does *not* happen waits briefly: on
a busy machine it may miss a failure, but it never fails wrongly.

CPU time varies as well, by the machine's speed and by what else its processor holds. Work that is too slow is too slow
every time: a measurement over its limit is repeated, and the shortest counts.
"""

import gc
import os
import time
from collections.abc import Callable

SECONDS = 60.0
"""Deadline of a wait while the machine is not overloaded. The timeout of a whole test (pyproject.toml) is longer, so
that the wait that failed is the one reported."""
RECOVERY = 180.0
"""The same after a fault, because a process that hangs is only replaced after a while of silence, and for commands of
other programs, which may install or compile."""


def patience(seconds: float = SECONDS) -> float:
    """A deadline in seconds, longer by as much as more than two processes want each core."""
    return seconds * max(1.0, os.getloadavg()[0] / (2 * (os.cpu_count() or 1)))


def wait_for(condition: Callable[[], bool], what: str, seconds: float = SECONDS, pause: float = 0.1) -> None:
    """Wait until the condition holds, or fail and report what was missing."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > patience(seconds):
            raise AssertionError(f"{what} was not there after {waited:.0f} s")
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
