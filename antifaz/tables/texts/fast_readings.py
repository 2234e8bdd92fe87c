"""Fast readings: read, merge and sort whole columns of texts, without a Python step for each text.

Only texts that the reader of single texts would read in exactly the same way are decided here: the plain spellings of a
type, with no exponent, plus sign or leading zeros, and no moment that a float would round twice. The rest stays
undecided.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

PLAIN_INTEGER = r"\A(0|-?[1-9][0-9]{0,17})\z"
PLAIN_DECIMAL = r"\A-?(0|[1-9][0-9]{0,199})(\.[0-9]{0,199})?\z"
_DAY = r"\A(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME = r"[T ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,6}))?)?"
_ZONE = r"(?:Z|(?P<sign>[+-])(?P<hours>[0-9]{2}):(?P<minutes>[0-9]{2}))?"
PLAIN_DATE = _DAY + r"\z"
PLAIN_DATETIME = _DAY + _TIME + _ZONE + r"\z"
LARGEST_EXACT = 2**53
"""Up to here a float holds every integer, and a quotient of two of them is rounded only once."""

Decided = tuple[NDArray[np.bool_], NDArray[np.object_] | None, NDArray[np.float64]]
"""Which texts are decided, and their canonical texts (None if they are unchanged) and numbers."""


def pack(texts: NDArray[np.object_]) -> Any:
    """The texts in one contiguous array; they sort by code point, which is the order of their UTF-8 bytes."""
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:  # half of a surrogate pair is not UTF-8, but has its place among the code points
        return pa.array([text.encode("utf-8", "surrogatepass") for text in texts], pa.large_binary())


def read_fast(
    packed: Any,
    read_plain: Callable[[Any, str], Decided],
    decimal: str,
    canonical: NDArray[np.object_],
    numbers: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Write the canonical texts and numbers of the texts that are decided here, and return which they are.

    The empty text means missing: it is left unchanged and counts as decided.
    """
    empty: NDArray[np.bool_] = _array(pc.equal(pc.binary_length(packed), 0))
    if not pa.types.is_large_string(packed.type):
        return empty
    decided, written, read = read_plain(packed, decimal)
    if written is not None:
        canonical[decided] = written
    numbers[decided] = read
    return decided | empty


def rank_texts(
    texts: NDArray[np.object_], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merge equal texts and sort them by weight, if any, then by code point.

    Equal texts have equal weights. Returns the first position of each distinct text, in sorted order, and the rank of
    each text.
    """
    if weights is not None:
        order = np.argsort(weights, kind="stable")
        if (weights[order][1:] != weights[order][:-1]).all():  # then no two texts are equal either
            return order, _invert(order)
    packed = pack(texts)
    numbers = _array(packed.dictionary_encode().indices).astype(np.int64)
    # Numbers are assigned in the order of first appearance, so a text is new where the highest number rises.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))
    # Adding zero turns negative zero into positive zero.
    keys = {} if weights is None else {"weight": weights[first] + 0.0}
    table = pa.table({**keys, "text": packed.take(pa.array(first))})
    order = _array(pc.sort_indices(table, sort_keys=[(key, "ascending") for key in table.column_names]))
    return first[order], _invert(order)[numbers]


def _invert(order: NDArray[Any]) -> NDArray[np.int64]:
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _array(values: Any) -> NDArray[Any]:
    numpy_values: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return numpy_values


def read_none(packed: Any, decimal: str) -> Decided:
    """No text is decided here."""
    return np.zeros(len(packed), dtype=np.bool_), None, np.zeros(0)


def read_integers(packed: Any, decimal: str) -> Decided:
    """Whole numbers of up to 18 digits."""
    plain = pc.match_substring_regex(packed, PLAIN_INTEGER)
    return _array(plain), None, _array(pc.cast(packed.filter(plain), pa.int64())).astype(np.float64)


def read_decimals(packed: Any, decimal: str) -> Decided:
    """Numbers without an exponent."""
    if decimal != ".":
        packed = pc.replace_substring(pc.replace_substring(packed, ".", "x"), decimal, ".")
    plain = pc.match_substring_regex(packed, PLAIN_DECIMAL)
    pointed = packed.filter(plain)
    return _array(plain), _array(_shorten(pointed)), _array(pc.cast(pointed, pa.float64()))


def _shorten(pointed: Any) -> Any:
    """Drop trailing zeros of a fraction, and the sign of a zero."""
    trimmed = pc.utf8_rtrim(pc.utf8_rtrim(pointed, "0"), ".")
    short = pc.if_else(pc.match_substring(pointed, "."), trimmed, pointed)
    return pc.if_else(pc.equal(short, "-0"), "0", short)


def read_dates(packed: Any, decimal: str) -> Decided:
    """Days of the calendar."""
    plain, fields = _extract(packed, PLAIN_DATE)
    days, valid = _days(fields)
    return _choose(plain, valid), None, days[valid].astype(np.float64)


def read_datetimes(packed: Any, decimal: str) -> Decided:
    """Times of days, in UTC or with an offset."""
    plain, fields = _extract(packed, PLAIN_DATETIME)
    days, valid = _days(fields)
    hour, minute, second = (_whole(fields, name, 2) for name in ("hour", "minute", "second"))
    hours, minutes = _whole(fields, "hours", 2), _whole(fields, "minutes", 2)
    ahead = np.where(_array(pc.equal(fields.field("sign"), "-")), -60, 60) * (hours * 60 + minutes)
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - ahead
    micros = seconds * 1_000_000 + _whole(fields, "fraction", 6)
    valid &= (np.maximum(hour, hours) < 24) & (np.maximum(np.maximum(minute, minutes), second) < 60)
    valid &= np.abs(micros) <= LARGEST_EXACT
    return _choose(plain, valid), None, micros[valid] / 1e6


def _extract(packed: Any, pattern: str) -> tuple[NDArray[np.bool_], Any]:
    """Which texts match, and the named groups of those that do."""
    found = pc.extract_regex(packed, pattern)
    return _array(found.is_valid()), found.drop_null()


def _whole(fields: Any, name: str, width: int) -> NDArray[np.int64]:
    """A group as an integer; omitted digits are zeros on the right."""
    return _array(pc.cast(pc.utf8_rpad(fields.field(name), width, "0"), pa.int64()))


def _days(fields: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    return calendar_days(fields.field("year"), fields.field("month"), fields.field("day"))


def calendar_days(years: Any, months: Any, days: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Days since 1970-01-01, and whether the calendar has the day; the arguments are texts of digits."""
    year, month, day = (_array(pc.cast(digits, pa.int64())) for digits in (years, months, days))
    count = (year - 1970) * 12 + month - 1
    start, end = ((count + step).astype("M8[M]").astype("M8[D]").astype(np.int64) for step in (0, 1))
    valid = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= end - start)
    return start + day - 1, valid


def _choose(plain: NDArray[np.bool_], valid: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The plain texts that are valid."""
    chosen = plain.copy()
    chosen[plain] = valid
    return chosen
