"""Watch: how whoever asked for a verdict learns that the verifier lives, and can stop it.

The verifier has no clock. Every loop over data looks up about once a second or more often, on whatever input; the
caller's watch is called then, and raises when the verdict is no longer wanted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watch = Callable[[], object]


def unwatched() -> None:
    """The watch of a caller who waits for the end."""


_WATCH: ContextVar[Watch] = ContextVar("watch", default=unwatched)


@contextmanager
def watched_by(watch: Watch) -> Iterator[None]:
    """Whatever is verified inside looks at this watch."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def look() -> None:
    """Let the caller's watch raise if it will."""
    _WATCH.get()()
