"""Watch: lets the caller see that the verifier is alive, and stop it.

The verifier has no clock. Every loop over data calls the caller's watch about once a second or more often, whatever the
input; the watch raises if the verdict is no longer wanted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watch = Callable[[], object]


def unwatched() -> None:
    """The watch of a caller that waits for the end."""


_WATCH: ContextVar[Watch] = ContextVar("watch", default=unwatched)


@contextmanager
def watched_by(watch: Watch) -> Iterator[None]:
    """Use this watch for everything that is verified inside the context."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def look() -> None:
    """Call the caller's watch, which may raise."""
    _WATCH.get()()
