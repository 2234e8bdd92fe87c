"""Time of day: hours, parts of the day.

A time such as `08:30` generalizes to its hour (`08:00–08:59`), to its part of the day (night until 6, morning until 12,
afternoon until 18, evening), and to `*`. Seconds are ignored.

Guarantees: levels nest.
"""

import re
from typing import Literal

from antifaz.hierarchies.listed import Listed

_TIME = re.compile(r"([01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?")
_PARTS = ("night", "morning", "afternoon", "evening")


class TimeOfDay(Listed):
    """Generalize times to hours and parts of the day."""

    kind: Literal["time_of_day"] = "time_of_day"

    def place(self, text: str) -> tuple[str, ...] | None:
        """The hour and the part of the day of a time."""
        found = _TIME.fullmatch(text.strip())
        if found is None:
            return None
        hour = int(found[1])
        return f"{hour:02d}:00–{hour:02d}:59", _PARTS[hour // 6]

    def height(self) -> int:
        return 2

    def described(self) -> str:
        return "times such as 08:30"
