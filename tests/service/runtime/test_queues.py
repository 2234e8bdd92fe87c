"""Times of queues are shown so that asking often tells nothing more."""

from service.runtime.queues import COARSE_SECONDS, QueueTimes
from storage.operations.consumers import QueueState

START = 1_000.0


def shown(
    times: QueueTimes, now: float, waiting: float | None, consumed: float | None
) -> tuple[int | None, int | None]:
    [queue] = times.show([QueueState("fast", 1, waiting, consumed)], START + now)
    return queue.waiting, queue.consumed


def test_work_that_is_taken_between_two_readings_changes_nothing_until_the_next():
    times = QueueTimes()
    assert shown(times, 0.0, 23.9, 47.0) == (20, 40)
    for tenth in range(1, COARSE_SECONDS * 10):
        # Taken after three seconds: a watcher would otherwise see how long the work before it took.
        taken = tenth >= 30
        seen = shown(times, tenth / 10, None if taken else 24.0 + tenth / 10, (tenth - 30) / 10 if taken else 48.0)
        assert seen == (20, 40)
    assert shown(times, COARSE_SECONDS, None, 7.0) == (None, 0)


def test_an_age_that_grows_past_ten_seconds_does_not_tell_when():
    times = QueueTimes()
    assert shown(times, 0.0, 9.5, 9.5) == (0, 0)
    assert shown(times, 0.6, 10.1, 10.1) == (0, 0)
    assert shown(times, COARSE_SECONDS, 19.5, 19.5) == (10, 10)


def test_a_queue_that_nobody_takes_is_known_at_once():
    times = QueueTimes()
    served = times.show([QueueState("fast", 1, 5.0, None)], START)[0]
    left = times.show([QueueState("fast", 0, 5.1, None)], START + 0.1)[0]
    assert (served.is_served, served.consumers) == (True, 1)
    assert (left.is_served, left.consumers) == (False, 0)
    idle = times.show([QueueState("fast", 0, None, None)], START + 0.2)[0]
    assert idle.is_served
