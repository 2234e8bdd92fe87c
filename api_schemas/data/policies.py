"""Stored policies and the result of a validation."""

from typing import Any

from api_schemas.policy import PolicyDocument
from api_schemas.schema import Answer, Body, Id, Name, Page


class ValidationRequest(Body):
    """A policy to validate, alone or against the columns of a dataset."""

    policy: PolicyDocument
    dataset_id: Id | None = None


class Validation(Answer):
    """The policy would be accepted."""

    valid: bool
    warnings: list[str]
    forecast: dict[str, Any] | None = None
    """What to expect of a run, such as the number of surviving edges, for methods that can predict it from public
    information. The number of nodes is that of the dataset, once it is known."""


class PolicyRequest(Body):
    """A policy to store under a name; using the name again creates its next version."""

    name: Name
    policy: PolicyDocument


class StoredPolicy(Answer):
    """A named, versioned, immutable policy."""

    id: str
    name: str
    version: int
    policy: dict[str, Any]
    """The policy without hierarchy rows."""
    created_at: str


class PolicyPage(Page):
    """Policies, newest first."""

    items: list[StoredPolicy]
