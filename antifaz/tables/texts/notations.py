"""Notations: which values of a column may be the same number or moment, written in another way.

``1,234``, ``1.234``, ``1 234`` and ``1'234`` may be one amount, ``5 %``, ``5`` and ``0.05`` one share, ``5 mg`` and
``5.0mg`` one dose, ``05.03.2024``, ``3/5/2024``, ``5 Mar 2024`` and ``20240305`` one day. Some of these can be read in
two ways. Values that *may* be the same count as one: that can only make a guarantee stricter. A text has every reading
that one of the usual notations allows, and texts of a column that share a reading, directly or through others, are one
value.

A column that has nothing but plain numbers (missing values and stars aside) is read with a decimal point: nothing in it
is ambiguous. People are never merged by this rule, and neither are declared values: which of these a cell belongs to
must not depend on other cells.

The verifier implements the same rule in separate code.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.texts.folding import NOT_TEXT, fold_moment, fold_number, fold_plain, plain_text
from antifaz.watch import Watch, unwatched

SLICE = 10_000
"""Number of texts that are read between two calls of the watch."""
_MARKS = str.maketrans({"\u066b": ".", "\u066c": "'", "\u066a": "%", "\u2018": "'", "\u2019": "'"})
"""Marks of numbers in other scripts, and apostrophes."""
_PERCENT = re.compile(r"(?:% ?(?P<after>.+)|(?P<before>.+?) ?%)")
_CURRENCIES = ("chf", "eur", "gbp", "usd")
_WAYS = {
    (mark, point): re.compile(
        rf"([+-]?)(?:([0-9]+|[1-9][0-9]{{0,2}}(?:[{mark}][0-9]{{2,3}})*[{mark}][0-9]{{3}})"
        rf"(?:[{point}]([0-9]*))?|[{point}]([0-9]+))(?:e([+-]?[0-9]{{1,9}}))?"
    )
    for mark, point in ((",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("'", ","))
}
"""Marks between thousands (or between hundreds above the first thousand) and before decimals."""
_WAYS_WITH = {
    "": (_WAYS[",", "."],),
    ",": (_WAYS[",", "."], _WAYS[".", ","]),
    ".": (_WAYS[",", "."], _WAYS[".", ","]),
    "'": (_WAYS["'", "."],),
    " ": (_WAYS[" ", "."],),
    ",.": (_WAYS[",", "."], _WAYS[".", ","]),
    ",'": (_WAYS["'", ","],),
    ".'": (_WAYS["'", "."],),
    ", ": (_WAYS[" ", ","],),
    ". ": (_WAYS[" ", "."],),
}
"""By the marks that a text has, the ways that can read it, one of those that read it alike: trying all on each of a
million texts takes seconds."""
_UNIT = re.compile(r"(?P<amount>[+-]?[0-9.,'][0-9.,' ]*?) ?(?P<unit>[^0-9 .,'+%-][^0-9]*)")
_TIMED = re.compile(r"(?P<date>[^:]*?)(?:(?:t|,? )(?P<clock>[0-9]{1,2}:.*))?")
_CLOCK = re.compile(
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?P<zone>z|utc|gmt|[+-][0-9]{2}(?::?[0-9]{2})?))?"
)
_DIGITS = re.compile(r"([0-9]{1,4})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{1,2})")
_PACKED = re.compile(r"([12][0-9]{3})([0-9]{2})([0-9]{2})(?:t([0-9]{2})([0-9]{2})([0-9]{2})?(z?))?")
_WORDED = re.compile(r"[0-9a-z .,/-]*")
_WORDS = re.compile(r"[0-9]+|[a-z]+")
_DIGIT = re.compile("[0-9]")
_ENDINGS = ("st", "nd", "rd", "th", "of")
_MONTHS = {
    name: place
    for place, names in enumerate(
        (
            *(("jan", "january"), ("feb", "february"), ("mar", "march"), ("apr", "april"), ("may",), ("jun", "june")),
            *(("jul", "july"), ("aug", "august"), ("sep", "sept", "september"), ("oct", "october")),
            *(("nov", "november"), ("dec", "december")),
        ),
        start=1,
    )
    for name in names
}


_BEGINNINGS = re.compile(
    "|".join([r"[0-9+.,'%/-]", *_CURRENCIES, *(name for name in _MONTHS if len(name) == 3), *_ENDINGS])
)
"""How a text with a reading begins, if not with the sign of a currency."""


def value_codes(texts: Sequence[str] | NDArray[np.object_], watch: Watch = unwatched) -> NDArray[np.int32]:
    """For every text of a column, the number of its value, from 0 in order of first appearance."""
    plain: list[str] = []
    folded: list[str] = []
    for start in range(0, len(texts), SLICE):
        watch(0.0)
        plain += [plain_text(text) for text in texts[start : start + SLICE]]
        folded += [fold_plain(text) for text in plain[start:]]
    # Plain numbers alone are not ambiguous: 1.234 is never 1234 among them.
    if all(form in ("", "*") or _is_number(form) for form in folded):
        return _number(folded)
    homes = _Homes()
    for place, (text, form) in enumerate(zip(plain, folded, strict=True)):
        if place % SLICE == 0:
            watch(0.0)
        homes.join(form, _readings(text))
    return _number([homes.home(form) for form in folded])


def _is_number(form: str) -> bool:
    return form.startswith(NOT_TEXT) and form[1:2] != "@"


def _number(forms: Iterable[str]) -> NDArray[np.int32]:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(form, len(numbers)) for form in forms], dtype=np.int32)


class _Homes:
    """Groups of forms that are one value; each has a form that represents it."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def home(self, form: str) -> str:
        """The form that represents the group."""
        above = self._above
        while (next_ := above.get(form, form)) != form:
            # Each step halves the path, so that long chains of joined forms stay short.
            above[form] = above.get(next_, next_)
            form = next_
        return form

    def join(self, form: str, others: Iterable[str]) -> None:
        for other in others:
            self._above[self.home(other)] = self.home(form)


