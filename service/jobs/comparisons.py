"""Comparison requests: the policies to run, each with a name and the values that were varied."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from api_schemas.results.comparisons import MOST_RUNS, ComparisonRequest
from api_schemas.strict_json import canonical_json
from service.http.problems import Problem, invalid
from service.jobs import charges
from service.jobs.submission import JobPolicy
from service.policies.policies import AcceptedPolicy, accept_policy, check_dataset, check_references
from service.runtime.state import Service
from storage.blobs.intake import seal_original
from storage.datasets.datasets import DatasetRecord
from storage.tenancy.tokens import Principal

PRIVATE = "a policy with differential privacy cannot be tried: choosing among draws discloses all of them"


class Run(NamedTuple):
    """One policy of a comparison."""

    name: str
    settings: dict[str, Any]
    base: Any
    """The policy that the settings change; all runs of a grid share it."""
    pointer: str
    """Where in the request its faults are reported."""

    def document(self) -> Any:
        """The policy to run. Made one by one: two hundred copies of a long policy would hold the event loop."""
        found = self.base
        for pointer, value in self.settings.items():
            found = _put(found, pointer, value)
        return found


def runs_of(body: ComparisonRequest) -> list[Run]:
    """Every policy to run."""
    if body.policies is not None:
        found = [Run(n.name, {}, n.policy, f"/policies/{place}") for place, n in enumerate(body.policies)]
    else:
        found = list(_grid(body.policy, body.vary or {}))
    if len(found) * body.repeats > MOST_RUNS:
        detail = f"{len(found)} policies times {body.repeats} are more runs than the limit of {MOST_RUNS}"
        raise invalid("invalid-request", "/repeats", detail)
    return found


def _grid(policy: Any, vary: dict[str, list[Any]]) -> Iterator[Run]:
    """The policy with every combination of the values."""
    size = 1
    for values in vary.values():
        size *= len(values)
    if size > MOST_RUNS:
        raise invalid("invalid-request", "/vary", f"the limit is {MOST_RUNS} combinations")
    short = _short_names(list(vary))
    for chosen in product(*vary.values()):
        settings = dict(zip(vary, chosen, strict=True))
        name = ", ".join(f"{short[pointer]}={_shown(value)}" for pointer, value in settings.items())
        yield Run(name[:200], settings, policy, "/policy")


def _short_names(pointers: list[str]) -> dict[str, str]:
    """The last word of every pointer, or all of it if two end alike."""
    last = {pointer: pointer.rpartition("/")[2] for pointer in pointers}
    return last if len(set(last.values())) == len(last) else {pointer: pointer for pointer in pointers}


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()


def _put(document: Any, pointer: str, value: Any) -> Any:
    """The document with a value at a JSON pointer (RFC 6901), whose parent must exist; only the way there is copied."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.removeprefix("/").split("/")]
    try:
        return _changed(document, steps, value)
    except (KeyError, IndexError, ValueError, TypeError):
        raise invalid("invalid-request", "/vary", f"the policy has no place {pointer}") from None


def _changed(document: Any, steps: Sequence[str], value: Any) -> Any:
    if not isinstance(document, dict | list):
        raise TypeError
    (first, *rest), changed = steps, document.copy()
    place: Any = int(first) if isinstance(document, list) else first
    changed[place] = _changed(document[place], rest, value) if rest else value
    return changed


async def accepted_runs(
    connection: AsyncConnection, principal: Principal, dataset: DatasetRecord, runs: list[Run]
) -> dict[str, AcceptedPolicy]:
    """The policies by name, each valid, applicable to the dataset and without differential privacy."""
    found: dict[str, AcceptedPolicy] = {}
    for run in runs:
        document = run.document()
        try:
            accepted = await accept_policy(document, principal.tenant_id)
            check_dataset(accepted.policy, dataset)
            await check_references(connection, principal.tenant_id, accepted.public)
        except Problem as problem:
            raise _placed(problem, run) from None
        if charges.is_charged(accepted.public):
            raise invalid("invalid-policy", run.pointer, PRIVATE)
        if run.name in found:
            raise invalid("invalid-request", "/vary", "two combinations have the same name")
        found[run.name] = accepted
    return found


def _placed(problem: Problem, run: Run) -> Problem:
    """The problem of one policy, with that policy's pointer in the request and its name."""
    problem.errors = [
        {**error, "pointer": run.pointer + error["pointer"].removeprefix("/policy")} for error in problem.errors
    ]
    problem.detail = f"{run.name}: {problem.detail}"
    return problem


def sealed_comparison(
    service: Service,
    principal: Principal,
    kind: str,
    runs: list[Run],
    accepted: dict[str, AcceptedPolicy],
    repeats: int,
) -> JobPolicy:
    """All policies of a comparison as one sealed document, and their public parts."""
    whole = b'{"policies":{%s}}' % b",".join(
        canonical_json(name) + b":" + policy.content for name, policy in sorted(accepted.items())
    )
    public = {
        "kind": kind,
        "policies": {name: policy.public for name, policy in accepted.items()},
        "settings": {run.name: run.settings for run in runs},
        "repeats": repeats,
    }
    sealed = seal_original(service.public_key, principal.tenant_id, whole)
    return JobPolicy(public, sealed.stored.blob_id, None, sealed=sealed)
