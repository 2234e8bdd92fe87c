"""Signs of life of the processes of a worker: one that is stopped is found, one that works or waits is not."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from storage.operations.pulse import Pulse
from tests.patience import wait_for
from tests.workers.conftest import Steward
from workers.process import signs
from workers.process.pulse import Heart, Loop
from workers.process.signs import Signs

PLACES = 2


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "_SIGN_SECONDS", 0.02)


@contextmanager
def child(made: Signs, place: int, *, gives: bool = True) -> Iterator[int]:
    """A process of the pool that works and never looks up."""
    process = os.fork()
    if process == 0:
        try:
            if gives:
                made.give(place)
            while True:
                time.sleep(0.01)
        finally:
            os._exit(1)
    try:
        if gives:
            wait_for(lambda: process in given(made), "the first sign")
        yield process
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def given(made: Signs) -> dict[int, float]:
    return {int(process): float(at) for process, at in signs._SIGN.iter_unpack(made._memory[:])}


def test_a_process_that_is_stopped_is_silent_and_another_is_not() -> None:
    made = Signs(PLACES)
    with child(made, 0) as stopped, child(made, 1) as working:
        os.kill(stopped, signal.SIGSTOP)
        last = given(made)[stopped]
        wait_for(lambda: given(made)[working] > last + 0.5, "signs of the other")
        assert made.silent([stopped, working], 1_000) == []
        assert made.silent([stopped, working], given(made)[working] - last) == []
        assert stopped in made.silent([stopped, working], 0.2)


def test_a_single_look_condemns_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything on a machine may have been stopped for a while; what resumes gives its sign before the next look."""
    made = Signs(1)
    made._write(0)
    later = time.monotonic() + 500
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert made.silent([os.getpid()], 60) == []
    made._write(0)
    assert made.silent([os.getpid()], 60) == []
    later += 500
    assert made.silent([os.getpid()], 60) == []
    assert made.silent([os.getpid()], 60) == [os.getpid()]


def test_a_process_that_never_gave_a_sign_is_not_judged() -> None:
    """It still starts, or has another number than the one that had its place, or shares no memory with us."""
    made = Signs(1)
    with child(made, 0, gives=False) as fresh:
        for _ in range(3):
            assert made.silent([fresh], -1) == []


def test_the_heart_ends_what_is_silent_after_its_lease(steward: Steward) -> None:
    chosen = steward.context.settings.model_copy(update={"stalled_seconds": 7.0})
    pulse = Pulse("worker", ["fast"], chosen)
    asked: list[float] = []
    process = os.fork()
    if process == 0:
        signal.pause()
        os._exit(0)

    def silent(seconds: float) -> list[int]:
        asked.append(seconds)
        return [process]

    loop = Loop(pulse)
    loop.tick(consumer())
    Heart(loop, pulse, chosen, silent).beat()
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    assert asked == [max(7.0, chosen.lease_seconds + chosen.unheard_seconds)]


def consumer() -> Any:
    qos = SimpleNamespace(_delivered={}, _dirty=set())
    return SimpleNamespace(
        task_consumer=SimpleNamespace(channel=SimpleNamespace(qos=qos)), qos=SimpleNamespace(value=1)
    )