def readings(text: str) -> set[str]:
    """Every number and moment that a text may mean, in the form of `fold`."""
    return _readings(plain_text(text))


def _readings(plain: str) -> set[str]:
    plain = plain if plain.isascii() else plain.translate(_MARKS)
    if not _may_have_readings(plain):
        return set()
    return {form for form in (*_numbers(plain), *_moments(plain)) if form}


def _may_have_readings(plain: str) -> bool:
    """Whether it has a digit and begins like a number or a moment. Most texts do not, and columns may have many."""
    begins = _BEGINNINGS.match(plain) or (plain[:1] and unicodedata.category(plain[0]) == "Sc")
    return bool(begins) and _DIGIT.search(plain) is not None


# --- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(plain: str) -> Iterator[str]:
    """Numbers by every way of grouping digits. A percentage is a share; it is also what a number without the sign may
    mean, in a form of its own: otherwise 1 % and 100 % would both be the number 1."""
    if found := _PERCENT.fullmatch(plain):
        for number in _ways(found["before"] or found["after"], -2):
            yield number
        for number in _ways(found["before"] or found["after"]):
            yield f"{number}%"
        return
    for number in _ways(_without_currency(plain)):
        yield number
        yield f"{number}%"
    if found := _UNIT.fullmatch(plain):
        for number in _ways(found["amount"].strip()):
            yield f"{number}{NOT_TEXT}{found['unit'].strip()}"


def _ways(amount: str, shift: int = 0) -> Iterator[str]:
    for way in _WAYS_WITH.get("".join([mark for mark in ",.' " if mark in amount]), ()):
        if match := way.fullmatch(amount):
            sign, whole, part, bare, power = match.groups(default="")
            digits = "".join(character for character in whole if character.isdigit()) or "0"
            number = fold_number(f"{sign}{digits}.{part or bare}e{int(power or 0) + shift}")
            if number:
                yield number


def _without_currency(amount: str) -> str:
    """An amount without the sign or the code of its currency, in front (also behind a minus) or at the end."""
    sign, rest = (amount[0], amount[1:].lstrip()) if amount[:1] in ("+", "-") else ("", amount)
    if rest[:1] and unicodedata.category(rest[0]) == "Sc":
        rest = rest[1:].lstrip()
    elif rest[:3] in _CURRENCIES:
        rest = rest[3:].lstrip()
    elif rest[-1:] and unicodedata.category(rest[-1]) == "Sc":
        rest = rest[:-1].rstrip()
    elif rest[-3:] in _CURRENCIES:
        rest = rest[:-3].rstrip()
    return sign + rest


# --- moments ---------------------------------------------------------------------------------------------------------


def _moments(plain: str) -> Iterator[str]:
    """Moments by every order of day, month and year; a year of two digits is in this century or in the last."""
    found = _TIMED.fullmatch(plain)
    if found is None:
        return
    clock = _clock(found["clock"])
    for year, month, day, own in () if clock is None else _dates(found["date"].strip()):
        for full in (year,) if year > 99 else (1900 + year, 2000 + year):
            if not (own and clock):
                yield fold_moment(f"{full:04}-{month:02}-{day:02}{own or clock}")


def _dates(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Year, month, day, and the time of day if the date itself has one."""
    if found := _PACKED.fullmatch(text):
        hour, minute, second, zone = found.groups(default="")[3:]
        time = f"t{hour}:{minute}:{second or '00'}{zone}" if hour else ""
        yield int(found[1]), int(found[2]), int(found[3]), time
    if found := _DIGITS.fullmatch(text):
        first, mark, second, last = found.groups()
        if len(first) == 4 and len(last) <= 2:
            yield int(first), int(second), int(last), ""
        if len(first) <= 2 and len(last) in (2, 4):
            yield int(last), int(second), int(first), ""
            if mark != ".":
                yield int(last), int(first), int(second), ""
        if len(first) == len(last) == 2 and mark != ".":
            yield int(first), int(second), int(last), ""
    if _WORDED.fullmatch(text):
        yield from _named([word for word in _WORDS.findall(text) if word not in _ENDINGS])


def _named(words: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """A day, the name of a month and a year, in one of three orders."""
    if len(words) != 3:
        return
    first, second, last = words
    if second in _MONTHS and first.isdigit() and last.isdigit():
        if len(first) <= 2 and len(last) in (2, 4):
            yield int(last), _MONTHS[second], int(first), ""
        if len(first) == 4 and len(last) <= 2:
            yield int(first), _MONTHS[second], int(last), ""
    if first in _MONTHS and second.isdigit() and len(second) <= 2 and last.isdigit() and len(last) == 4:
        yield int(last), _MONTHS[first], int(second), ""


def _clock(clock: str | None) -> str | None:
    """The time of day as the moments of `fold` write it; None if it is none."""
    if clock is None:
        return ""
    found = _CLOCK.fullmatch(clock)
    if found is None:
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"] == "p" else 0)
    zone = {"utc": "z", "gmt": "z"}.get(found["zone"] or "", found["zone"] or "")
    return f"t{hour:02}:{found['minute']}:{found['second'] or '00'}{found['fraction'] or ''}{zone}"
