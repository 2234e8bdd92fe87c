"""Parse: policies and hierarchies from JSON; every fault is reported with its pointer."""

import json
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from antifaz import catalogue
from antifaz.errors import InvalidPolicy
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.policy.contradictions import contradictions
from antifaz.policy.graphs import GraphPolicy
from antifaz.policy.model import AnyHierarchy, Policy
from antifaz.policy.pointers import faults_of, numbers_out_of_range
from antifaz.policy.tables import TablePolicy
from antifaz.policy.temporal import TemporalPolicy

if TYPE_CHECKING:
    PolicyBody = Policy
else:
    PolicyBody = Annotated[TablePolicy | GraphPolicy | TemporalPolicy, Field(discriminator="kind")]
_POLICY: TypeAdapter[Policy] = TypeAdapter(PolicyBody)
_HIERARCHY: TypeAdapter[Hierarchy] = TypeAdapter(AnyHierarchy)
_MECHANISMS = {
    part.wire_name() for part in catalogue.parts("guarantees") if getattr(part, "evidence", None) == "mechanism"
}
_EACH_SNAPSHOT = {
    (kind, part.wire_name())
    for part in catalogue.parts("guarantees")
    if getattr(part, "each_snapshot", False)
    for kind in part.kinds
}


def parse_policy(data: Any) -> Policy:
    """Validate a policy; `InvalidPolicy` lists every fault with its pointer and never repeats a value.

    All text is normalized to Unicode NFC, as in files, so that a column name matches however it is composed.
    """
    policy: Policy = _validated(_POLICY, _composed(data, ""))
    faults = list(contradictions(policy))
    if faults:
        raise InvalidPolicy.of(faults)
    return policy


def _composed(data: Any, pointer: str) -> Any:
    """Return a JSON value with all text in NFC; refuse an object of which two names become equal."""
    if isinstance(data, str):
        return unicodedata.normalize("NFC", data)
    if isinstance(data, list):
        return [_composed(member, f"{pointer}/{place}") for place, member in enumerate(data)]
    if not isinstance(data, dict):
        return data
    members = {_composed(name, pointer): _composed(member, f"{pointer}/{name}") for name, member in data.items()}
    if len(members) < len(data):
        raise InvalidPolicy(pointer, "has two names that are equal in Unicode NFC")
    return members


def parse_hierarchy(data: Any) -> Hierarchy:
    """Validate a hierarchy that was uploaded or is part of a policy."""
    hierarchy: Hierarchy = _validated(_HIERARCHY, data)
    return hierarchy


def hierarchy_shape(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the public facts of a hierarchy: its kind, and the number of groups of each stated level; never a
    label."""
    shape: dict[str, Any] = {"kind": hierarchy.wire_name()}
    rows = getattr(hierarchy, "rows", None)
    if rows:
        shape["levels"] = len(rows[0])
        shape["groups"] = [len({row[level] for row in rows}) for level in range(len(rows[0]))]
    return shape


def privacy_loss(document: Mapping[str, Any], snapshots: int | None = None) -> Decimal:
    """Return the epsilon that a policy, or the public part of one, promises not to exceed; 0 if it promises none.

    It is the exact decimal of the policy, and several promises add up. An epsilon that is spent in every snapshot is
    multiplied by the number of snapshots that the policy states, or by ``snapshots``; by 1 if neither is known.
    """
    losses = (Decimal(str(guarantee["epsilon"])) * times for guarantee, times in losses_of(document, snapshots))
    return sum(losses, Decimal(0))


def losses_of(document: Mapping[str, Any], snapshots: int | None = None) -> list[tuple[Mapping[str, Any], int]]:
    """Return the promises of differential privacy, and how many times each epsilon is spent."""
    promised = [guarantee for guarantee in document.get("guarantees", ()) if guarantee["model"] in _MECHANISMS]
    return [(guarantee, _times(guarantee, document, snapshots)) for guarantee in promised]


def uncounted_loss(document: Mapping[str, Any]) -> str | None:
    """Return the pointer to a promise whose epsilon is spent in every snapshot if the policy does not state their
    number; else None."""
    for position, guarantee in enumerate(document.get("guarantees", ())):
        if _is_lost_again(guarantee, document) and guarantee.get("snapshots") is None:
            return f"/guarantees/{position}/snapshots"
    return None


def _times(guarantee: Mapping[str, Any], document: Mapping[str, Any], snapshots: int | None) -> int:
    if not _is_lost_again(guarantee, document):
        return 1
    return int(guarantee.get("snapshots") or snapshots or 1)


def _is_lost_again(guarantee: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    return (document.get("kind"), guarantee["model"]) in _EACH_SNAPSHOT


def _validated(adapter: TypeAdapter[Any], data: Any) -> Any:
    try:
        validated = adapter.validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        raise InvalidPolicy.of(faults_of(error, data, of_hierarchy=adapter is _HIERARCHY)) from None
    faults = list(numbers_out_of_range(data))
    if faults:
        raise InvalidPolicy.of(faults)
    return validated
