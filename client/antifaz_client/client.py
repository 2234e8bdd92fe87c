"""The client: `Client` blocks, `AsyncClient` is awaited. Their operations are written once, in `Operations`."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

import httpx

from antifaz_client.advice import Advice
from antifaz_client.errors import Problem
from antifaz_client.objects import (
    AsyncComparison,
    AsyncDataset,
    AsyncJob,
    AsyncRelease,
    Comparison,
    Dataset,
    Item,
    Job,
    Release,
    raise_ended,
    released,
)
from antifaz_client.outbound import Outbound
from antifaz_client.policy import PolicyLike, policy_document
from antifaz_client.progress import Report, counted, end, watched
from antifaz_client.questions import QuestionOperations
from antifaz_client.sources import Source, source_of
from antifaz_client.transport.calls import advised, call, document, followed, listed, previewed
from antifaz_client.transport.drivers import AsyncDriver, SyncDriver
from antifaz_client.transport.flow import Flow, operation
from antifaz_client.transport.forms import Form
from antifaz_client.transport.origins import http_settings

D = TypeVar("D", bound=Item)
J = TypeVar("J", bound=Item)
R = TypeVar("R", bound=Item)
C = TypeVar("C", bound=Item)
Progress = bool | Report | None


class Operations(Outbound, QuestionOperations, Generic[D, J, R, C]):
    """The operations of the service."""

    _kinds: tuple[Any, Any, Any, Any]

    # The caller and the service.

    @operation
    def me(self) -> Flow[dict[str, Any]]:
        """The owner of the token."""
        return (yield from document("get_caller"))

    @operation
    def version(self) -> Flow[dict[str, Any]]:
        """The version of the service."""
        return (yield from document("get_version"))

    @operation
    def signing_keys(self) -> Flow[dict[str, Any]]:
        """The public keys that sign bundles and audit heads, newest first: keep them, and compare them later."""
        return (yield from document("get_signing_keys"))

    @operation
    def catalogue(self, of: str) -> Flow[list[dict[str, Any]]]:
        """The `methods`, `guarantees`, `measures` or `attacks` that a policy can name."""
        return list((yield from document(f"list_{of}"))["items"])

    # From data to a release.

    @operation
    def upload(
        self, /, data: Any, name: str | None = None, *, nodes: Any = None, progress: Progress = None, **metadata: Any
    ) -> Flow[D]:
        """Store a dataset without a policy: a path, bytes, a frame, an arrow table or a networkx graph."""
        answer = yield from self._uploaded(data, None, name, nodes, progress, metadata)
        return self._dataset(answer)

    @operation
    def publish(
        self,
        /,
        data: Any,
        policy: PolicyLike,
        name: str | None = None,
        *,
        nodes: Any = None,
        progress: Progress = None,
        **metadata: Any,
    ) -> Flow[R]:
        """Upload data (or name a dataset), run the policy, and return the release.

        Raises `Refused` or `Failed` if there is no release.

        Further keywords are members of the upload's metadata: `supersedes`, `format`, `window`, `budget` …
        """
        job = yield from self._submitted(data, policy, name, nodes, progress, metadata)
        found: R = yield from released(self, self._kinds[2], job, progress)
        return found

    @operation
    def submit(
        self,
        /,
        data: Any,
        policy: PolicyLike,
        name: str | None = None,
        *,
        nodes: Any = None,
        progress: Progress = None,
        **metadata: Any,
    ) -> Flow[J]:
        """Like `publish`, but return the job without waiting."""
        return self._job((yield from self._submitted(data, policy, name, nodes, progress, metadata)))

    @operation
    def trial(
        self,
        /,
        data: Any,
        policy: PolicyLike,
        name: str | None = None,
        *,
        nodes: Any = None,
        progress: Progress = None,
        **metadata: Any,
    ) -> Flow[J]:
        """Do everything except publish, and return the job with its report; the result itself is not kept."""
        dataset_id = yield from self._dataset_of(data, policy, name, nodes, progress, metadata)
        wanted = {"dataset_id": dataset_id, "policy": policy_document(policy), "trial": True}
        job = yield from document("create_job", json=wanted)
        ended = yield from self._ended(job, progress)
        return self._job(ended)

    @operation
    def compare(
        self,
        /,
        data: Any,
        policies: "Mapping[str, PolicyLike] | PolicyLike",
        *,
        vary: Mapping[str, Sequence[Any]] | None = None,
        repeats: int = 1,
        name: str | None = None,
        nodes: Any = None,
        progress: Progress = None,
        **metadata: Any,
    ) -> Flow[C]:
        """Try several named policies, or one policy with the settings in `vary`; compare their risk and loss."""
        tried = _tried(policies, vary)
        first = tried["policy"] if vary else tried["policies"][0]["policy"]
        dataset_id = yield from self._dataset_of(data, first, name, nodes, progress, metadata)
        asked = {"dataset_id": dataset_id, "repeats": repeats, **tried}
        comparison = yield from document("create_comparison", json=asked)
        yield from self._ended(comparison, progress)
        found = yield from document("get_comparison", comparison["id"])
        made: C = self._kinds[3](self, found)
        return made

    @operation
    def validate(self, policy: PolicyLike, dataset: Any = None) -> Flow[dict[str, Any]]:
        """Check a policy as a submission would: return warnings and a forecast, or raise the `Problem`."""
        wanted: dict[str, Any] = {"policy": policy_document(policy)}
        if dataset is not None:
            wanted["dataset_id"] = _id_of(dataset)
        return (yield from document("validate_policy", json=wanted))

    @operation
    def advice(
        self, /, data: Any, name: str | None = None, *, progress: Progress = None, **metadata: Any
    ) -> Flow[Advice]:
        """A policy to start from, with a reason for each column, for a dataset or for data to upload."""
        dataset_id = yield from self._dataset_of(data, {}, name, None, progress, metadata)
        return Advice((yield from advised(dataset_id)), dataset_id)

    @operation
    def preview(self, dataset: Any, column: str, hierarchy: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        """The effect of a hierarchy on a column: labels per level and rows per label, never a value."""
        return (yield from previewed({"dataset_id": _id_of(dataset), "column": column, "hierarchy": dict(hierarchy)}))

    # Datasets, jobs, releases and reports.

    @operation
    def datasets(self, limit: int | None = None) -> Flow[list[D]]:
        """Datasets, newest first."""
        return [self._dataset(each) for each in (yield from listed("list_datasets", limit))]

    @operation
    def dataset(self, dataset_id: str) -> Flow[D]:
        """A dataset."""
        return self._dataset((yield from document("get_dataset", dataset_id)))

    @operation
    def jobs(self, *, status: str | None = None, dataset: Any = None, limit: int | None = None) -> Flow[list[J]]:
        """Jobs, newest first."""
        wanted = {"status": status, "dataset_id": None if dataset is None else _id_of(dataset)}
        return [self._job(each) for each in (yield from listed("list_jobs", limit, **wanted))]

    @operation
    def job(self, job_id: str) -> Flow[J]:
        """A job."""
        return self._job((yield from document("get_job", job_id)))

    @operation
    def releases(self, /, *, limit: int | None = None, **filters: Any) -> Flow[list[R]]:
        """Releases, newest first."""
        return [self._release(each) for each in (yield from listed("list_releases", limit, **filters))]

    @operation
    def release(self, release_id: str) -> Flow[R]:
        """A release; public releases need no token."""
        return self._release((yield from document("get_release", release_id)))

    @operation
    def comparison(self, comparison_id: str) -> Flow[C]:
        """A comparison."""
        made: C = self._kinds[3](self, (yield from document("get_comparison", comparison_id)))
        return made

    @operation
    def reports(self, /, *, limit: int | None = None, **filters: Any) -> Flow[list[dict[str, Any]]]:
        """The auditors' query over all jobs, including refused ones."""
        return (yield from listed("list_reports", limit, **filters))

    # Tokens, for administrators.

    @operation
    def create_token(self, name: str, role: str, days: int = 90) -> Flow[dict[str, Any]]:
        """Create a token; its text is only in this answer."""
        return (yield from document("create_token", json={"name": name, "role": role, "expires_in_days": days}))

    @operation
    def tokens(self) -> Flow[list[dict[str, Any]]]:
        """All tokens of the tenant, without their texts."""
        return (yield from listed("list_tokens", None))

    @operation
    def revoke_token(self, token_id: str) -> Flow[None]:
        """Revoke a token immediately."""
        yield from call("revoke_token", token_id)

    # Steps shared by operations.

    def _submitted(
        self, data: Any, policy: PolicyLike, name: str | None, nodes: Any, progress: Progress, metadata: dict[str, Any]
    ) -> Flow[dict[str, Any]]:
        sent = policy_document(policy)
        if isinstance(data, Item):
            return (yield from document("create_job", json={"dataset_id": data.id, "policy": sent}))
        try:
            answer = yield from self._uploaded(data, sent, name, nodes, progress, metadata)
        except Problem as problem:
            known = {"dataset_id": _known_dataset(problem), "policy": sent}
            return (yield from document("create_job", json=known))
        job: dict[str, Any] = answer["job"]
        return job

    def _dataset_of(
        self, data: Any, policy: PolicyLike, name: str | None, nodes: Any, progress: Progress, metadata: dict[str, Any]
    ) -> Flow[str]:
        """The id of the given dataset, or of one uploaded now."""
        if isinstance(data, Item):
            return data.id
        kind = policy_document(policy).get("kind")
        about = ({"kind": kind} if kind else {}) | metadata
        try:
            stored: dict[str, Any] = yield from self._uploaded(data, None, name, nodes, progress, about)
        except Problem as problem:
            return _known_dataset(problem)
        return str(stored["id"])

    def _uploaded(
        self,
        data: Any,
        policy: dict[str, Any] | None,
        name: str | None,
        nodes: Any,
        progress: Progress,
        metadata: Mapping[str, Any],
    ) -> Flow[dict[str, Any]]:
        source = source_of(data, format=metadata.get("format"))
        report = watched(progress)
        form = Form(
            _metadata(source, policy, name, metadata),
            source.content,
            policy,
            None if nodes is None else source_of(nodes).content,
            counted(report, "upload", source.content.size),
        )
        try:
            answer: dict[str, Any] = yield from document("create_dataset", form=form)
        finally:
            end(report)
        return answer

    def _ended(self, job: Mapping[str, Any], progress: Progress) -> Flow[dict[str, Any]]:
        report = watched(progress)
        try:
            ended = yield from followed(job["id"], report)
        finally:
            end(report)
        yield from raise_ended(ended)
        return ended

    def _dataset(self, content: Mapping[str, Any]) -> D:
        made: D = self._kinds[0](self, content)
        return made

    def _job(self, content: Mapping[str, Any]) -> J:
        made: J = self._kinds[1](self, content)
        return made

    def _release(self, content: Mapping[str, Any]) -> R:
        made: R = self._kinds[2](self, content)
        return made


