"""The answers of the service as objects, with the members of the document and their own operations.

Each class exists for both drivers (`Release`, `AsyncRelease`); its operations are written once.
"""

from collections.abc import Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Generic, TypeVar

from antifaz_client import conversions, display
from antifaz_client.errors import Corrupt, Failed, Refused
from antifaz_client.progress import Report, counted, end, watched
from antifaz_client.saving import Nowhere, file_name, saved
from antifaz_client.transport.calls import DigestingSink, bundled, call, document, downloaded, followed
from antifaz_client.transport.drivers import AsyncDriver, SyncDriver
from antifaz_client.transport.flow import AsyncBound, Flow, SyncBound, operation

R = TypeVar("R")
T = TypeVar("T")


class Item:
    """A document of the service, with its connection."""

    def __init__(self, driver: Any, content: Mapping[str, Any]) -> None:
        self._driver = driver
        self.document = dict(content)
        """The document as the service returned it."""

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.document["id"])

    def __getitem__(self, name: str) -> Any:
        return self.document[name]

    def __getattr__(self, name: str) -> Any:
        # By `__dict__`: copying and unpickling ask for names before there is a document.
        if name.startswith("_") or name not in self.__dict__.get("document", {}):
            raise AttributeError(f"{type(self).__name__} has no member {name}")
        return self.document[name]

    def __repr__(self) -> str:
        stated = " ".join(str(self.document[name]) for name in ("name", "kind", "status") if self.document.get(name))
        return f"<{type(self).__name__} {self.document.get('id', '')} {stated}>".replace(" >", ">")


class _Sync(SyncBound):
    _driver: SyncDriver

    def _run(self, flow: Flow[T]) -> T:
        return self._driver.run(flow)


class _Async(AsyncBound):
    _driver: AsyncDriver

    async def _run(self, flow: Flow[T]) -> T:
        return await self._driver.run(flow)


class DatasetOperations(Item):
    """A stored dataset, without its values."""

    @operation
    def refresh(self) -> Flow[None]:
        """Load its current state."""
        self.document = yield from document("get_dataset", self.id)

    @operation
    def budget(self) -> Flow[dict[str, Any]]:
        """The budget of differentially private releases, and the part that is spent."""
        account: dict[str, Any] = yield from document("get_budget", self.id)
        return account

    @operation
    def delete(self) -> Flow[None]:
        """Destroy the stored original permanently; releases and reports stay."""
        yield from call("delete_dataset", self.id)

    def _repr_html_(self) -> str:
        shape = display.members(
            self.document, ("id", "kind", "format", "status", "rows", "nodes", "edges", "created_at")
        )
        columns = display.table(
            ("column", "type"), ((c["name"], c.get("type")) for c in self.document.get("columns") or ())
        )
        return display.titled(f"Dataset {self.document['name']}", shape, columns)


class Dataset(_Sync, DatasetOperations):
    """A stored dataset."""


class AsyncDataset(_Async, DatasetOperations):
    """A stored dataset, of an `AsyncClient`."""


class JobOperations(Item):
    """One run of a policy on a dataset."""

    @operation
    def refresh(self) -> Flow[None]:
        """Load its current state."""
        self.document = yield from document("get_job", self.id)

    @operation
    def wait(self, progress: bool | Report | None = None) -> Flow[None]:
        """Follow it to its end; raise `Refused` or `Failed` if it has no result."""
        report = watched(progress)
        try:
            self.document = yield from followed(self.id, report)
        finally:
            end(report)
        yield from raise_ended(self.document)

    @operation
    def cancel(self) -> Flow[None]:
        """Ask it to stop."""
        self.document = yield from document("cancel_job", self.id)

    @operation
    def report(self) -> Flow[dict[str, Any]]:
        """The full report of a finished job, including trials and refused jobs."""
        found: dict[str, Any] = yield from document("get_job_report", self.id)
        return found

    def _repr_html_(self) -> str:
        names = ("id", "dataset_id", "status", "stage", "progress", "release_id", "trial", "created_at", "finished_at")
        return display.titled("Job", display.members(self.document, names))


class Job(_Sync, JobOperations):
    """One run of a policy."""


class AsyncJob(_Async, JobOperations):
    """One run of a policy, of an `AsyncClient`."""


def raise_ended(job: Mapping[str, Any]) -> Flow[None]:
    """Raise `Refused` or `Failed` unless the job succeeded."""
    if job["status"] == "refused":
        raise Refused(job, (yield from document("get_job_report", job["id"])))
    if job["status"] not in ("released", "assessed"):
        raise Failed(job)


