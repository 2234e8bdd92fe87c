"""Notations: which released values may be the same number or moment, written in another way.

Digits may be grouped by commas, points, blanks or apostrophes, and decimals begin with a point or a comma; amounts may
have a currency, a percent sign or a unit; the parts of a date have several orders. A text has all meanings that these
notations allow, and values of a column that have a meaning in common, directly or through other values, are counted as
one, so that diversity is never overstated. A column of plain numbers alone (except missing cells and stars) is read
with decimal points.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from verifier.verdict.folding import as_read, by_moment, by_size, folded, is_size

_ALIKE = {0x066A: "%", 0x066B: ".", 0x066C: "'", 0x2018: "'", 0x2019: "'"}
_FIGURES = frozenset("0123456789")
_GROUPINGS = ((".", ","), (".", " "), (".", "'"), (",", "."), (",", " "), (",", "'"))
"""The mark before decimals, and the one between groups of digits."""
_CODES = {"eur", "usd", "gbp", "chf"}
_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = {name[:end]: place for place, name in enumerate(_NAMES, 1) for end in (3, None)} | {"sept": 9}
_SILENT = {"st", "nd", "rd", "th", "of"}


def merged_codes(texts: Sequence[str]) -> NDArray[np.int64]:
    """For each distinct text of a sensitive column, the number of its value."""
    values = [folded(text) for text in texts]
    # In a column of plain numbers alone a point is a decimal point; only where other notations occur may 1.234 be 1234,
    # too.
    if all(value in {"", "*"} or is_size(value) for value in values):
        names = values
    else:
        names = _connected(texts, values)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.fromiter((numbers[name] for name in names), np.int64, len(names))


def _connected(texts: Sequence[str], values: Sequence[str]) -> list[str]:
    """For each text, one name for all values that meanings connect with its own."""
    beside: dict[str, set[str]] = {}
    for text, value in zip(texts, values, strict=True):
        for meaning in meanings(text) - {value}:
            beside.setdefault(value, set()).add(meaning)
            beside.setdefault(meaning, set()).add(value)
    name: dict[str, str] = {}
    for start in values:
        waiting = [] if start in name else [start]
        # Along any chain: a text with two meanings makes the values of both one.
        while waiting:
            value = waiting.pop()
            if value not in name:
                name[value] = start
                waiting.extend(beside.get(value, ()))
    return [name[value] for value in values]


def meanings(text: str) -> set[str]:
    """All numbers and moments that a text may stand for."""
    read = as_read(text).translate(_ALIKE)
    return set() if _FIGURES.isdisjoint(read) else {*_amounts(read), *_times(read)}


def _amounts(read: str) -> Iterator[str]:
    share = _bare_share(read)
    if share is not None:
        yield from _sizes(share, -2)
        yield from (f"{size} of a hundred" for size in _sizes(share))
        return
    for size in _sizes(_unpriced(read)):
        yield size
        yield f"{size} of a hundred"
    amount, unit = _measured(read)
    if unit:
        yield from (f"{size} measured in {unit}" for size in _sizes(amount))


def _bare_share(read: str) -> str | None:
    """What is written before or after a percent sign."""
    if read[0] == "%" and len(read) > 1:
        rest = read[1:]
        # A blank belongs to the sign unless nothing else follows.
        return rest[1:] if rest[0] == " " and len(rest) > 1 else rest
    if read[-1] == "%" and len(read) > 1:
        rest = read[:-1]
        return rest[:-1] if rest[-1] == " " and len(rest) > 1 else rest
    return None


def _unpriced(read: str) -> str:
    sign = read[0] if read[0] in "+-" else ""
    rest = read[1:].lstrip() if sign else read
    if rest and unicodedata.category(rest[0]) == "Sc":
        return sign + rest[1:].lstrip()
    if rest[:3] in _CODES:
        return sign + rest[3:].lstrip()
    if rest and unicodedata.category(rest[-1]) == "Sc":
        return sign + rest[:-1].rstrip()
    return sign + (rest[:-3].rstrip() if rest[-3:] in _CODES else rest)


def _measured(read: str) -> tuple[str, str]:
    """The amount and the unit after it, if it has one."""
    start = 1 if read[0] in "+-" else 0
    end = start
    while end < len(read) and read[end] in "0123456789.,' ":
        end += 1
    amount, unit = read[:end].strip(), read[end:].strip()
    if end == start or read[start] == " " or not unit or unit[0] in "+-%" or not _FIGURES.isdisjoint(unit):
        return "", ""
    return amount, unit


def _sizes(amount: str, shift: int = 0) -> Iterator[str]:
    """The amount by every way of grouping digits, times a power of ten."""
    sign = amount[:1] if amount[:1] in {"+", "-"} else ""
    body, scaled, power = amount[len(sign) :].partition("e")
    exponent = shift
    if scaled:
        figures = power[1:] if power[:1] in {"+", "-"} else power
        if not 1 <= len(figures) <= 9 or not _FIGURES.issuperset(figures):
            return
        exponent += int(power)
    for point, mark in _GROUPINGS:
        whole, _, part = body.partition(point)
        joined = _joined(whole, mark)
        if joined is None or not _FIGURES.issuperset(part) or not (joined or part):
            continue
        size = by_size(f"{sign}{joined or '0'}.{part}e{exponent}")
        if size:
            yield size


def _joined(whole: str, mark: str) -> str | None:
    """Digits without the marks between their groups; None if that is no way to group digits."""
    first, *groups = whole.split(mark)
    if not all(_FIGURES.issuperset(group) for group in (first, *groups)):
        return None
    if groups:
        lengths = [len(group) for group in groups]
        # Groups of three, or of two and three as in India (12,34,567); the last one always has three.
        if not 1 <= len(first) <= 3 or first[0] == "0" or lengths[-1] != 3 or not {2, 3}.issuperset(lengths):
            return None
    return "".join((first, *groups))


def _times(read: str) -> Iterator[str]:
    """The date in every order of its parts, with its time of day."""
    head, colon, _ = read.partition(":")
    day, clock = head, ""
    if colon:
        hour = head[len(head.rstrip("0123456789")) :]
        before = head[: len(head) - len(hour)]
        if not 1 <= len(hour) <= 2 or before[-1:] not in {"t", " "}:
            return
        day = before[:-1].removesuffix(",") if before[-1] == " " else before[:-1]
        written = _clock(read[len(before) :])
        if not written:
            return
        clock = written
    for year, month, date in _orders(day.strip()):
        # Two digits do not say the century: both are meant.
        for full in [year] if year >= 100 else [1900 + year, 2000 + year]:
            moment = by_moment(f"{full:04}-{month:02}-{date:02}{clock or 't00:00'}")
            if moment:
                yield moment
    yield from _unbroken(day.strip(), clock)


def _orders(day: str) -> Iterator[tuple[int, int, int]]:
    for mark in "-/.":
        parts = day.split(mark)
        if len(parts) == 3 and all(part and _FIGURES.issuperset(part) for part in parts):
            yield from _numbered(parts, ordered=mark == ".")
    if all(character in _FIGURES or "a" <= character <= "z" or character in " .,/-" for character in day):
        yield from _named(day)


def _numbered(parts: Sequence[str], *, ordered: bool) -> Iterator[tuple[int, int, int]]:
    """Year, month and day; dates with points begin with the day or with a full year."""
    lengths = tuple(map(len, parts))
    one, two, three = map(int, parts)
    if lengths[1] > 2:
        return
    if lengths[0] == 4 and lengths[2] <= 2:
        yield one, two, three
    elif lengths[0] <= 2 and lengths[2] in {2, 4}:
        yield three, two, one
        if not ordered:
            yield three, one, two
            if lengths[0] == lengths[2] == 2:
                yield one, two, three


def _named(day: str) -> Iterator[tuple[int, int, int]]:
    """Year, month and day of a date with the name of its month."""
    runs = ["".join(run) for kind, run in groupby(day, lambda c: c in _FIGURES or (2 if c.isalpha() else 0)) if kind]
    match [run for run in runs if run not in _SILENT]:
        case [one, month, two] if month in _MONTH and one[0] in _FIGURES and two[0] in _FIGURES:
            if len(one) <= 2 and len(two) in {2, 4}:
                yield int(two), _MONTH[month], int(one)
            elif len(one) == 4 and len(two) <= 2:
                yield int(one), _MONTH[month], int(two)
        case [month, one, two] if month in _MONTH and one[0] in _FIGURES and len(one) <= 2:
            if two[0] in _FIGURES and len(two) == 4:
                yield int(two), _MONTH[month], int(one)


def _unbroken(day: str, clock: str) -> Iterator[str]:
    """Dates of eight digits, with four or six more for the time of day."""
    date, timed, time = day.partition("t")
    time, zone = (time[:-1], "z") if timed and time.endswith("z") else (time, "")
    figures = len(date) == 8 and _FIGURES.issuperset(date + time) and date[0] in "12"
    if not figures or (timed and (clock or len(time) not in {4, 6})):
        return
    if timed:
        clock = f"t{time[:2]}:{time[2:4]}:{time[4:] or '00'}{zone}"
    moment = by_moment(f"{date[:4]}-{date[4:6]}-{date[6:]}{clock or 't00:00'}")
    if moment:
        yield moment


def _clock(written: str) -> str:
    """A time of day in the form of ISO 8601; empty if it is none."""
    hour, _, rest = written.partition(":")
    minute, rest = rest[:2], rest[2:]
    second = "00"
    if rest[:1] == ":":
        second, rest = rest[1:3], rest[3:]
        if rest[:1] in {".", ","} and rest[1:2] in _FIGURES:
            figures = len(rest[1:]) - len(rest[1:].lstrip("0123456789"))
            second, rest = second + rest[: figures + 1], rest[figures + 1 :]
    if len(minute) != 2 or len(second) < 2 or not _FIGURES.issuperset(minute + second[:2]):
        return ""
    half, rest = _half(rest)
    number = int(hour)
    if half:
        if not 1 <= number <= 12:
            return ""
        # 12 am is midnight and 12 pm is noon.
        number = number % 12 + (12 if half == "p" else 0)
    zone = _zone(rest)
    return "" if zone is None else f"t{number:02}:{minute}:{second}{zone}"


def _half(rest: str) -> tuple[str, str]:
    """The half of the day (a or p), and what follows."""
    bare = rest.removeprefix(" ")
    for ending in (".m.", ".m", "m.", "m"):
        if bare[:1] in {"a", "p"} and bare[1:].startswith(ending):
            return bare[0], bare[1 + len(ending) :]
    return "", rest


def _zone(rest: str) -> str | None:
    """The zone at the end of a time, empty without one; None if it is none."""
    bare = rest.removeprefix(" ")
    if bare in {"z", "utc", "gmt"}:
        return "z"
    if not rest:
        return ""
    figures = bare[1:]
    if bare[:1] not in {"+", "-"} or not bare[0]:
        return None
    if len(figures) == 5 and figures[2] == ":":
        figures = figures[:2] + figures[3:]
    return bare if len(figures) in {2, 4} and _FIGURES.issuperset(figures) else None
