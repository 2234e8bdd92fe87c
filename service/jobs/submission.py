"""Submission: the only way to create a job.

Every request for work (an upload, with or without a policy; a policy on a stored dataset; a hierarchy made from a
column) describes it as a `Work` and passes it to `submit`. In one transaction, and in this order: look for an earlier
job that answers the same private request; take the cost from the budget; commit the sealed keys to the keyring; note
what the request stored in the audit trail; write policy, job, wake-up message and event, and count the tenant's usage;
enter the charge. The chain is locked from its first event on, so nothing slow comes after that.

To add a kind of work: a task that the workers know, a line in `_EVENTS` if its submission is an event, and fields of
`Work` if it needs more.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.access.audit import note
from service.access.auth import actor
from service.http.parameters import identity
from service.http.problems import Problem, fault, invalid, not_found
from service.jobs import charges
from service.policies.policies import AcceptedPolicy, check_dataset, check_references
from service.runtime.quotas import check_share
from service.runtime.state import Service
from storage import failpoints
from storage.accounts.ledger import Price
from storage.blobs.intake import SealedOriginal, StoredOriginal, seal_original
from storage.datasets import policies
from storage.datasets.datasets import DatasetRecord
from storage.jobs import jobs
from storage.jobs.jobs import JobDraft, JobRecord
from storage.jobs.protocol import FAST, LARGE, SMALL
from storage.operations import submissions
from storage.tenancy.quotas import Taken, taken_by
from storage.tenancy.tokens import Principal

_EVENTS = {
    "publish": "job.submit",
    "trial": "trial.submit",
    "comparison": "comparison.submit",
    "query": "query.submit",
}
"""Tasks whose submission is an event of the audit trail; others belong to another event."""


@dataclass(frozen=True)
class JobPolicy:
    """The policy of a job: sent with it, or stored earlier under a name."""

    public: dict[str, Any]
    """The policy without hierarchy rows, or the whole question."""
    blob_id: UUID | None
    fingerprint: bytes | None
    """A keyed digest of the whole policy, if it is charged."""
    policy_id: UUID | None = None
    sealed: SealedOriginal | None = None
    """The content to store together with the job, unless it is already stored."""
    name: str | None = None
    """Name of the policy in a comparison, if the blob holds a comparison's policies."""


@dataclass(frozen=True)
class Work:
    """The work of a job."""

    dataset: DatasetRecord
    task: str = "publish"
    policy: JobPolicy | None = None
    hierarchy_id: UUID | None = None
    price: Price | None = None
    """The cost of a question; the cost of a policy is computed from it."""
    then: dict[str, Any] | None = None
    """Steps after the release."""


class Event(NamedTuple):
    """Something that the same request did, for the audit trail."""

    action: str
    subject: UUID
    details: dict[str, Any]


@dataclass(frozen=True)
class Along:
    """Other data that the request stored in the job's transaction."""

    originals: Sequence[StoredOriginal] = ()
    """Their sealed keys are stored before anything is committed."""
    events: Sequence[Event] = ()


_NOTHING = Along()


async def submit(
    service: Service, connection: AsyncConnection, principal: Principal, work: Work, along: Along = _NOTHING
) -> JobRecord:
    """Queue a job as part of the caller's transaction, or find the one that answers the same private request."""
    draft = _draft_job(service, principal, work)
    standing = await charges.standing_job(connection, draft)
    if standing is not None:
        if work.then is not None:
            raise Problem("conflict", "The same release was requested before; publish that one.")
        return standing
    cost = await charges.spend(service, connection, principal, work.dataset, draft.policy, work.price)
    sealed = work.policy.sealed if work.policy is not None else None
    await keep_keys(service, [*along.originals, *([sealed.stored] if sealed is not None else [])])
    failpoints.reach("upload_stored")
    for event in along.events:
        await note(connection, principal, *event)
    job, taken = await _queue_job(connection, principal, draft, sealed)
    if along.originals:
        # The statement that submits does not see what the same transaction stored before it.
        taken = await taken_by(connection, principal.tenant_id)
    await charges.enter(service, connection, principal, work.dataset.lineage_id, job.id, cost)
    check_share(service.settings, taken)
    return job


