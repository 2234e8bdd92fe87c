"""Numbers for people: shares, counts, withheld figures, times and sizes."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

_MOST_LISTED = 40
"""Longer lists are counted instead of written out."""
_NOTHING = 1e-9
"""Percentages below this are floating-point noise around zero."""
_SCALES = (100, 1_000, 10_000, 100_000, 1_000_000)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def is_number(value: Any) -> bool:
    """Whether it is a number: withheld figures are texts."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def show(value: Any) -> str:
    """A number with four significant digits and thousands separators."""
    if not is_number(value):
        return "–" if value is None else _bound(str(value), show)
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def percent(share: Any) -> str:
    """A share as a percentage; a withheld one as a bound."""
    if is_number(share):
        return f"{_rounded(100 * share)}\N{NO-BREAK SPACE}%"
    return "–" if share is None else _bound(str(share), percent)


def _bound(text: str, figure: Callable[[float], str]) -> str:
    """A withheld figure as a bound; any other text unchanged."""
    found = re.fullmatch(r"(<|>=)([0-9]+(?:\.[0-9]+)?)", text)
    return f"{'under' if found[1] == '<' else 'at least'} {figure(float(found[2]))}" if found else text


def _rounded(value: float) -> str:
    if abs(value) < _NOTHING:
        return "0"
    if value and abs(value) < 0.01:
        return f"{value:.1g}"
    digits = 2 if abs(value) < 1 else 1
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def out_of(share: float) -> str:
    """A share out of a round number: 0.93 is "93 of 100"."""
    if share <= 0:
        return "none"
    if share >= 1:
        return "all"
    for scale in _SCALES:
        if share * scale >= 0.95:
            count = round(share * scale)
            return f"more than {scale - 1:,} of {scale:,}" if count == scale else f"{count:,} of {scale:,}"
    return "fewer than 1 of 1,000,000"


def date_of(moment: str | None) -> str:
    """The day of an RFC 3339 time, in words."""
    if not moment:
        return ""
    day = datetime.fromisoformat(moment).astimezone(UTC)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def size_of(count: Any) -> str:
    """A number of bytes in a suitable unit."""
    if not is_number(count):
        return "–"
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def words(name: Any) -> str:
    """A name of the API as words."""
    return str(name).replace("_", " ")


def plain(value: Any) -> str:
    """Any figure of a report as text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{words(name)} = {plain(member)}" for name, member in value.items()) or "–"
    if isinstance(value, list | tuple):
        if len(value) > _MOST_LISTED:
            return f"{len(value)} values, listed in the report's JSON"
        return "; ".join(plain(member) for member in value) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return show(value)


def in_order(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows sorted by name, with numbers in names compared by value."""
    return sorted(rows, key=lambda row: [(not part.isdecimal(), part.zfill(12)) for part in _DIGITS.split(row["name"])])


_DIGITS = re.compile(r"(\d+)")