class ReleaseOperations(Item):
    """A published release."""

    @operation
    def report(self) -> Flow[dict[str, Any]]:
        """The report, as far as the caller may see it."""
        found: dict[str, Any] = yield from document("get_release_report", self.id)
        return found

    @operation
    def report_page(self) -> Flow[bytes]:
        """The report as a page of HTML."""
        return (yield from call("get_release_report_page", self.id)).body

    @operation
    def download(self, format: str | None = None, part: str | None = None) -> Flow[bytes]:  # noqa: A002
        """The bytes of an artifact, checked against its digest."""
        return (yield from self._bytes(self.artifact(format, part)))

    @operation
    def save(self, folder: str | Path = ".", progress: bool | Report | None = False) -> Flow[list[Path]]:
        """Save every artifact in a folder; one that differs from the verified bytes is not kept."""
        report, target = watched(progress), Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        moved = counted(report, "download", sum(artifact["bytes"] for artifact in self.document["artifacts"]))
        places = []
        try:
            for artifact in self.document["artifacts"]:
                place = target / file_name(artifact)
                yield from saved(place, partial(downloaded, self.id, artifact), moved)
                places.append(place)
        finally:
            end(report)
        return places

    @operation
    def save_bundle(self, path: str | Path) -> Flow[Path]:
        """Save the signed bundle, to verify it without the service. For auditors it has digests instead of files."""
        yield from saved(Path(path), lambda sink: bundled(self.id, sink))
        return Path(path)

    @operation
    def verify(self) -> Flow["Verification"]:
        """Download every artifact and compare it with the digests that release and report state.

        Raises `Corrupt` if a byte differs. The guarantees are the findings of the service's verifier on the same
        bytes. No signature is checked and nothing is computed again: `antifaz verify` does both.
        """
        report: dict[str, Any] = yield from document("get_release_report", self.id)
        stated = {(each["format"], each["part"]): each["sha256"] for each in report["artifacts"]}
        for artifact in self.document["artifacts"]:
            # The report's digests are those that the verifier read; a release that lists others was changed after it.
            found = stated.get((artifact["format"], artifact["part"]))
            if found != artifact["sha256"]:
                name = f"{artifact['part']} ({artifact['format']}) in the report"
                raise Corrupt(name, f"SHA-256 {artifact['sha256']}", f"SHA-256 {found}")
            # Read to the end and dropped: a file may be larger than memory.
            yield from downloaded(self.id, artifact, DigestingSink(Nowhere()))
        return Verification(self.id, list(self.document["artifacts"]), list(report["guarantees"]))

    @operation
    def to_pandas(self, part: str | None = None) -> Flow[Any]:
        """A table, or a part of a graph, as a pandas frame."""
        artifact = self._columns_in(part)
        return conversions.to_pandas(artifact["format"], (yield from self._bytes(artifact)))

    @operation
    def to_polars(self, part: str | None = None) -> Flow[Any]:
        """The same as a polars frame."""
        artifact = self._columns_in(part)
        return conversions.to_polars(artifact["format"], (yield from self._bytes(artifact)))

    @operation
    def to_arrow(self, part: str | None = None) -> Flow[Any]:
        """The same as an arrow table."""
        artifact = self._columns_in(part)
        return conversions.to_arrow(artifact["format"], (yield from self._bytes(artifact)))

    @operation
    def to_networkx(self) -> Flow[Any]:
        """A graph with all nodes and their attributes; a temporal graph has one edge for each snapshot."""
        if self.document["kind"] == "table":
            raise TypeError("a table is not a graph; use to_pandas, to_polars or to_arrow")
        parts = {artifact["part"] for artifact in self.document["artifacts"]}
        edges = yield from self._bytes(self._tabular(None))
        nodes = (yield from self._bytes(self.artifact("csv", "nodes"))) if "nodes" in parts else None
        return conversions.to_networkx(nodes, edges, directed=bool(self.document["shape"].get("directed")))

    @operation
    def set_audience(self, audience: str) -> Flow[None]:
        """Set who may read it: `tenant` or `public`."""
        self.document = yield from document("set_release_audience", self.id, json={"audience": audience})

    @operation
    def withdraw(self, reason: str) -> Flow[None]:
        """Stop serving it; the report stays, with the reason."""
        self.document = yield from document("withdraw_release", self.id, json={"reason": reason})

    def artifact(self, format: str | None = None, part: str | None = None) -> dict[str, Any]:  # noqa: A002
        """An artifact by format and part; by default the main one in its simplest format."""
        for artifact in self.document["artifacts"]:
            main = part is None and not artifact["part"].startswith(("nodes", "sample_", "snapshots"))
            plain = format is None and artifact["format"] in ("csv", "edgelist")
            if (main or artifact["part"] == part) and (plain or artifact["format"] == format):
                return dict(artifact)
        known = ", ".join(f"{artifact['part']} as {artifact['format']}" for artifact in self.document["artifacts"])
        raise LookupError(f"the release has no such artifact; it has {known}")

    def _columns_in(self, part: str | None) -> dict[str, Any]:
        """Parquet, which keeps types, if the release has it and it can be read; otherwise the text format."""
        if conversions.has_library("pyarrow"):
            try:
                return self.artifact("parquet", part)
            except LookupError:
                return self._tabular(part)
        return self._tabular(part)

    def _tabular(self, part: str | None) -> dict[str, Any]:
        return self.artifact(None, part)

    def _bytes(self, artifact: Mapping[str, Any]) -> Flow[bytes]:
        content = BytesIO()
        yield from downloaded(self.id, artifact, DigestingSink(content))
        return content.getvalue()

    def _repr_html_(self) -> str:
        files = display.table(
            ("file", "bytes", "SHA-256"), ((file_name(a), a["bytes"], a["sha256"]) for a in self.document["artifacts"])
        )
        about = display.members(self.document, ("id", "kind", "audience", "created_at", "withdrawn_at"))
        found = display.guarantees(self.document["guarantees"])
        return display.titled(f"Release of {self.document['name']}", found, about, files)


