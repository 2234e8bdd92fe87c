"""A question: what to count or measure, for which rows, in which groups, at which cost."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from antifaz.questions.declarations import (
    MOST_DELTA,
    MOST_KEYS,
    ColumnName,
    Declarations,
    DeclaredColumn,
    Key,
    Stated,
)
from antifaz.tables.texts.folding import fold

MOST_CELLS = 10_000
MOST_BINS = 1_000
MOST_COMPARED = 20_000
"""Limit on the values in all conditions of a question."""
Cost = Annotated[float, Field(gt=0, le=1_000_000)]


class Everything(Stated):
    """No settings."""


class Quantile(Stated):
    """The value below which a share of the values lies."""

    column: ColumnName
    at: Annotated[float, Field(gt=0, lt=1)]
    """The share, such as 0.5 for the median; it is rounded to four decimals."""


class Histogram(Stated):
    """The number of values in each bin."""

    column: ColumnName
    edges: Annotated[list[float | str], Field(min_length=2, max_length=MOST_BINS + 1)]
    """Edges of the bins; each bin includes its lower edge, the last one also its upper edge."""


class Selected(Stated):
    """One requested item; exactly one field must be given."""

    count: Everything | None = None
    """The number of rows."""
    sum: ColumnName | None = None
    mean: ColumnName | None = None
    variance: ColumnName | None = None
    """The mean squared distance from the mean."""
    quantile: Quantile | None = None
    histogram: Histogram | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if len(self.model_fields_set) != 1 or getattr(self, self.kind) is None:
            raise ValueError("exactly one of count, sum, mean, variance, quantile and histogram must be given")
        return self

    @property
    def kind(self) -> str:
        return next(iter(self.model_fields_set), "count")

    @property
    def column(self) -> str | None:
        """The column it uses; None for a count."""
        stated = getattr(self, self.kind)
        return None if self.kind == "count" else stated if isinstance(stated, str) else str(stated.column)


class Condition(Stated):
    """A condition on the rows that count; a row whose cell is missing never meets it."""

    column: ColumnName
    op: Literal["eq", "ne", "lt", "le", "gt", "ge", "in"]
    value: float | Key | Annotated[list[float | Key], Field(max_length=MOST_KEYS, fail_fast=True)]
    """A number, a date, a key, or a list of them for `in`."""

    @property
    def values(self) -> list[float | str]:
        return list(self.value) if isinstance(self.value, list) else [self.value]


class Question(Stated):
    """A question about a dataset."""

    select: Annotated[list[Selected], Field(min_length=1, max_length=20)]
    """Requested items; the cost is divided evenly among them."""
    where: Annotated[list[Condition], Field(max_length=20)] = []
    """Conditions that all must hold."""
    group_by: Annotated[list[ColumnName], Field(max_length=5)] = []
    """Columns to group by: there is an answer for each combination of their keys."""
    keys: Literal["declared", "threshold"] = "declared"
    """Whether groups come from the declared keys, or are the groups found to be large enough, at the cost of a
    delta."""
    epsilon: Cost | None = None
    """Cost of the whole question; on an account in rho it is charged as half of its square."""
    rho: Cost | None = None
    """Cost on an account in rho."""
    delta: Annotated[float, Field(gt=0, le=MOST_DELTA)] | None = None
    """Probability that thresholded keys show a key that only one person has. Required with thresholded keys."""

    @model_validator(mode="after")
    def _few_values(self) -> Self:
        if sum(len(each.value) if isinstance(each.value, list) else 1 for each in self.where) > MOST_COMPARED:
            raise ValueError(f"the conditions of a question may list at most {MOST_COMPARED} values together")
        return self

    @model_validator(mode="after")
    def _one_cost(self) -> Self:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("exactly one of epsilon and rho must be given")
        if (self.keys == "threshold") != (self.delta is not None):
            raise ValueError("thresholded keys need a delta; declared keys must not have one")
        if self.keys == "threshold" and not self.group_by:
            raise ValueError("thresholded keys need columns to group by")
        return self

    def canonical(self) -> dict[str, Any]:
        """Return a form that is equal for every way to write the question: conditions and values sorted, defaults left
        out."""
        stated = self.model_dump(exclude_defaults=True, exclude_none=True)
        stated["select"] = [item.model_dump(exclude_none=True) for item in self.select]
        conditions = [[each.column, each.op, sorted(map(_written, each.values))] for each in self.where]
        stated["where"] = sorted(conditions)
        return {name: _plain(value) for name, value in stated.items()}


def _written(value: float | str) -> str:
    # Without an exponent and trailing zeros, so that a number has one text only.
    return value if isinstance(value, str) else f"{Decimal(str(value)).normalize():f}"


def _plain(value: Any) -> Any:
    """Write numbers as text, so that 1 and 1.0 are equal."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return _written(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def share_of(quantile: Quantile) -> Fraction:
    """Return the share as a fraction of whole numbers."""
    # Candidates are scored by rows times the denominator, in whole numbers: a denominator of this size keeps them far
    # from the limits. A share of 0 or 1 would ask for an extreme, which a single person decides.
    return Fraction(max(1, min(9_999, round(quantile.at * 10_000))), 10_000)


