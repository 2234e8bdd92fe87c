"""Parse: policies and hierarchies from JSON, with every fault by its pointer."""

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

    Its texts are put in Unicode form NFC, as those of files are: a column is the same however its name is composed.
    """
    policy: Policy = _validated(_POLICY, _composed(data, ""))
    faults = list(contradictions(policy))
    if faults:
        raise InvalidPolicy.of(faults)
    return policy


def _composed(data: Any, pointer: str) -> Any:
    """A JSON value with every text in NFC; two names of one object that are then the same are refused."""
    if isinstance(data, str):
        return unicodedata.normalize("NFC", data)
    if isinstance(data, list):
        return [_composed(member, f"{pointer}/{place}") for place, member in enumerate(data)]
    if not isinstance(data, dict):
        return data
    members = {_composed(name, pointer): _composed(member, f"{pointer}/{name}") for name, member in data.items()}
    if len(members) < len(data):
        raise InvalidPolicy(pointer, "has two names that are the same in Unicode form NFC")
    return members


def parse_hierarchy(data: Any) -> Hierarchy:
    """Validate a hierarchy as it is uploaded or stands in a policy."""
    hierarchy: Hierarchy = _validated(_HIERARCHY, data)
    return hierarchy


def hierarchy_shape(hierarchy: Hierarchy) -> dict[str, Any]:
    """What may be shown of a hierarchy: its kind, and for stated levels how many groups each has; never a label."""
    shape: dict[str, Any] = {"kind": hierarchy.wire_name()}
    rows = getattr(hierarchy, "rows", None)
    if rows:
        shape["levels"] = len(rows[0])
        shape["groups"] = [len({row[level] for row in rows}) for level in range(len(rows[0]))]
    return shape


def privacy_loss(document: Mapping[str, Any], snapshots: int | None = None) -> Decimal:
    """The epsilon that a policy, or the public part of one, promises not to exceed; 0 where it promises none.

    It is the decimal that stands in the policy, and several promises add up. One that is lost in every snapshot again
    counts as often as the policy says, or as there are ``snapshots``; once if neither is known.
    """
    losses = (Decimal(str(guarantee["epsilon"])) * times for guarantee, times in losses_of(document, snapshots))
    return sum(losses, Decimal(0))


def losses_of(document: Mapping[str, Any], snapshots: int | None = None) -> list[tuple[Mapping[str, Any], int]]:
    """The promises of differential privacy, and how many times each is lost."""
    promised = [guarantee for guarantee in document.get("guarantees", ()) if guarantee["model"] in _MECHANISMS]
    return [(guarantee, _times(guarantee, document, snapshots)) for guarantee in promised]


def uncounted_loss(document: Mapping[str, Any]) -> str | None:
    """The pointer to a promise that is lost in every snapshot again, of which the policy does not say how many there
    are; None if there is none."""
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
