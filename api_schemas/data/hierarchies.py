"""Hierarchies: uploaded or generated; only their shape can be read back."""

from typing import Any, Literal

from api_schemas.policy import HierarchyDocument
from api_schemas.schema import Answer, Body, ColumnName, Id, Name, Page


class HierarchyRequest(Body):
    """A hierarchy to store under a name."""

    name: Name
    hierarchy: HierarchyDocument


class GenerationRequest(Body):
    """A hierarchy to generate from the values of a dataset's column."""

    name: Name
    dataset_id: Id
    column: ColumnName
    hierarchy: HierarchyDocument
    """The kind and its parameters."""


class PreviewRequest(Body):
    """A hierarchy to preview on the values of a dataset's column before it is used."""

    dataset_id: Id
    column: ColumnName
    hierarchy: HierarchyDocument
    """The kind and its parameters."""


class StoredHierarchy(Answer):
    """The shape of a hierarchy; never a label."""

    id: str
    name: str
    kind: str
    status: Literal["ready", "generating", "failed", "preview"]
    shape: dict[str, Any] | None = None
    """The levels and the number of groups of each; for a generated hierarchy in bands such as "10-99". A preview also
    counts, for each level, the labels that cover a number of rows within a band; fewer than ten labels are "<10"."""
    problem: dict[str, Any] | None = None
    dataset_id: str | None = None
    column: str | None = None
    created_at: str


class HierarchyPage(Page):
    """Hierarchies, newest first."""

    items: list[StoredHierarchy]