def faults_of(question: Question, declared: Declarations) -> Iterable[tuple[str, str]]:
    """Yield pointer and detail of everything that the declarations do not allow."""
    for place, item in enumerate(question.select):
        yield from _faults_of_item(f"/select/{place}/{item.kind}", item, declared)
    for place, condition in enumerate(question.where):
        yield from _faults_of_condition(f"/where/{place}", condition, declared)
    if len(set(question.group_by)) < len(question.group_by):
        yield "/group_by", "a column is named twice"
    for place, name in enumerate(question.group_by):
        yield from _faults_of_group(f"/group_by/{place}", name, question, declared)
    if question.rho is not None and declared.measure == "pure":
        yield "/rho", "the dataset's budget is an epsilon"
    if cells_of(question, declared) > MOST_CELLS:
        yield "/group_by", f"an answer has at most {MOST_CELLS} cells"


def cells_of(question: Question, declared: Declarations) -> int:
    """Return the number of cells of the largest answer, as far as the declarations determine it."""
    columns = [declared.columns.get(name) for name in question.group_by]
    sizes = [len(column.all_keys or ()) or 1 for column in columns if column is not None]
    bins = [len(item.histogram.edges) - 1 for item in question.select if item.histogram is not None]
    return prod(sizes if question.keys == "declared" else []) * max([1, *bins])


def _faults_of_item(pointer: str, item: Selected, declared: Declarations) -> Iterable[tuple[str, str]]:
    if item.column is None:
        return
    column = declared.columns.get(item.column)
    if column is None:
        yield pointer, "the column is not declared"
    elif not column.is_measured:
        yield pointer, "the column must have declared bounds"
    elif column.type == "date" and item.kind in ("sum", "variance"):
        yield pointer, "dates have no sum and no variance"
    elif item.histogram is not None:
        edges = [column.units_of(edge) for edge in item.histogram.edges]
        if any(edge is None for edge in edges):
            yield f"{pointer}/edges", "must be values of the column's type, and not far beyond all bounds"
        elif any(high <= low for low, high in pairwise(edge for edge in edges if edge is not None)):
            yield f"{pointer}/edges", "each must be larger than the one before by at least one step"


def _faults_of_condition(pointer: str, condition: Condition, declared: Declarations) -> Iterable[tuple[str, str]]:
    column = declared.columns.get(condition.column)
    if column is None:
        yield f"{pointer}/column", "the column is not declared"
        return
    if isinstance(condition.value, list) != (condition.op == "in") or not condition.values:
        yield f"{pointer}/value", "must be a list of values for in, and one value otherwise"
    elif column.is_measured:
        if any(column.units_of(value) is None for value in condition.values):
            yield f"{pointer}/value", "must be of the column's type, and not far beyond all bounds"
    elif column.all_keys is None:
        yield f"{pointer}/column", "text without declared keys cannot have conditions"
    elif condition.op not in ("eq", "ne", "in"):
        yield f"{pointer}/op", "keys can only be compared with eq, ne or in"
    elif None in places_of(column, condition.values):
        yield f"{pointer}/value", "must be a declared key"


def _faults_of_group(pointer: str, name: str, question: Question, declared: Declarations) -> Iterable[tuple[str, str]]:
    column = declared.columns.get(name)
    if column is None:
        yield pointer, "the column is not declared"
    elif column.is_measured:
        yield pointer, "use a histogram to group numbers and dates"
    elif column.all_keys is None and question.keys == "declared":
        yield pointer, "the column has no declared keys"


def places_of(column: DeclaredColumn, values: Sequence[float | str]) -> list[int | None]:
    """Return the index of each stated value among the declared keys, None for a value that is none of them."""
    # Folded like the cells, so that a condition selects the rows of the group that it names.
    places = {fold(key): place for place, key in enumerate(column.all_keys or ())}
    return [places.get(fold(value)) if isinstance(value, str) else None for value in values]
