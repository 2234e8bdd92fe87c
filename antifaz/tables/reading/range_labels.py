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
from antifaz.tables.table import Recoding, ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBERS = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")
_QUOTED = {
    type_: re.compile(rf'\["({end})", "({end})"\]') for type_ in ValueType if (end := type_.definition.end_of_range)
}
"""How ranges of a type are written whose values are no numbers."""


def with_dashes(columns: Sequence[ReleasedColumn], attributes: Mapping[str, AttributeSettings]) -> list[ReleasedColumn]:
    """The columns of a release, with a dash in every range."""
    return [_dash_column(column, attributes.get(column.source)) for column in columns]


def _dash_column(column: ReleasedColumn, settings: AttributeSettings | None) -> ReleasedColumn:
    if column.role is not Role.QUASI_IDENTIFIER or settings is None or settings.recoding is Recoding.SET:
        return column
    declared = settings.recoding is Recoding.RANGE or settings.type in _QUOTED
    patterns = (_NUMBERS, *_QUOTED.values()) if declared else (_NUMBERS,)
    labels = np.array([_dash(str(label), patterns) for label in column.labels], dtype=object)
    if np.array_equal(labels, column.labels):
        return column
    return replace(column, labels=labels, meaning=f"{column.meaning}; ranges are written as low–high, ends included")


def _dash(label: str, patterns: Sequence[re.Pattern[str]]) -> str:
    found = next((match for match in (pattern.fullmatch(label) for pattern in patterns) if match), None)
    return label if found is None else "–".join(found.groups())