class Client(SyncDriver, Operations[Dataset, Job, Release, Comparison]):
    """A client of one service; public releases need no token."""

    _kinds = (Dataset, Job, Release, Comparison)

    def __init__(
        self, url: str | None = None, token: str | None = None, *, timeout: float = 60.0, **settings: Any
    ) -> None:
        super().__init__(httpx.Client(**http_settings(url, token, timeout, settings)))

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncDriver, Operations[AsyncDataset, AsyncJob, AsyncRelease, AsyncComparison]):
    """The same operations, awaited."""

    _kinds = (AsyncDataset, AsyncJob, AsyncRelease, AsyncComparison)

    def __init__(
        self, url: str | None = None, token: str | None = None, *, timeout: float = 60.0, **settings: Any
    ) -> None:
        super().__init__(httpx.AsyncClient(**http_settings(url, token, timeout, settings)))

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _metadata(
    source: Source, policy: Mapping[str, Any] | None, name: str | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    kind = source.kind or (policy or {}).get("kind") or "table"
    stated = {key: value for key, value in given.items() if value is not None}
    supersedes = stated.get("supersedes")
    linked = {} if supersedes is None else {"supersedes": _id_of(supersedes)}
    return {"name": name or source.name or "dataset", "kind": kind, **source.metadata, **stated, **linked}


def _tried(policies: Any, vary: Mapping[str, Sequence[Any]] | None) -> dict[str, Any]:
    if vary:
        return {"policy": policy_document(policies), "vary": {place: list(values) for place, values in vary.items()}}
    return {"policies": [{"name": name, "policy": policy_document(each)} for name, each in policies.items()]}


def _known_dataset(problem: Problem) -> str:
    """The dataset that already has the same bytes; it is used again, so that its releases are checked together."""
    known = problem.document.get("dataset_id")
    if problem.status != 409 or not isinstance(known, str):
        raise problem
    return known


def _id_of(thing: Any) -> str:
    return thing.id if isinstance(thing, Item) else str(thing)