def _draft_job(service: Service, principal: Principal, work: Work) -> JobDraft:
    """Draft the job, on the queue for its dataset's size; with the policy's fingerprint if it is charged."""
    policy = work.policy
    draft = JobDraft(
        tenant_id=principal.tenant_id,
        dataset_id=work.dataset.id,
        task=work.task,
        policy=None if policy is None else policy.public,
        policy_id=None if policy is None else policy.policy_id,
        policy_blob_id=None if policy is None else policy.blob_id,
        policy_name=None if policy is None else policy.name,
        hierarchy_id=work.hierarchy_id,
        queue=_queue(service, work),
        created_by=principal.token_id,
        then=work.then,
        fingerprint=policy.fingerprint if _is_charged(work) and policy is not None else None,
    )
    return jobs.bind(service.release_key, draft)


def _queue(service: Service, work: Work) -> str:
    if work.task == "query":
        return FAST
    return LARGE if work.dataset.size > service.settings.large_bytes else SMALL


def _is_charged(work: Work) -> bool:
    return work.price is not None or (work.policy is not None and charges.is_charged(work.policy.public))


async def _queue_job(
    connection: AsyncConnection, principal: Principal, draft: JobDraft, policy: SealedOriginal | None
) -> tuple[JobRecord, Taken]:
    action = _EVENTS.get(draft.task)
    if action is None:
        return await connection.run_sync(jobs.submit, draft), await taken_by(connection, principal.tenant_id)
    details = {"dataset_id": str(draft.dataset_id), "waivers": (draft.policy or {}).get("waivers", [])}
    return await submissions.submit(connection, draft, policy, actor(principal), details, action)


async def keep_keys(service: Service, originals: Sequence[StoredOriginal]) -> None:
    """Commit sealed keys to the keyring; the caller's own commit comes after."""
    await service.key_writer.keep({original.blob_id: original.sealed for original in originals})


async def runnable_dataset(service: Service, principal: Principal, text: str) -> DatasetRecord:
    """A dataset on which a job can run."""
    found = await service.lookups.dataset(principal.tenant_id, identity(text))
    if found is None or found.status == "deleted":
        raise not_found()
    problem = found.problem or {}
    if found.status == "invalid" and problem.get("rule") == "known_file":
        raise Problem("known-file", problem["detail"], extra={"dataset_id": problem["dataset_id"]})
    if found.status == "invalid":
        raise Problem("conflict", "The dataset is invalid: its file could not be read.")
    return found


def new_policy(service: Service, principal: Principal, accepted: AcceptedPolicy) -> JobPolicy:
    """A policy sent with its job. The caller checks its kind, columns and references."""
    sealed = seal_original(service.public_key, principal.tenant_id, accepted.content)
    charged = charges.is_charged(accepted.public)
    mark = charges.mark_of(service, principal.tenant_id, accepted.content) if charged else None
    return JobPolicy(accepted.public, sealed.stored.blob_id, mark, sealed=sealed)


async def fitting_policy(
    service: Service,
    connection: AsyncConnection,
    principal: Principal,
    accepted: AcceptedPolicy,
    dataset: DatasetRecord,
) -> JobPolicy:
    """A policy sent with its job, if it fits a stored dataset."""
    check_dataset(accepted.policy, dataset)
    await check_references(connection, principal.tenant_id, accepted.public)
    return new_policy(service, principal, accepted)


async def kept_policy(
    service: Service, connection: AsyncConnection, principal: Principal, text: str, dataset: DatasetRecord
) -> JobPolicy:
    """A policy stored under a name, if it fits a stored dataset."""
    found = await connection.run_sync(policies.get_policy, service.release_key, principal.tenant_id, identity(text))
    if found is None:
        raise not_found()
    _check_public(found.public, dataset)
    await check_references(connection, principal.tenant_id, found.public)
    return JobPolicy(found.public, found.blob_id, found.fingerprint, policy_id=found.id)


def _check_public(policy: dict[str, Any], dataset: DatasetRecord) -> None:
    """Check kind and columns of a stored policy; this process can read only its public part."""
    if policy["kind"] != dataset.kind:
        raise invalid("invalid-policy", "/policy_id", f"the dataset is a {dataset.kind}")
    if dataset.columns is None:
        return
    described, columns = policy.get("attributes", {}), [column["name"] for column in dataset.columns]
    faults = [f"column {json.dumps(name, ensure_ascii=False)} has no role" for name in columns if name not in described]
    faults += [
        f"there is no column {json.dumps(name, ensure_ascii=False)}" for name in described if name not in columns
    ]
    if faults:
        errors = [fault("/policy_id", detail) for detail in faults]
        raise Problem("invalid-policy", f"{len(faults)} fault(s), see errors.", errors=errors)
