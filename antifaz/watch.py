"""Watch: how a long computation reports progress and learns that it must stop.

A watch is called at the head of a main loop with the fraction done, which rises within [0, 1]. It raises `Cancelled`
when the work is no longer wanted, and answers True when the time budget is used up: an anytime method then returns
its best so far and says so; the others go on. The engine itself has no clock.
"""

from collections.abc import Callable

Watch = Callable[[float], bool]


def unwatched(fraction: float) -> bool:
    """The watch of a caller who neither looks nor hurries."""
    return False


def within(watch: Watch, start: float, stop: float) -> Watch:
    """A watch for a part of the work: its [0, 1] is the whole's [start, stop]."""
    return lambda fraction: watch(start + (stop - start) * fraction)
