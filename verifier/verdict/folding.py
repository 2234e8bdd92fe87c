"""Folding: which released texts are spellings of the same value.

People are counted by their folded form, and sensitive values too, after other notations of a number or a moment were
merged (`verifier.verdict.notations`): the text without case, width, white or invisible space
(Unicode's NFKC_Casefold), a number by its size, an ISO date or time by its moment. A time without a zone is in UTC, and
a date is its midnight. The ``'`` that keeps a spreadsheet from running a csv cell is ignored. Classes are still
distinguished by exact texts: there, it is safer to see two values where a reader sees one.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

_RUNNABLE = frozenset("=+-@\t\r\n＝＋－＠")
_SIZED = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e(?P<power>[+-]?[0-9]+))?")
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMED = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[t ](?P<clock>[0-9]{2}:[0-9]{2})(?P<second>:[0-9]{2})?"
    r"(?:(?<=:[0-9]{2}:[0-9]{2})[.,](?P<fraction>[0-9]+))?"
    r"(?: ?(?:z|(?P<sign>[+-])(?P<hours>[0-9]{2})(?::?(?P<minutes>[0-9]{2}))?))?"
)
_LONGEST_POWER = 9
_SHAPELESS = frozenset(
    (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0),
        *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)),
    )
)
_SPELLED = {0x2800: " ", 0x2212: "-"}
_FIRST = datetime(1, 1, 1, tzinfo=UTC)


class _Reading(dict[int, str]):
    """How each character is read, computed once."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        if point in _SHAPELESS:
            read = ""
        elif character.isspace():
            read = " "
        elif unicodedata.category(character) in {"Cc", "Cf"}:
            read = ""
        elif character.isdecimal():
            read = str(int(character))
        else:
            read = character
        self[point] = read
        return read


_READING = _Reading(_SPELLED)


def folded(text: str) -> str:
    """The value of a text: two texts give the same result if and only if they have the same value."""
    read = as_read(text)
    # Most texts begin with a letter and are neither numbers nor dates.
    if read[:1].isalpha() or not read:
        return read
    return by_size(read) or by_moment(read) or read


def as_read(text: str) -> str:
    """The text without the mark of a csv cell, case, width, and white or invisible space."""
    bare = text[1:] if text[:1] == "'" and text[1:2] in _RUNNABLE else text
    return " ".join(_read(bare).split())


def folded_codes(texts: Iterable[str]) -> NDArray[np.int64]:
    """For each distinct text of a column, the number of its value."""
    values = [folded(text) for text in texts]
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.fromiter((numbers[value] for value in values), np.int64, len(values))


def _read(text: str) -> str:
    """The text in lower case and compatibility form, with every character as it is read."""
    visible = unicodedata.normalize("NFKC", text).translate(_READING)
    if visible.isascii():
        return visible.casefold()
    once = unicodedata.normalize("NFKC", visible.casefold())
    return unicodedata.normalize("NFKC", once.casefold())


def by_size(read: str) -> str:
    """A number as its significant digits and the power of ten of the last one."""
    match = _SIZED.fullmatch(read)
    if match is None:
        return ""
    if len((match["power"] or "").lstrip("+-").lstrip("0")) > _LONGEST_POWER:
        return ""
    sign, digits, power = Decimal(read).as_tuple()
    written = "".join(map(str, digits))
    kept = written.rstrip("0")
    return f"\0{'-' * sign}{kept} {int(power) + len(written) - len(kept)}" if kept else "\0zero"


def is_size(value: str) -> bool:
    """Whether a folded value is a number."""
    return value[:1] == "\0" and "d" not in value


def by_moment(read: str) -> str:
    """A date or time as the time since the first day of the calendar, followed by the fraction of a second."""
    if _DATED.fullmatch(read):
        read = f"{read}t00:00"
    match = _TIMED.fullmatch(read)
    if match is None:
        return ""
    try:
        local = datetime.fromisoformat(f"{match['day']}T{match['clock']}{match['second'] or ':00'}+00:00")
    except ValueError:
        return ""
    hours, minutes = int(match["hours"] or 0), int(match["minutes"] or 0)
    if hours >= 24 or minutes >= 60:
        return ""
    ahead = timedelta(hours=hours, minutes=minutes)
    # Time spans, because they are not limited by the calendar's range.
    passed = local - _FIRST + ahead if match["sign"] == "-" else local - _FIRST - ahead
    return f"\0{passed.days}d{passed.seconds} {(match['fraction'] or '').rstrip('0')}"
