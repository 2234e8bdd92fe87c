"""Times: when an edge exists, and the window that this time falls into.

A column of times holds Unix seconds, ISO 8601 timestamps, or plain numbers of snapshots. A timestamp without an offset
is in UTC. Windows are cut in UTC; weeks begin on Monday. Each distinct text is processed once, not once per row.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from formats.core.faults import Fault

TimeKind = Literal["number", "moment"]
MOST_SNAPSHOTS = 100_000
"""Most snapshots of one temporal graph, empty ones included."""
_NUMBER = r"^[+-]?[0-9]{1,12}(\.[0-9]{1,9})?$"
_WHOLE = r"^[+-]?[0-9]{1,12}$"
_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$"
)
_OFFSET = r"[T ].*(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"
_IS_NUMBER, _IS_WHOLE, _IS_MOMENT = re.compile(_NUMBER), re.compile(_WHOLE), re.compile(_MOMENT)
_FIRST_UNIX, _LAST_UNIX = 100_000_000, 32_503_680_000
"""The years 1973 to 3000: numbers in this range are hardly weights or numbers of snapshots."""
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""The years 1 to 9999, which every program can represent."""
_LENGTHS = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400}
_MONDAY = 3 * 86_400
"""The first second of 1970 was a Thursday."""


def is_time(text: str) -> bool:
    """Whether a cell can be read as a time."""
    return bool(_IS_NUMBER.match(text) or _IS_MOMENT.match(text))


def is_whole(text: str) -> bool:
    """Whether a cell is a whole number."""
    return bool(_IS_WHOLE.match(text))


def is_surely_time(text: str) -> bool:
    """Whether a cell is a time and hardly anything else: a timestamp, or recent Unix seconds."""
    if _IS_MOMENT.match(text):
        return True
    return bool(_IS_NUMBER.match(text)) and _FIRST_UNIX <= float(text) < _LAST_UNIX


@dataclass(frozen=True)
class Windows:
    """The windows into which rows fall, in order of time."""

    positions: NDArray[np.int64]
    """Position of the window of every distinct text."""
    labels: list[str]
    """Beginning of each window, or its number."""


def cut_windows(texts: NDArray[np.object_], window: str | Mapping[str, Any], keep_empty: bool) -> Windows:
    """The window of every distinct text; empty windows are dropped unless ``keep_empty`` is true."""
    kind, seconds = _read_times(texts)
    numbers = seconds if window == "snapshot" else _window_numbers(seconds, window)
    chosen, places = np.unique(numbers, return_inverse=True)
    if keep_empty:
        _refuse_many(int(chosen[-1]) - int(chosen[0]) + 1)
        places, chosen = numbers - chosen[0], np.arange(chosen[0], chosen[-1] + 1)
    _refuse_many(len(chosen))
    return Windows(places.astype(np.int64), _labels(chosen, window, kind))


def _refuse_many(count: int) -> None:
    if count > MOST_SNAPSHOTS:
        detail = f"the windows make {count} snapshots; the limit is {MOST_SNAPSHOTS}: choose a longer window"
        raise Fault("too_many_snapshots", detail, pointer="/metadata/window")


class UnreadableTime(Exception):
    """A text is not a time of the same kind as the first one; ``code`` identifies the text."""

    def __init__(self, code: int, kind: TimeKind) -> None:
        super().__init__(kind)
        self.code = code
        self.kind = kind


def _read_times(texts: NDArray[np.object_]) -> tuple[TimeKind, NDArray[np.int64]]:
    """All texts as numbers, or all as seconds since 1970."""
    column = pa.array(texts, pa.string())
    kind: TimeKind = "moment" if len(texts) and _IS_MOMENT.match(texts[0]) else "number"
    fits = pc.match_substring_regex(column, _MOMENT if kind == "moment" else _NUMBER).to_numpy(zero_copy_only=False)
    if not fits.all():
        raise UnreadableTime(int((~fits).argmax()), kind)
    seconds = _seconds_of_moments(column) if kind == "moment" else _whole_numbers(column)
    beyond = (seconds < _FIRST_SECOND) | (seconds > _LAST_SECOND)
    if beyond.any():
        raise UnreadableTime(int(beyond.argmax()), kind)
    return kind, seconds


