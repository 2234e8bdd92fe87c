"""Rate limits."""

import pytest

from service.limits import RateLimit, Turns
from service.problems import Problem


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


def test_whoever_comes_when_every_turn_is_taken_is_told_to_come_back():
    turns = Turns(2)
    with turns.turn(), turns.turn():
        with pytest.raises(Problem) as caught:
            turns.check()
        assert caught.value.status_code == 503
        assert int(caught.value.headers["Retry-After"]) >= 1
        with pytest.raises(Problem), turns.turn():
            pytest.fail("there was no turn left")
    turns.check()
    assert turns.taken == 0


def test_one_tenant_gets_its_share_of_the_turns_and_the_others_the_rest():
    turns = Turns(4, share=2)
    with turns.turn("greedy") as first, turns.turn("greedy"):
        with pytest.raises(Problem) as caught, turns.turn("greedy"):
            pytest.fail("there was no turn left")
        assert (caught.value.status_code, caught.value.kind) == (503, "busy")
        assert int(caught.value.headers["Retry-After"]) >= 1
        with turns.turn("modest"), turns.turn("third"):
            assert turns.taken == 4
            with pytest.raises(Problem), turns.turn("modest"):
                pytest.fail("there was no turn left")
        first.end()
        with turns.turn("greedy"):
            assert turns.taken == 2
    assert turns.taken == 0
    assert not turns._taken


def test_a_turn_that_ends_early_makes_room_once():
    turns = Turns(1)
    with turns.turn() as turn:
        turn.end()
        with turns.turn():
            turn.end()
            assert turns.taken == 1
    assert turns.taken == 0


def test_a_turn_ends_with_an_error_too():
    turns = Turns(1)
    with pytest.raises(ValueError, match="broken"), turns.turn():
        raise ValueError("broken")
    turns.check()
