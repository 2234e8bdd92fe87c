"""Signals: handle the request to stop once, and finish stopping."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """A signal requested a stop."""


@contextlib.contextmanager
def stopping_on_signals() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP raise Stopped once, at any place."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in _STOPPING:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped

    former = {number: signal.signal(number, stop) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def unmoved_by_signals() -> Iterator[None]:
    """Ignore further signals: a second Ctrl-C must not leave half of the processes running."""
    former = {number: signal.signal(number, signal.SIG_IGN) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
