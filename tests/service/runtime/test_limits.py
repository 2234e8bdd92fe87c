"""Rate limits, and turns."""

import asyncio

import pytest

from service.http.problems import Problem
from service.runtime.limits import RateLimit, Turns
from tests.patience import patience


class Clock:
    """A clock that moves only when it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minute_holds_so_many_requests_and_the_refusal_says_when_to_come_back():
    clock = Clock()
    limit = RateLimit(6, clock)
    for _ in range(6):
        limit.take("a")
    with pytest.raises(Problem) as caught:
        limit.take("a")
    assert caught.value.status_code == 429
    assert caught.value.headers["Retry-After"] == "10"
    clock.now = 10.0
    limit.take("a")
    with pytest.raises(Problem):
        limit.take("a")


def test_one_key_does_not_use_up_another():
    limit = RateLimit(1, Clock())
    limit.take("a")
    limit.take("b")
    with pytest.raises(Problem):
        limit.take("a")


def test_zero_is_no_limit():
    limit = RateLimit(0, Clock())
    for _ in range(1000):
        limit.take("a")


def test_quiet_keys_are_forgotten_and_busy_ones_are_not():
    clock = Clock()
    limit = RateLimit(60, clock)
    limit.take("quiet")
    clock.now = 61.0
    for number in range(9_999):
        limit.take(f"key {number}")
    assert "quiet" in limit._buckets
    limit.take("one more")
    assert "quiet" not in limit._buckets
    assert "key 0" in limit._buckets


async def busy(turns: Turns, whose: str = "") -> Problem:
    """The refusal of a request that gets no turn."""
    with pytest.raises(Problem) as caught:
        async with turns.turn(whose):
            pytest.fail("there was no turn left")
    assert (caught.value.status_code, caught.value.kind) == (503, "busy")
    assert int(caught.value.headers["Retry-After"]) >= 1
    return caught.value


def test_a_request_that_finds_every_turn_taken_is_asked_to_come_back():
    async def scene() -> None:
        turns = Turns(2)
        async with turns.turn(), turns.turn():
            with pytest.raises(Problem):
                turns.check()
            await busy(turns)
        turns.check()
        assert turns.taken == 0

    asyncio.run(scene())


def test_one_tenant_gets_its_share_of_the_turns_and_the_others_the_rest():
    async def scene() -> None:
        turns = Turns(4, share=2)
        async with turns.turn("greedy") as first, turns.turn("greedy"):
            await busy(turns, "greedy")
            async with turns.turn("modest"), turns.turn("third"):
                assert turns.taken == 4
                await busy(turns, "modest")
            first.end()
            async with turns.turn("greedy"):
                assert turns.taken == 2
        assert turns.taken == 0
        assert not turns._taken

    asyncio.run(scene())


def test_a_turn_that_ends_early_makes_room_once():
    async def scene() -> None:
        turns = Turns(1)
        async with turns.turn() as turn:
            turn.end()
            async with turns.turn():
                turn.end()
                assert turns.taken == 1
        assert turns.taken == 0

    asyncio.run(scene())


def test_a_turn_ends_with_an_error_too():
    async def scene() -> None:
        turns = Turns(1)
        with pytest.raises(ValueError, match="broken"):
            async with turns.turn():
                raise ValueError("broken")
        turns.check()

    asyncio.run(scene())


async def served(turns: Turns, whose: str, order: list[str], name: str | None = None) -> None:
    async with turns.turn(whose):
        order.append(name or whose)
        await asyncio.sleep(0)


def test_who_finds_no_turn_waits_for_one_and_tenants_are_served_by_rotation():
    async def scene() -> None:
        turns, order = Turns(1, patience=patience()), []
        async with turns.turn("first"):
            waiting = [asyncio.create_task(served(turns, "greedy", order)) for _ in range(4)]
            waiting += [asyncio.create_task(served(turns, whose, order)) for whose in ("modest", "third")]
            await asyncio.sleep(0)
            assert order == []
            assert turns.pressed("first")
        await asyncio.gather(*waiting)
        assert order == ["greedy", "modest", "third", "greedy", "greedy", "greedy"]
        assert turns.taken == 0
        assert not turns._waiting

    asyncio.run(scene())


def test_a_tenant_that_waits_for_its_own_share_keeps_nobody_out():
    async def scene() -> None:
        turns, order = Turns(3, share=2, patience=patience()), []
        async with turns.turn("greedy"), turns.turn("greedy"):
            waiting = asyncio.create_task(served(turns, "greedy", order))
            await asyncio.sleep(0)
            assert turns.pressed("greedy")
            assert not turns.pressed("modest")
            await served(turns, "modest", order)
            assert order == ["modest"]
        await waiting
        assert order == ["modest", "greedy"]

    asyncio.run(scene())


def test_waiting_has_a_limit_of_time_and_of_number():
    async def scene() -> None:
        turns = Turns(1, patience=0.05)
        async with turns.turn():
            refusal = await busy(turns)
            assert "0.05 s" in refusal.detail
        assert turns.taken == 0
        patient = Turns(1, patience=patience())
        async with patient.turn("a"):
            waiting = [asyncio.create_task(served(patient, "a", [])) for _ in range(8)]
            await asyncio.sleep(0)
            await busy(patient, "a")
        await asyncio.gather(*waiting)
        assert patient.taken == 0

    asyncio.run(scene())


def test_who_goes_away_while_waiting_leaves_the_turn_to_the_next():
    async def scene() -> None:
        turns, order = Turns(1, patience=patience()), []
        async with turns.turn():
            gone = asyncio.create_task(served(turns, "a", order, "gone"))
            late = asyncio.create_task(served(turns, "a", order, "late"))
            stays = asyncio.create_task(served(turns, "a", order, "stays"))
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.sleep(0)
        # Its turn was passed on to it a moment ago.
        late.cancel()
        await asyncio.gather(gone, late, stays, return_exceptions=True)
        assert order == ["stays"]
        assert turns.taken == 0

    asyncio.run(scene())
