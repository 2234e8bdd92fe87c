"""Policies in requests: parsed by the engine's schema, checked against columns, hierarchies and populations."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from antifaz.errors import InvalidPolicy
from antifaz.policy.model import Policy, without_data
from antifaz.policy.parse import parse_policy
from antifaz.policy.pointers import escaped
from antifaz.policy.profiles import profile_faults, size_faults
from api_schemas.strict_json import canonical_json
from service.http.parameters import identity_or_none
from service.http.parsing import READERS
from service.http.problems import LARGER_HIERARCHIES, policy_problem
from service.policies.kinds import KINDS
from storage.datasets import datasets, hierarchies
from storage.datasets.datasets import DatasetRecord

_SHORT = 500
MOST_ATTRIBUTES = 2_000
"""Limit on columns that a policy describes: as many as a table may have."""
MOST_LISTED = 30_000
"""Limit on labels of one hierarchy inside a policy, and on values of one order."""
MOST_VALUES = 60_000
"""Limit on all values in one policy."""


@dataclass(frozen=True)
class AcceptedPolicy:
    """A policy that is valid in itself."""

    policy: Policy
    public: dict[str, Any]
    """The policy without hierarchy rows, which may be stored in clear and shown."""
    content: bytes
    """The whole policy as canonical JSON, to be sealed to the workers."""


async def accept_policy(document: Any, tenant_id: UUID) -> AcceptedPolicy:
    """Parse a policy; outside the event loop if it is long, for example because of hierarchies with many rows."""
    try:
        return _accept(document) if is_short(document) else await READERS.read(str(tenant_id), _accept, document)
    except InvalidPolicy as error:
        raise policy_problem(error) from None


def is_short(document: Any, most: int = _SHORT) -> bool:
    """Whether a JSON value holds at most ``most`` values; by default few enough that a thread would not pay off."""
    held, waiting = 0, [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            held += len(value)
            if held > most:
                return False
            waiting.extend(value.values() if isinstance(value, dict) else value)
    return True


def _accept(document: Any) -> AcceptedPolicy:
    _check_cost(document)
    policy = parse_policy(document)
    whole = policy.canonical()
    content = canonical_json(whole)
    return AcceptedPolicy(policy, without_data(whole), content)


def _check_cost(document: Any) -> None:
    """Refuse documents with too many values before the schema, which would take long, checks the rest."""
    attributes = document.get("attributes") if isinstance(document, dict) else None
    named = attributes.items() if isinstance(attributes, dict) else ()
    if len(named) > MOST_ATTRIBUTES:
        raise InvalidPolicy("/attributes", f"may have at most {MOST_ATTRIBUTES} members")
    faults = [found for name, attribute in named if isinstance(attribute, dict) for found in _too_long(name, attribute)]
    if not faults and not is_short(document, MOST_VALUES):
        faults = [("", f"a policy may hold at most {MOST_VALUES} values. {LARGER_HIERARCHIES}")]
    if faults:
        raise InvalidPolicy.of(faults)


def _too_long(name: str, attribute: dict[str, Any]) -> list[tuple[str, str]]:
    hierarchy, place = attribute.get("hierarchy"), f"/attributes/{escaped(name)}"
    faults = []
    if isinstance(hierarchy, dict) and not is_short(hierarchy, MOST_LISTED):
        faults.append((f"{place}/hierarchy", f"may hold at most {MOST_LISTED} labels. {LARGER_HIERARCHIES}"))
    if not is_short(attribute.get("order"), MOST_LISTED):
        faults.append((f"{place}/order", f"may list at most {MOST_LISTED} values"))
    return faults


def check_kind(policy: Policy, kind: str) -> None:
    """Require a policy for the dataset's kind."""
    if policy.kind != kind:
        raise policy_problem(InvalidPolicy("/kind", f"the dataset is a {kind.replace('_', ' ')}"))


