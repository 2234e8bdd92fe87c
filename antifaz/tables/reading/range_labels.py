"""Range labels: ranges with a dash instead of their JSON form, for people who read a release in a spreadsheet.

`[20, 29]` becomes `20–29`, and `["2020-01-01", "2020-03-31"]` becomes `2020-01-01–2020-03-31`. Sets stay JSON lists, so
that the two are never confused: numbers of a set are quoted, and two dates are a range only if the policy declares that
the column has ranges or holds dates.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from antifaz.tables.reading.attributes import AttributeSettings
from antifaz.tables.table import Recoding, ReleasedColumn, Role, ValueType

_DATED = (ValueType.DATE, ValueType.DATETIME)

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9T:.+Z -]*"
_NUMBERS = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")
_MOMENTS = re.compile(rf'\["({_MOMENT})", "({_MOMENT})"\]')


def with_dashes(columns: Sequence[ReleasedColumn], attributes: Mapping[str, AttributeSettings]) -> list[ReleasedColumn]:
    """The columns of a release, with a dash in every range."""
    return [_dash_column(column, attributes.get(column.source)) for column in columns]


def _dash_column(column: ReleasedColumn, settings: AttributeSettings | None) -> ReleasedColumn:
    if column.role is not Role.QUASI_IDENTIFIER or settings is None or settings.recoding is Recoding.SET:
        return column
    dated = settings.recoding is Recoding.RANGE or settings.type in _DATED
    patterns = (_NUMBERS, _MOMENTS) if dated else (_NUMBERS,)
    labels = np.array([_dash(str(label), patterns) for label in column.labels], dtype=object)
    if np.array_equal(labels, column.labels):
        return column
    return replace(column, labels=labels, meaning=f"{column.meaning}; ranges are written as low–high, ends included")


def _dash(label: str, patterns: Sequence[re.Pattern[str]]) -> str:
    found = next((match for match in (pattern.fullmatch(label) for pattern in patterns) if match), None)
    return label if found is None else "–".join(found.groups())
