"""Profiles: check a policy against the known column types and size of a dataset, without reading values.

A fault here is only something that the check of a job would (almost) certainly find: a type that the values do not
have, a hierarchy or recoding for another type, or noise that changes too little of a graph of this size.
"""

from collections.abc import Iterable, Mapping

from antifaz.policy.model import AttributePolicy, HierarchyReference, Policy
from antifaz.policy.networks import refuse_faint
from antifaz.policy.pointers import escaped
from antifaz.tables.reading.attributes import NUMERIC_RECODINGS
from antifaz.tables.table import Role
from antifaz.tables.texts.value_types import ValueType

_NUMBERS = tuple(type_ for type_ in ValueType if type_.is_number)
_DATES = tuple(type_ for type_ in ValueType if type_.definition.calendar)
_CODES = ("text", "integer")
_NEEDED = {
    "intervals": _NUMBERS,
    "ages": _NUMBERS,
    "date": _DATES,
    "datetime": _DATES,
    "icd10": ("text",),
    "isco08": _CODES,
    "nuts": ("text",),
    "countries": _CODES,
    "postal_codes": _CODES,
}
"""The types that a kind of hierarchy accepts; other kinds accept any."""
_READ_AS = {("integer", "decimal")}
"""Pairs of a detected type and another type that may be declared for it."""


def profile_faults(policy: Policy, types: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Return pointer and reason of everything in a policy that contradicts the detected types."""
    return [
        (f"/attributes/{escaped(name)}/{field}", detail)
        for name, attribute in policy.attributes.items()
        if types.get(name) and attribute.role is not Role.IDENTIFIER and name not in policy.declared_values()
        for field, detail in _faults_of(attribute, str(types[name]))
    ]


def size_faults(policy: Policy, nodes: int | None, directed: bool | None) -> list[tuple[str, str]]:
    """Return pointer and reason if the policy's noise on edges leaves too many nodes of a graph unchanged."""
    reasons = refuse_faint(policy, policy.forecast(nodes, directed).get("node_unchanged"))
    places = [place for place, guarantee in enumerate(policy.guarantees) if guarantee.draws == "edges"]
    return [
        (f"/guarantees/{place}/epsilon", f"{reason.measured:.2f} is above {reason.limit}: {reason.detail}")
        for place in places
        for reason in reasons
    ]


def _faults_of(attribute: AttributePolicy, found: str) -> Iterable[tuple[str, str]]:
    stated = None if attribute.type is None else attribute.type.value
    # A declared type may still be able to read text, such as a number with leading zeros.
    if stated not in (None, "text", found) and found != "text" and (found, stated) not in _READ_AS:
        yield "type", f"the values are of type {found}"
        return
    type_, hierarchy = stated or found, attribute.hierarchy
    if hierarchy is not None and not isinstance(hierarchy, HierarchyReference):
        kind = hierarchy.wire_name()
        if type_ not in _NEEDED.get(kind, (type_,)):
            yield (
                "hierarchy",
                f"a hierarchy of kind {kind} needs a column of type {' or '.join(_NEEDED[kind])}, not {type_}",
            )
    if attribute.recoding in NUMERIC_RECODINGS and not ValueType(type_).is_measured:
        yield "recoding", f"needs numbers or dates, and the column is {type_}"