def _whole_numbers(column: Any) -> NDArray[np.int64]:
    """Numbers rounded down: a fraction of a second is within the second."""
    plain = pc.replace_substring_regex(column, r"^\+", "")
    if pc.any(pc.match_substring(plain, ".")).as_py():
        return np.asarray(np.floor(pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False)), dtype=np.int64)
    return np.asarray(pc.cast(plain, pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)


def _seconds_of_moments(column: Any) -> NDArray[np.int64]:
    plain = pc.replace_substring(column, ",", ".")
    with_offset = pc.match_substring_regex(plain, _OFFSET)
    seconds = np.empty(len(column), dtype=np.int64)
    for chosen, zone in ((with_offset, "UTC"), (pc.invert(with_offset), None)):
        mask = chosen.to_numpy(zero_copy_only=False)
        seconds[mask] = _cast_moments(plain, mask, pa.timestamp("us", zone))
    return seconds


def _cast_moments(column: Any, mask: NDArray[np.bool_], type_: Any) -> NDArray[np.int64]:
    """Parse timestamps of one form. Arrow refuses days that do not exist; each text is then tried to find which one."""
    cut = pc.replace_substring_regex(column.filter(pa.array(mask)), r"\.[0-9]+", "")
    try:
        moments = pc.cast(cut, type_)
    except pa.ArrowInvalid:
        wrong = next(place for place, text in enumerate(cut.to_pylist()) if not _is_moment(text, type_))
        raise UnreadableTime(int(np.flatnonzero(mask)[wrong]), "moment") from None
    return np.asarray(moments.cast(pa.int64()).to_numpy(zero_copy_only=False) // 1_000_000, dtype=np.int64)


def _is_moment(text: str, type_: Any) -> bool:
    try:
        pc.cast(pa.array([text], pa.string()), type_)
    except pa.ArrowInvalid:
        return False
    return True


def _window_numbers(seconds: NDArray[np.int64], window: str | Mapping[str, Any]) -> NDArray[np.int64]:
    """Number of the window of every time; consecutive windows have consecutive numbers."""
    if isinstance(window, Mapping):
        return seconds // int(window["seconds"])
    if window == "week":
        return (seconds + _MONDAY) // _LENGTHS["week"]
    if window in _LENGTHS:
        return seconds // _LENGTHS[window]
    return np.asarray(seconds.astype("datetime64[s]").astype(f"datetime64[{_CALENDAR[window]}]").astype(np.int64))


_CALENDAR = {"month": "M", "year": "Y"}


def _labels(numbers: NDArray[np.int64], window: str | Mapping[str, Any], kind: TimeKind) -> list[str]:
    if window == "snapshot" and kind == "number":
        return [str(number) for number in numbers.tolist()]
    # A long window may begin before the year 1, where years do not have four digits.
    begins = np.maximum(_begins(numbers, window).astype("datetime64[s]"), np.datetime64(_FIRST_SECOND, "s"))
    return [f"{text}Z" for text in np.datetime_as_string(begins, unit="s").tolist()]


def _begins(numbers: NDArray[np.int64], window: str | Mapping[str, Any]) -> NDArray[Any]:
    if isinstance(window, Mapping):
        return (numbers * int(window["seconds"])).astype("datetime64[s]")
    if window == "snapshot":
        return numbers.astype("datetime64[s]")
    if window == "week":
        return (numbers * _LENGTHS["week"] - _MONDAY).astype("datetime64[s]")
    if window in _LENGTHS:
        return (numbers * _LENGTHS[window]).astype("datetime64[s]")
    return numbers.astype(f"datetime64[{_CALENDAR[window]}]")