class Release(_Sync, ReleaseOperations):
    """A published release."""


class AsyncRelease(_Async, ReleaseOperations):
    """A published release, of an `AsyncClient`."""


class Verification:
    """The result of checking a release."""

    def __init__(self, release_id: str, artifacts: list[dict[str, Any]], guarantees: list[dict[str, Any]]) -> None:
        self.release_id, self.artifacts, self.guarantees = release_id, artifacts, guarantees

    @property
    def holds(self) -> bool:
        """Whether every guarantee holds, according to the report about these exact bytes."""
        return all(each.get("holds") is True for each in self.guarantees)

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"<Verification of {self.release_id}: {len(self.artifacts)} file(s), holds {self.holds}>"

    def _repr_html_(self) -> str:
        title = f"{len(self.artifacts)} file(s) of {self.release_id} match the verified bytes"
        return display.titled(title, display.guarantees(self.guarantees))


class ComparisonOperations(Item, Generic[R]):
    """Several policies tried on one dataset."""

    _release_type: Any

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each policy: settings, figures, answers of attackers, loss, and whether another is better."""
        return list(self.document["rows"])

    @operation
    def wait(self, progress: bool | Report | None = None) -> Flow[None]:
        """Follow it to its end."""
        report = watched(progress)
        try:
            job = yield from followed(self.id, report)
        finally:
            end(report)
        yield from raise_ended(job)
        self.document = yield from document("get_comparison", self.id)

    @operation
    def plot(self, question: str = "identity") -> Flow[str]:
        """The answer to a question (`identity`, `attribute` or `membership`) against loss, as SVG."""
        return (yield from call("get_comparison_plot", self.id, params={"question": question})).body.decode()

    @operation
    def to_csv(self) -> Flow[str]:
        """The rows as CSV."""
        return (yield from call("get_comparison", self.id, params={"format": "csv"})).body.decode()

    @operation
    def release(self, name: str, progress: bool | Report | None = None) -> Flow[R]:
        """Run one of the policies as an ordinary job, and return its release."""
        job = yield from document("release_comparison", self.id, json={"name": name})
        found: R = yield from released(self._driver, self._release_type, job, progress)
        return found

    def _repr_html_(self) -> str:
        return display.titled(f"Comparison {self.id} ({self.document['status']})", display.comparison(self.rows))


class Comparison(_Sync, ComparisonOperations[Release]):
    """Several policies tried on one dataset."""

    _release_type = Release


class AsyncComparison(_Async, ComparisonOperations[AsyncRelease]):
    """Several policies tried on one dataset, of an `AsyncClient`."""

    _release_type = AsyncRelease


def released(driver: Any, kind: Any, job: Mapping[str, Any], progress: bool | Report | None) -> Flow[Any]:
    """Wait for a job to end, and return its release."""
    report = watched(progress)
    try:
        ended = yield from followed(job["id"], report)
    finally:
        end(report)
    yield from raise_ended(ended)
    return kind(driver, (yield from document("get_release", ended["release_id"])))
