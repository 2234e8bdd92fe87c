"""Signs of life, by a clock that the tests move."""

import time
from pathlib import Path

import pytest

from stack.children.hearing import FIRST_SECONDS, Hearing


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "monotonic", made)
    return made


def silent_after(hearing: Hearing, clock: Clock, most: float) -> float:
    """Seconds after which it is silent, looked at every second."""
    began = clock.now
    while clock.now - began < most and not hearing.is_silent():
        clock.now += 1
    return clock.now - began


def test_a_start_may_take_long_and_then_silence_may_not(tmp_path: Path, clock: Clock) -> None:
    hearing = Hearing(tmp_path / "beat", 60, _heard_at=0.0, _looked_at=0.0)
    hearing.begin()
    assert silent_after(hearing, clock, 500) == 500
    hearing.file.touch()
    assert silent_after(hearing, clock, 500) == 61


def test_a_process_that_never_starts_to_work_is_silent_at_last(tmp_path: Path, clock: Clock) -> None:
    hearing = Hearing(tmp_path / "beat", 60, _heard_at=0.0, _looked_at=0.0)
    assert silent_after(hearing, clock, 10_000) == FIRST_SECONDS + 1


def test_the_file_of_a_predecessor_is_no_sign(tmp_path: Path, clock: Clock) -> None:
    hearing = Hearing(tmp_path / "beat", 60, _heard_at=0.0, _looked_at=0.0)
    hearing.file.touch()
    hearing.begin()
    assert silent_after(hearing, clock, 500) == 500


def test_our_own_absence_is_not_their_silence(tmp_path: Path, clock: Clock) -> None:
    hearing = Hearing(tmp_path / "beat", 60, _heard_at=0.0, _looked_at=0.0)
    hearing.file.touch()
    assert not hearing.is_silent()
    clock.now += 7_200
    assert not hearing.is_silent()
    assert silent_after(hearing, clock, 500) == 61
