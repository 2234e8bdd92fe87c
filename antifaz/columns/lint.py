"""Lint: columns that would be released unchanged, and should not be.

A column whose values are nearly unique, numbered with the rows, or look like e-mail addresses, phone numbers,
identifiers, names of people or free text reveals whose a row is, whatever role a policy gives it. Such a column is
refused unless a waiver names it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.pairs import hold_the_same
from antifaz.columns.shapes import IDENTIFYING, SAYS, shape_of
from antifaz.columns.unique_values import (
    LEAST,
    OF_PEOPLE,
    people_of_values,
    points_at_circles,
    points_at_one_or_two,
)
from antifaz.errors import InvalidDataset
from antifaz.tables.table import Column, Role
from antifaz.tables.texts.value_types import ValueType

LONG = 40
"""Smallest mean number of characters of long texts."""
SHARED_BY_FEW = 20
"""Mean number of rows per value; below it, few rows share a value."""
_REMEDY = "give it the role identifier, or name it in a waiver as_it_is"


@dataclass(frozen=True)
class Finding:
    """Why a column should not be released unchanged."""

    rule: str
    detail: str
    spares_sensitive_numbers: bool = False
    """Whether it does not apply to sensitive columns of numbers: publishing those is the purpose of a release."""

    def concerns(self, role: Role, type_: ValueType) -> bool:
        """Whether it applies to a column of this role and type."""
        if role is Role.INSENSITIVE:
            return True
        numbers = type_ is not ValueType.TEXT
        return role is Role.SENSITIVE and not (numbers and self.spares_sensitive_numbers)


def findings_of(column: Column, unit: NDArray[np.int64] | None = None) -> Iterator[Finding]:
    """The reasons not to release a column unchanged, the gravest first."""
    people = people_of_values(column.codes, column.codes != column.missing, unit)
    if points_at_one_or_two(people):
        yield Finding("free_text", OF_PEOPLE)
    telling = _telling(column)
    if telling is not None:
        yield _finding(telling)
    if points_at_circles(people):
        yield Finding("free_text", OF_PEOPLE)


def _telling(column: Column) -> str | None:
    """What the values look like if they tell whose they are, however many people share them."""
    if is_sequential(column):
        return "are numbered in the order of the rows"
    if column.type not in (ValueType.TEXT, ValueType.INTEGER):
        return None
    shape = shape_of(column)
    if shape.name in IDENTIFYING:
        return f"look like {SAYS[str(shape.name)]}"
    values = len(column.values) - (column.missing + 1)
    shared = values < LEAST or int(np.count_nonzero(column.codes != column.missing)) >= SHARED_BY_FEW * values
    if column.type is ValueType.TEXT and not shared and (shape.name == "text" or shape.length >= LONG):
        return "are long texts that few rows share"
    return None


def _finding(what: str) -> Finding:
    return Finding("as_it_is", f"the values of this column {what}: {_REMEDY}", spares_sensitive_numbers=True)


def refuse_as_it_is(column: Column, role: Role, unit: NDArray[np.int64] | None) -> None:
    """Raise `InvalidDataset` for a column of an original that should not be released unchanged."""
    for finding in findings_of(column, unit):
        if finding.concerns(role, column.type):
            raise InvalidDataset(finding.rule, finding.detail, column=column.name)


def refuse_repeated_identifier(column: Column, identifiers: Iterable[Column]) -> None:
    """Raise `InvalidDataset` for a column that would be released unchanged and holds the codes of an identifier."""
    if any(hold_the_same(column, identifier) for identifier in identifiers):
        finding = _finding("also stand in an identifier, so they name people")
        raise InvalidDataset(finding.rule, finding.detail, column=column.name)


def is_sequential(column: Column) -> bool:
    """Whether the values are whole numbers without gaps that rise with the rows, with few rows per value."""
    if column.type is not ValueType.INTEGER or column.numbers is None:
        return False
    known = column.codes[column.codes != column.missing]
    numbers = column.numbers[column.missing + 1 :]
    if len(numbers) < LEAST or len(known) > 10 * len(numbers):
        return False
    spread = float(numbers[-1] - numbers[0]) + 1
    return spread <= 1.5 * len(numbers) and bool(np.mean(np.diff(known) >= 0) > 0.995)


def findings_in(columns: Iterable[Column]) -> dict[str, dict[str, Any]]:
    """Rule and reason for each column that should not be released unchanged, and whether they also apply to it as a
    sensitive column."""
    found = {column.name: (column.type, list(findings_of(column))) for column in columns}
    return {
        name: {
            "rule": findings[0].rule,
            "detail": findings[0].detail,
            "sensitive": any(finding.concerns(Role.SENSITIVE, type_) for finding in findings),
        }
        for name, (type_, findings) in found.items()
        if findings
    }
