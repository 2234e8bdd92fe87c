"""Watch: how a long computation reports progress and learns that it must stop.

A watch is called at the start of each main loop iteration with the fraction done, which rises within [0, 1]. It raises
`Cancelled` when the work is no longer wanted, and returns True when the time budget is used up: an anytime method then
returns its best result so far and reports this; other methods continue. The engine itself has no clock.
"""

from collections.abc import Callable

Watch = Callable[[float], bool]


def unwatched(fraction: float) -> bool:
    """A watch that never stops the work."""
    return False


def within(watch: Watch, start: float, stop: float) -> Watch:
    """Return a watch for a part of the work: its [0, 1] maps to [start, stop] of the whole."""
    return lambda fraction: watch(start + (stop - start) * fraction)
