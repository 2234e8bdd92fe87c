"""Sizes: by what the values of a column type are compared, if they have a size; values of other types are texts."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any


def moment_of(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


SIZES: Mapping[str, Callable[[str], Any]] = {
    "integer": Fraction,
    "decimal": Fraction,
    "date": moment_of,
    "datetime": moment_of,
}
"""How a value of each type with sizes is read; `ValueError` if the text is no value of the type."""
