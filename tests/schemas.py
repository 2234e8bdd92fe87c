"""Helpers for tests of JSON schemas."""

import re
from typing import Any

CHANCE_FIXED = re.compile(r"seed|random_state", re.IGNORECASE)
"""Names of fields that would fix the randomness. An attack may be named after the people from whom it starts."""


def property_names(schema: Any) -> set[str]:
    """The names of all fields in a schema, however deep."""
    if isinstance(schema, list):
        return {name for item in schema for name in property_names(item)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties")
    names = set(own) if isinstance(own, dict) else set()
    return names | {name for value in schema.values() for name in property_names(value)}


def fixes_chance(schema: Any) -> list[str]:
    """Fields with which a client could fix the randomness."""
    return sorted(name for name in property_names(schema) if CHANCE_FIXED.search(name))
