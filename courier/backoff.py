"""Backoff: the time to wait before the next attempt."""

import secrets

_VARIED = 0.1


def wait_after(schedule: str, attempts: int) -> float:
    """Seconds to wait after this number of attempts, from the schedule; varied by a tenth, so that attempts that failed
    together are not repeated together."""
    steps = [float(step) for step in schedule.split(",")]
    step = steps[min(attempts, len(steps)) - 1]
    return step * (1 - _VARIED + 2 * _VARIED * secrets.randbelow(1_000_001) / 1_000_000)
