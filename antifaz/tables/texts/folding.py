"""Folding: which texts are the same value, however they are spelled.

A class with ``HIV``, ``hiv`` and ``HIV`` before a space has one diagnosis, not three. Texts are folded to the value
that a person reads: Unicode's compatibility form without case, invisible characters or extra white space; a number by
its size; an ISO date or time by its moment (no zone means UTC, a date means its midnight). The mark that a csv file
puts before a text that a spreadsheet would run is not part of the value.

People are counted by their folded form, and so are the values of sensitive columns, after those that may be other
notations of one number or moment were merged (`antifaz.tables.texts.notations`). Releases keep their spelling: codes
such as 250.1 and 250.10 may differ in meaning, and counting them as one can only make a guarantee stricter. Other
differences (accents, punctuation, synonyms, similar letters of another script) still make two values.

The verifier implements the same rule in separate code.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date

import numpy as np
from numpy.typing import NDArray

_MARKED = re.compile(r"'[=+\-@\t\r]")
_NUMBER = re.compile(r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:e([+-]?)0*([0-9]{1,9}))?")
_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[t ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?: ?(z|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Characters without a shape that Unicode does not class as controls or formats."""
_BLANK_BRAILLE, _MINUS = "\u2800", "\u2212"
NOT_TEXT = "\x00"
"""Prefix of folded numbers and moments: no folded text contains it."""


def fold(text: str) -> str:
    """The form in which a text is compared; two texts with the same form are one value."""
    return fold_plain(plain_text(text))


def fold_plain(plain: str) -> str:
    """The same for a text that is plain already."""
    return fold_number(plain) or fold_moment(plain) or plain


def plain_text(text: str) -> str:
    """The text without the mark of a csv cell, case, width, extra white space and invisible characters."""
    return _without_spelling(text[1:] if _MARKED.match(text) else text)


def fold_codes(texts: Iterable[str]) -> NDArray[np.int32]:
    """For every text, the number of its folded value, from 0 in order of first appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(fold(text), len(numbers)) for text in texts], dtype=np.int32)


def _without_spelling(text: str) -> str:
    """The text without case, width, extra white space and invisible characters."""
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().split())
    shown = "".join(map(_shown, unicodedata.normalize("NFKC", text)))
    # Unicode's NFKC_Casefold: folding case can undo the normal form and vice versa, but not twice.
    for _ in range(2):
        shown = unicodedata.normalize("NFKC", shown.casefold())
    return " ".join(shown.split())


def _shown(character: str) -> str:
    """A character as it is read: nothing for an invisible one, an ASCII digit for a digit of any script."""
    if character.isspace() or character == _BLANK_BRAILLE:
        return " "
    if unicodedata.category(character) in ("Cc", "Cf") or _FILLERS.match(character):
        return ""
    if character == _MINUS:
        return "-"
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


def fold_number(text: str) -> str:
    """Sign, digits and exponent, without the zeros that do not change the value."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return ""
    sign, whole, part, bare, sense, power = found.groups(default="")
    part = part or bare
    digits = (whole + part).lstrip("0")
    kept = digits.rstrip("0")
    if not kept:
        return f"{NOT_TEXT}0"
    exponent = int(f"{sense}{power or 0}") - len(part) + len(digits) - len(kept)
    return f"{NOT_TEXT}{'-' if sign == '-' else ''}{kept}e{exponent}"


def fold_moment(text: str) -> str:
    """Seconds since the first day of the calendar, in UTC, and the fraction of the last one."""
    found = _MOMENT.fullmatch(text)
    if not found:
        return ""
    year, month, day, hour, minute, second, fraction, zone = found.groups(default="")
    clock = [int(piece or 0) for piece in (hour, minute, second)]
    offset = _offset(zone)
    if offset is None or clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        return ""
    try:
        days = date(int(year), int(month), int(day)).toordinal()
    except ValueError:
        return ""
    seconds = days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2] - offset
    return f"{NOT_TEXT}@{seconds}.{fraction.rstrip('0')}"


def _offset(zone: str) -> int | None:
    """The number of seconds that a zone is ahead of UTC, or None if no clock has such a zone."""
    if zone in ("", "z"):
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        return None
    ahead = hours * 3_600 + minutes * 60
    return -ahead if zone[0] == "-" else ahead
