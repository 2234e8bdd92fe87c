"""What there is to choose from: methods, guarantees, measures, attacks."""

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
    """Kinds of dataset that it works on."""
    guarantees: list[str]
    """Guarantees that a method can give."""
    parameters: dict[str, Any] = Field(alias="schema")
    """JSON schema of its parameters."""


class CatalogueList(Answer):
    """A list that is short and not paged."""

    items: list[CatalogueItem]
