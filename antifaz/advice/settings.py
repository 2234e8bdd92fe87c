"""Settings: how a column of a role is written, by what it is about and what its values are."""

from typing import Any

from antifaz.advice.ready import ready_hierarchy
from antifaz.advice.roles import Advised
from antifaz.tables.table import Role, ValueType

MANY = 60
"""Sets of more values than this are hard to read: text with more of them is cut instead."""


def settings_of(advised: Advised) -> dict[str, Any]:
    """What the policy says of one column."""
    settings: dict[str, Any] = {"role": advised.role.value}
    if advised.role is Role.QUASI_IDENTIFIER:
        settings |= recoding_of(advised)
    return settings


def recoding_of(advised: Advised) -> dict[str, Any]:
    """How a quasi-identifier generalizes: by what it is about, else by its type."""
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
    if kind is ValueType.DATE:
        return {"hierarchy": {"kind": "date"}}
    if kind is ValueType.DATETIME:
        return {"hierarchy": {"kind": "datetime"}}
    if kind in (ValueType.INTEGER, ValueType.DECIMAL):
        return {"recoding": "range"}
    if facts.shape.name == "date":
        return {"hierarchy": {"kind": "mask", "direction": "left", "steps": [2, 5, 8]}}
    if kind is ValueType.TEXT and facts.distinct > MANY:
        return {"hierarchy": {"kind": "auto"}}
    return {"recoding": "set"}
