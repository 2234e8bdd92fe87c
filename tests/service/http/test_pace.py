"""Pace: clients that send almost nothing are cut off, clients that keep the minimum rate are not."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from service.http.pace import Pace
from service.http.problems import Problem
from tests.patience import patience


class Time:
    """A clock that the sender winds on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def received(pace: Pace, time: Time, pieces: Sequence[tuple[float, int]]) -> int:
    """Read pieces that come after so many seconds and have so many bytes; says how many bytes came."""

    async def sent() -> AsyncIterator[bytes]:
        for seconds, size in pieces:
            time.now += seconds
            yield b"x" * size

    stream, size = sent(), 0
    while (piece := await pace.read(stream)) is not None:
        size += len(piece)
    return size


def run(pieces: Sequence[tuple[float, int]], seconds: float = 1e9) -> int:
    time = Time()
    return asyncio.run(received(Pace(100.0, 10.0, seconds, time), time, pieces))


def test_the_least_rate_is_enough_for_as_long_as_it_takes() -> None:
    assert run([(5.0, 500)] * 1_000) == 500_000


def test_a_pause_within_the_patience_is_forgiven() -> None:
    assert run([(9.5, 1), (0.1, 5_000), (9.5, 950)]) == 5_951


@pytest.mark.parametrize("pieces", [[(0.5, 1)] * 100, [(5.0, 400)] * 100, [(11.0, 10**6), (0.0, 1)]])
def test_less_is_not(pieces: list[tuple[float, int]]) -> None:
    """A byte every half second, four fifths of the rate, and one long pause that no later haste can undo."""
    with pytest.raises(Problem) as caught:
        run(pieces)
    assert caught.value.status_code == 408
    assert "100 bytes a second" in caught.value.detail


def test_haste_is_not_saved_up() -> None:
    with pytest.raises(Problem):
        run([(0.0, 10**6), (6.0, 1), (6.0, 1), (0.0, 1)])


def test_all_of_the_waiting_has_a_limit_too() -> None:
    with pytest.raises(Problem) as caught:
        run([(5.0, 10_000)] * 20, seconds=60.0)
    assert "may take at most 60 s" in caught.value.detail
    assert run([(5.0, 10_000)] * 11, seconds=60.0) == 110_000


def test_a_sender_that_falls_silent_is_not_waited_for() -> None:
    async def silent() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.sleep(3_600)

    async def read() -> None:
        pace, stream = Pace(1_000.0, 0.05, 3_600.0), silent()
        assert await pace.read(stream) == b"x"
        with pytest.raises(Problem):
            await pace.read(stream)

    asyncio.run(asyncio.wait_for(read(), patience()))


@pytest.mark.parametrize(
    ("pieces", "fits"), [([(1.0, 1_600)] * 50, True), ([(1.0, 800)] * 50, False), ([(2.5, 1)], False)]
)
def test_while_others_wait_a_sender_must_be_quick(pieces: list[tuple[float, int]], fits: bool) -> None:
    """Sixteen times the least rate is enough; half of that, or a pause of more than two seconds, is not."""
    time = Time()
    pace = Pace(100.0, 10.0, 1e9, time, pressed=lambda: True)
    if fits:
        assert asyncio.run(received(pace, time, pieces)) == sum(size for _, size in pieces)
        return
    with pytest.raises(Problem) as caught:
        asyncio.run(received(pace, time, pieces))
    assert caught.value.status_code == 408
    assert "1600 bytes a second while others wait" in caught.value.detail


def test_a_sender_that_is_slow_before_others_wait_is_cut_off_soon_after_they_do() -> None:
    async def scene() -> float:
        began, others = asyncio.get_running_loop().time(), asyncio.Event()

        async def nothing() -> AsyncIterator[bytes]:
            await asyncio.sleep(patience())
            yield b""

        pace = Pace(100.0, patience(), patience(), pressed=others.is_set)
        reading = asyncio.create_task(pace.read(nothing()))
        others.set()
        with pytest.raises(Problem):
            await reading
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(scene()) < patience() / 2
