"""The errors of the client.

AntifazError
├── Problem       the service answered with a problem: status, title, detail, and its places in the request (faults)
├── Refused       the work was done without a release: reasons, the nearest setting that works, the report
├── Failed        the job ended without a result: a problem with the file, or it was cancelled
├── Unexpected    the answer is not one of the service: a redirect, a page, a document without what it must have
├── Corrupt       a download differs from the release
└── Unreachable   no answer, or none in time
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class AntifazError(Exception):
    """Base class of all errors of this package."""


@dataclass(frozen=True)
class Fault:
    """One error and its place."""

    pointer: str
    """Place in the request, as a JSON pointer such as `/policy/guarantees/0/k`."""
    detail: str
    row: int | None = None
    column: str | None = None
    count: int | None = None

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Fault":
        """Read an entry of a problem's `errors`."""
        known = {name: document.get(name) for name in ("row", "column", "count")}
        return cls(str(document.get("pointer", "")), str(document.get("detail", "")), **known)

    def __str__(self) -> str:
        places = [f"column {self.column}" if self.column else "", f"row {self.row}" if self.row is not None else ""]
        place = ", ".join(part for part in (self.pointer, *places) if part)
        count = f" ({self.count} times)" if self.count and self.count > 1 else ""
        return f"{place}: {self.detail}{count}" if place else f"{self.detail}{count}"


def read_faults(problem: Mapping[str, Any]) -> tuple[Fault, ...]:
    """The faults of a problem; a problem that names a row or a column is itself a fault."""
    listed = tuple(Fault.read(each) for each in problem.get("errors") or () if isinstance(each, Mapping))
    if not listed and (problem.get("row") is not None or problem.get("column")):
        return (Fault.read(problem),)
    return listed


class Problem(AntifazError):
    """The service answered with an RFC 9457 problem."""

    def __init__(self, status: int, document: Mapping[str, Any], request_id: str | None = None) -> None:
        self.status = status
        self.document = dict(document)
        self.type = str(document.get("type", "about:blank"))
        self.title = str(document.get("title", ""))
        self.detail = str(document.get("detail", ""))
        self.faults = read_faults(document)
        self.request_id = request_id
        super().__init__(self._text())

    @property
    def kind(self) -> str:
        """The last part of its type, such as `invalid-policy`."""
        return self.type.rpartition(":")[2]

    @property
    def pointers(self) -> list[str]:
        """The places in the request that have errors."""
        return [fault.pointer for fault in self.faults]

    def _text(self) -> str:
        head = f"{self.status} {self.title}: {self.detail}".strip().rstrip(":")
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])


class _Ended(AntifazError):
    """A job that ended without a result."""

    def __init__(self, text: str, job: Mapping[str, Any]) -> None:
        self.job = dict(job)
        self.job_id = str(job.get("id", ""))
        super().__init__(text)


class Refused(_Ended):
    """No release satisfies the policy, a guarantee did not verify, or the gate did not pass."""

    def __init__(self, job: Mapping[str, Any], report: Mapping[str, Any] | None = None) -> None:
        refusal = job.get("refusal") or {}
        self.reasons: list[dict[str, Any]] = list(refusal.get("reasons") or ())
        """The violated rules, each with its limit and the measured figure."""
        self.nearest: dict[str, Any] | None = refusal.get("nearest")
        """Settings that were tried and work, if any were found."""
        self.report = None if report is None else dict(report)
        super().__init__(self._text(job), job)

    def _text(self, job: Mapping[str, Any]) -> str:
        lines = [f"job {job.get('id')} was refused"]
        lines += ["  " + ", ".join(f"{key} {value}" for key, value in reason.items()) for reason in self.reasons]
        if self.nearest:
            lines.append("  what would work: " + ", ".join(f"{key} = {value}" for key, value in self.nearest.items()))
        return "\n".join(lines)


class Failed(_Ended):
    """The job failed or was cancelled."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        problem = job.get("error") or {}
        self.status = str(job.get("status", "failed"))
        self.problem = dict(problem)
        self.detail = str(problem.get("detail", ""))
        self.faults = read_faults(problem)
        lines = [f"job {job.get('id')} {self.status}: {self.detail}".rstrip(": ")]
        super().__init__("\n".join([*lines, *(f"  {fault}" for fault in self.faults)]), job)


class Corrupt(AntifazError):
    """The bytes of a download are not those that were verified: it was cut off or changed in transit."""

    def __init__(self, what: str, expected: str, found: str) -> None:
        self.what, self.expected, self.found = what, expected, found
        super().__init__(f"{what}: expected {expected}, found {found}")


class Unexpected(AntifazError):
    """The answer is not one of the service."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text}: check the address of the service")


class Unreachable(AntifazError):
    """No answer from the service."""
