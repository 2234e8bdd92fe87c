"""Advice: a policy to start from, and the reasons for it."""

from typing import Any

from api_schemas.schema import Answer


class ColumnAdvice(Answer):
    """What a column seems to be."""

    name: str
    type: str
    """Detected type."""
    role: str
    """Role of the column in the proposed policy."""
    reason: str
    """Why; never contains a value of the column."""
    confidence: float
    """From 0 to 1; a guess is 0.5 or below."""
    warnings: list[str]


class UnitAdvice(Answer):
    """A column that identifies which rows belong to one person."""

    column: str
    reason: str


class Choice(Answer):
    """Risk and loss at one value of k."""

    k: int
    risk: float
    """Highest chance to pick the right person from a class."""
    loss: float
    """Information loss: the mean certainty penalty of the quasi-identifiers of a table, the share of changed edges of a
    graph."""


class Advice(Answer):
    """A cautious policy proposed for a dataset. It contains no value, minimum or maximum of the data."""

    policy: dict[str, Any]
    """Proposed policy, ready to be submitted."""
    columns: list[ColumnAdvice]
    """Columns of a table, or node attributes of a graph."""
    privacy_unit: UnitAdvice | None = None
    choices: list[Choice]
    """Other values of k, tried with a quick variant of the policy's method."""
    warnings: list[str]


class AdvicePending(Answer):
    """Advice that is not ready yet."""

    dataset_id: str
    status: str
    """Status of the dataset."""
