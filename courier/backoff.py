"""How long to wait before the next attempt."""

import secrets

_VARIED = 0.1


def wait_after(schedule: str, attempts: int) -> float:
    """Seconds after this many attempts: the schedule's, varied by a tenth so that what failed together does not come
    back together."""
    steps = [float(step) for step in schedule.split(",")]
    step = steps[min(attempts, len(steps)) - 1]
    return step * (1 - _VARIED + 2 * _VARIED * secrets.randbelow(1_000_001) / 1_000_000)
