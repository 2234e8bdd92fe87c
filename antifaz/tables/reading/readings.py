"""Readings: the texts of a column as values of a type.

The definition of a type reads one text, and alone decides which texts belong to the type and how they are written. A
whole column is read at a time if its texts are plain; those left undecided are read one by one, so both ways agree on
every text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.texts.fast_readings import pack, read_fast
from antifaz.tables.texts.value_types import Reading, ValueType

DETECTED = tuple(type_ for type_ in ValueType if type_.definition.detected)
"""Types that are tried, in this order, if none is declared."""


@dataclass(frozen=True)
class Readings:
    """The texts of a column, each read as a value of one type."""

    type: ValueType
    canonical: NDArray[np.object_]
    numbers: NDArray[np.float64]
    strange: NDArray[np.int64]
    """Positions of the texts that do not belong to the type."""
    form: str = ""
    """How the texts were written, if they had to be converted to plain form first."""
    marks: frozenset[str] = frozenset()
    """Texts that marked a missing value."""


def read_declared(texts: NDArray[np.object_], type_: ValueType, decimal: str = ".") -> Readings:
    """Every text as a value of a declared type, which also accepts leading zeros and plus signs."""
    if type_ is ValueType.TEXT:
        return Readings(type_, texts, np.full(len(texts), np.nan), np.zeros(0, dtype=np.int64))
    return _read(texts, pack(texts), type_, decimal, lenient=True)


def read_detected(texts: NDArray[np.object_], decimal: str = ".") -> Readings:
    """Every text as a value of the narrowest type that all but the empty one belong to."""
    some = next(filter(None, texts), None)
    likely = [type_ for type_ in DETECTED if some and type_.definition.read(some, decimal, False)]
    packed = pack(texts) if likely else None
    for type_ in likely:
        readings = _read(texts, packed, type_, decimal, lenient=False)
        if not len(readings.strange):
            return readings
    return read_declared(texts, ValueType.TEXT)


def detect_type(texts: Sequence[str], decimal: str = ".") -> ValueType:
    """The narrowest type that every text but the empty one belongs to."""
    return read_detected(np.array(texts, dtype=object), decimal).type


def read_number(type_: ValueType, text: str) -> float | None:
    """The number of a released value of a measured type, or None if the text is not one."""
    reading = read_released(type_, text)
    return None if reading is None or np.isnan(reading[1]) else reading[1]


def read_released(type_: ValueType, text: str) -> Reading | None:
    """A released value, or None if the text is not one; that of an integer column may have decimals, such as a mean."""
    type_ = ValueType.DECIMAL if type_ is ValueType.INTEGER else type_
    return type_.definition.read(text, ".", True)


def _read(texts: NDArray[np.object_], packed: Any, type_: ValueType, decimal: str, lenient: bool) -> Readings:
    """The readings of all texts; unless lenient, only up to the first text that does not belong to the type."""
    canonical, numbers = texts.copy(), np.full(len(texts), np.nan)
    decided = read_fast(packed, type_.definition.read_fast, decimal, canonical, numbers)
    read, strange = type_.definition.read, []
    for place in np.flatnonzero(~decided):
        reading = read(texts[place], decimal, lenient)
        if reading is not None:
            canonical[place], numbers[place] = reading
            continue
        strange.append(place)
        if not lenient:
            break
    return Readings(type_, canonical, numbers, np.array(strange, dtype=np.int64))
