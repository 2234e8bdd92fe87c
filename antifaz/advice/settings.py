"""Settings: how a column of a role is written, by its meaning and its values."""

from typing import Any

from antifaz.advice.ready import ready_hierarchy
from antifaz.advice.roles import Advised
from antifaz.tables.table import Role
from antifaz.tables.texts.value_types import ValueType

MANY = 60
"""Largest number of values of a readable set: text with more values is cut instead."""


def settings_of(advised: Advised) -> dict[str, Any]:
    """The settings of one column in the policy."""
    settings: dict[str, Any] = {"role": advised.role.value}
    if advised.leaves_out:
        settings["missing"] = "suppress_row"
    if advised.role is Role.QUASI_IDENTIFIER:
        settings |= recoding_of(advised)
    return settings


def recoding_of(advised: Advised) -> dict[str, Any]:
    """How a quasi-identifier generalizes: by its meaning, else by its type."""
    facts = advised.facts
    kind = facts.column.type
    if kind in (ValueType.TEXT, ValueType.INTEGER):
        ready = ready_hierarchy(facts, advised.concept)
        if ready is not None:
            return {"type": "text", "hierarchy": ready}
    if advised.concept == "postal_code" and kind is not ValueType.DECIMAL:
        return {"type": "text", "hierarchy": {"kind": "mask"}}
    if advised.concept == "coordinate" and facts.shape.name == "coordinates":
        return {"hierarchy": {"kind": "geo_grid", "axis": "pair"}}
    if kind.definition.hierarchy is not None:
        return {"hierarchy": {"kind": kind.definition.hierarchy}}
    if kind.is_measured:
        return {"recoding": "range"}
    if facts.shape.name == "date":
        return {"hierarchy": {"kind": "mask", "direction": "left", "steps": [2, 5, 8]}}
    if kind is ValueType.TEXT and facts.distinct > MANY:
        return {"hierarchy": {"kind": "auto"}}
    return {"recoding": "set"}
