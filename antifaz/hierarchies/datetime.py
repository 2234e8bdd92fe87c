"""Datetime: second, minute, hour, day, week, month, year.

The time hierarchy of Samarati, "Protecting Respondents' Identities in Microdata Release", IEEE TKDE 2001, in the units
of ISO 8601.

A moment generalizes to its second, minute, hour, day, week, month and year, and in the end to `*`. Times are used as
written: an offset from universal time is dropped. Weeks begin on Monday; since a week may be in two months, it is cut
at the end of the month, so that levels nest and a label always contains its values.

Guarantees: levels nest.
"""

import re
from calendar import monthrange
from datetime import date, timedelta
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import place_values, refuse_unplaced
from antifaz.part import Examples

Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]
UNITS: tuple[Unit, ...] = ("second", "minute", "hour", "day", "week", "month", "year")
LENGTHS = {"second": 19, "minute": 16, "hour": 13, "day": 10, "month": 7, "year": 4}
"""Number of characters of a moment that name its unit."""
MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?)?"
)


class Datetime(Hierarchy):
    """Generalize moments from second to minute, hour, day, week, month and year."""

    examples: ClassVar[Examples] = ({"units": ["hour", "day", "month"]},)

    kind: Literal["datetime"] = "datetime"
    units: list[Unit] = Field(default=list(UNITS), min_length=1)
    """The units in use, finest first."""

    @field_validator("units")
    @classmethod
    def _rise(cls, units: list[Unit]) -> list[Unit]:
        if any(UNITS.index(first) >= UNITS.index(second) for first, second in pairwise(units)):
            raise ValueError("units must become coarser")
        return units

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every moment, or raise `InvalidDataset` if the column has other values."""
        moments = [_read(str(value)) for value in values]
        others = [place for place, value in enumerate(values) if value and moments[place] is None]
        refuse_unplaced(column, others, "distinct values are not moments written as YYYY-MM-DDThh:mm:ss")
        levels = [[_label(moment, unit) for moment in moments] for unit in self.units]
        return place_values(values, [np.array(level, dtype=object) for level in levels])


def _read(text: str) -> str | None:
    """A moment with seconds and without an offset, or None if the text is not a moment."""
    found = MOMENT.fullmatch(text)
    if found is None:
        return None
    day, time, seconds = found.groups()
    try:
        date.fromisoformat(day)
    except ValueError:
        return None
    return f"{day}T{time or '00:00'}{seconds or ':00'}"


def _label(moment: str | None, unit: Unit) -> str:
    if moment is None:
        return ""
    return _week(date.fromisoformat(moment[:10])) if unit == "week" else moment[: LENGTHS[unit]]


def _week(day: date) -> str:
    """The days of a week that are in the day's month, as the interval from the first to the last."""
    monday, sunday = day - timedelta(days=day.weekday()), day + timedelta(days=6 - day.weekday())
    first = max(monday, day.replace(day=1))
    last = min(sunday, day.replace(day=monthrange(day.year, day.month)[1]))
    return f"{first.isoformat()}/{last.isoformat()}"
