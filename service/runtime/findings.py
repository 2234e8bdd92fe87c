"""Findings: columns that a worker found unsafe to release unchanged, checked against a policy."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from antifaz.errors import InvalidPolicy
from antifaz.policy.model import Policy
from antifaz.policy.pointers import escaped
from antifaz.tables.table import Role
from service.http.problems import policy_problem
from service.runtime.state import Service
from storage.datasets.datasets import DatasetRecord
from storage.jobs import advice


async def check_findings(service: Service, connection: AsyncConnection, policy: Policy, dataset: DatasetRecord) -> None:
    """Refuse a policy that releases a column unchanged if a known finding would make its job refuse."""
    keys = service.release_key
    found = await connection.run_sync(advice.get_advice, keys, dataset.tenant_id, dataset.id)
    faults = [] if found is None else _faults(policy, found.findings)
    if faults:
        raise policy_problem(InvalidPolicy.of(faults))


def _faults(policy: Policy, findings: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [
        (f"/attributes/{escaped(name)}/role", finding["detail"])
        for name, finding in findings.items()
        if policy.looked_at(name) and (finding["sensitive"] or policy.attributes[name].role is Role.INSENSITIVE)
    ]