def check_columns(policy: Policy, columns: Sequence[str] | None) -> None:
    """Require a role for every column and a column for every role, if the columns are known."""
    if columns is None:
        return
    try:
        policy.check_columns(list(columns))
    except InvalidPolicy as error:
        raise policy_problem(error) from None


def check_profile(policy: Policy, dataset: DatasetRecord) -> None:
    """Check the types of a profiled dataset's columns where a policy depends on them."""
    types = {column["name"]: column.get("type") for column in dataset.columns or ()}
    faults = profile_faults(policy, types)
    if faults:
        raise policy_problem(InvalidPolicy.of(faults))


def check_dataset(policy: Policy, dataset: DatasetRecord) -> None:
    """Check a policy against kind, columns and size of a stored dataset."""
    check_kind(policy, dataset.kind)
    check_columns(policy, None if dataset.columns is None else [column["name"] for column in dataset.columns])
    faults = size_faults(policy, (dataset.counts or {}).get("nodes"), dataset.details.get("directed"))
    if faults:
        raise policy_problem(InvalidPolicy.of(faults))


async def check_references(connection: AsyncConnection, tenant_id: UUID, policy: Mapping[str, Any]) -> None:
    """Require that every hierarchy and population that the policy names by its id exists and is usable."""
    faults = await _faults_of_hierarchies(connection, tenant_id, policy)
    faults += await _faults_of_populations(connection, tenant_id, policy)
    if faults:
        raise policy_problem(InvalidPolicy.of(faults))


async def _faults_of_hierarchies(
    connection: AsyncConnection, tenant_id: UUID, policy: Mapping[str, Any]
) -> list[tuple[str, str]]:
    faults = []
    for column, attribute in policy.get("attributes", {}).items():
        reference = (attribute.get("hierarchy") or {}).get("id")
        if reference is None:
            continue
        reason = await _unusable(connection, tenant_id, reference)
        if reason:
            faults.append((f"/attributes/{escaped(column)}/hierarchy/id", reason))
    return faults


async def _unusable(connection: AsyncConnection, tenant_id: UUID, reference: str) -> str | None:
    found_id = identity_or_none(reference)
    found = None if found_id is None else await connection.run_sync(hierarchies.get_hierarchy, tenant_id, found_id)
    if found is None:
        return "there is no such hierarchy"
    return None if found.status == "ready" else "the hierarchy is not ready"


async def _faults_of_populations(
    connection: AsyncConnection, tenant_id: UUID, policy: Mapping[str, Any]
) -> list[tuple[str, str]]:
    attributes = policy.get("attributes", {})
    known = [name for name, attribute in attributes.items() if attribute["role"] == "quasi_identifier"]
    faults = []
    for position, guarantee in enumerate(policy.get("guarantees", ())):
        if "population" not in guarantee:
            continue
        found_id = identity_or_none(guarantee["population"])
        found = None if found_id is None else await connection.run_sync(datasets.get_dataset, tenant_id, found_id)
        reason = _unfit(found, known)
        if reason:
            faults.append((f"/guarantees/{position}/population", reason))
    return faults


def _unfit(population: DatasetRecord | None, quasi_identifiers: Sequence[str]) -> str | None:
    """Why a dataset cannot be the population; a deleted one, or another tenant's, is reported as missing."""
    if population is None or population.status == "deleted":
        return "there is no such dataset"
    if not KINDS[population.kind].has_people:
        return "the population must be a table"
    if population.status == "invalid":
        return "the dataset is invalid: its file could not be read"
    if population.population is None:
        return "the dataset was not uploaded to be used as a population"
    roles = {name: column["role"] for name, column in population.population["attributes"].items()}
    lacking = sorted(name for name in quasi_identifiers if roles.get(name) != "quasi_identifier")
    if not lacking:
        return None
    return f"{json.dumps(lacking[0], ensure_ascii=False)} is not a quasi-identifier of the population"
