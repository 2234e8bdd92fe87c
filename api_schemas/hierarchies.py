"""Hierarchies: uploaded or generated; only their shape can be read."""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from api_schemas.policy import HierarchyDocument
from api_schemas.schema import Answer, Body, Id, Name, Page

ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00]*$")]


class HierarchyRequest(Body):
    """A hierarchy to keep under a name."""

    name: Name
    hierarchy: HierarchyDocument


class GenerationRequest(Body):
    """A hierarchy to be made from the values of a dataset's column."""

    name: Name
    dataset_id: Id
    column: ColumnName
    hierarchy: HierarchyDocument
    """The kind and its parameters."""


class StoredHierarchy(Answer):
    """The shape of a hierarchy; never a label."""

    id: str
    name: str
    kind: str
    status: Literal["ready", "generating", "failed"]
    shape: dict[str, Any] | None = None
    """Levels, and how many groups each has."""
    problem: dict[str, Any] | None = None
    dataset_id: str | None = None
    column: str | None = None
    created_at: str


class HierarchyPage(Page):
    """Hierarchies, newest first."""

    items: list[StoredHierarchy]
