"""The catalogue: available methods, guarantees, measures and attacks."""

from typing import Any

from pydantic import ConfigDict, Field

from api_schemas.schema import Answer


class CatalogueItem(Answer):
    """One part of the catalogue."""

    model_config = ConfigDict(frozen=True, extra="allow")
    name: str
    """The name that policies use."""
    summary: str
    kinds: list[str]
    """Kinds of dataset that it applies to."""
    guarantees: list[str]
    """Guarantees that a method can give."""
    parameters: dict[str, Any] = Field(alias="schema")
    """JSON schema of its parameters."""


class CatalogueList(Answer):
    """The list of parts, not paged."""

    items: list[CatalogueItem]
