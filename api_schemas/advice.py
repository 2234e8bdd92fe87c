"""Advice: a policy to start from, and the reasons for it."""

from typing import Any

from api_schemas.schema import Answer


class ColumnAdvice(Answer):
    """What a column seems to be."""

    name: str
    type: str
    """As detected."""
    role: str
    """The role that the policy gives it."""
    reason: str
    """Why; without a value of the column."""
    confidence: float
    """From 0 to 1; a guess is 0.5 or below."""
    warnings: list[str]


class UnitAdvice(Answer):
    """A column that says which rows belong to one person."""

    column: str
    reason: str


class Choice(Answer):
    """What one k costs."""

    k: int
    risk: float
    """Highest chance to pick the right person out of a class."""
    loss: float
    """Information lost: for tables the mean certainty penalty of the quasi-identifiers, for graphs the share of edges
    changed."""


class Advice(Answer):
    """What a careful steward would propose for a dataset. No value, minimum or maximum is in it."""

    policy: dict[str, Any]
    """It can be submitted as it is."""
    columns: list[ColumnAdvice]
    """Of a graph, the attributes of its nodes."""
    privacy_unit: UnitAdvice | None = None
    choices: list[Choice]
    """Other values of k, tried by a quick variant of the policy's method."""
    warnings: list[str]


class AdvicePending(Answer):
    """Advice that is still being made."""

    dataset_id: str
    status: str
    """That of the dataset."""
