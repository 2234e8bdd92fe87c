"""The workers' mapping from errors to the problems that jobs report."""

from collections.abc import Container, Mapping
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy, Reason
from storage.errors import CorruptBlob, Forged, Shredded
from workers.run.contents import KnownContent
from workers.run.sizes import TooLarge

FAILURES: dict[str, tuple[int, str, str, str]] = {
    "known_file": (
        409,
        "The same data was uploaded before",
        "The same cells are stored as another dataset, in a file with other bytes.",
        "Use that dataset, or upload again with `supersedes` or `unrelated`.",
    ),
    "invalid_policy": (
        422,
        "The policy does not fit the data",
        "The policy names what the data does not have, or contradicts it.",
        "Correct each place that `errors` points to.",
    ),
    "release_size": (
        507,
        "The release is too large",
        "The files of one release would have more bytes than this service stores.",
        "Request fewer formats, or give columns a hierarchy so that labels are short.",
    ),
    "release_quota": (
        507,
        "The release is too large",
        "The tenant's releases would have more bytes than it may store.",
        "Withdraw releases that are no longer needed, and destroy their data.",
    ),
    "resource": (
        507,
        "Out of memory",
        "The job needed more memory than one job may use.",
        "Use a cheaper method, fewer columns or less data, or ask the operator for a higher limit.",
    ),
    "deleted": (
        410,
        "The original is gone",
        "The original was deleted before the job could read it.",
        "Upload it again.",
    ),
    "storage": (
        507,
        "Out of storage",
        "The database had no space left for the release, or what it stores was damaged or changed.",
        "Ask the operator, who sees the cause in the log.",
    ),
    "internal": (
        500,
        "Internal error",
        "The job met an error of the service, whose text is not repeated because it could quote data.",
        "Submit it again. If it stays, send the operator the id of the job.",
    ),
    "time": (
        504,
        "Out of time",
        "The job ran longer than one job may run.",
        "Use a cheaper method, fewer attacks or less data, or ask the operator for a higher limit.",
    ),
}
"""Rules of jobs that fail for another reason than their data: status, title, meaning, what to do."""

REASONS: dict[str, tuple[str, str, str]] = {
    "budget": (
        "The job was not charged",
        "The dataset has a budget, and the price of this job was not taken from it when it was submitted.",
        "Submit the job again.",
    ),
    "composition": (
        "Earlier releases of the same data",
        (
            "Together with an earlier release this one would disclose more than either promises, or it cannot be shown "
            "that it would not."
        ),
        (
            "Do what the reason names: show columns as the earlier release does, withdraw that one, or waive the rule "
            "with a reason."
        ),
    ),
    "population": (
        "The guarantees do not hold against the population",
        "No figure is shown, because it could disclose how many people the population has.",
        "Lower the guarantees, or generalize more.",
    ),
}
"""Rules of a `Reason` that workers add to those of publishing and of the engine: title, meaning, what to do."""


def problem(rule: str, title: str, detail: str, status: int = 422, **more: Any) -> dict[str, Any]:
    """A problem object of the API."""
    kind = f"urn:antifaz:problem:{rule.replace('_', '-')}"
    return {"type": kind, "title": title, "status": status, "detail": detail, "rule": rule, **more}


def problem_of(error: BaseException, to_uploader: bool = True) -> dict[str, Any]:
    """The problem that a failed job reports for an error; it quotes the error's text only if the error is our own.

    Only the uploader of the file sees rows and counts. Other users may run jobs on a file that they do not have: their
    errors show neither, or each policy would be a query about the values. An unusable file is destroyed and can no
    longer be queried, so its errors are shown in full.
    """
    match error:
        case KnownContent():
            known = {"dataset_id": str(error.dataset_id)}
            return _failure(error.rule, error.detail, **known)
        case InvalidDataset():
            entire = to_uploader or error.shred
            first, *others = [_fault_json(fault, entire) for fault in error.faults]
            place: dict[str, Any] = {key: first[key] for key in ("column", "row") if key in first}
            more: dict[str, Any] = {**place, **({"errors": [first, *others]} if others else {})}
            return problem(error.rule, "The data does not fit", first["detail"], **more)
        case InvalidPolicy():
            pointed = [{"pointer": f"/policy{pointer}", "detail": detail} for pointer, detail in error.faults]
            return _failure("invalid_policy", pointed[0]["detail"], errors=pointed)
        case TooLarge():
            return _failure(error.rule, error.detail)
        case MemoryError():
            return _failure("resource", "the job needed more memory than one job may use")
        case Shredded():
            return _failure("deleted", "the original was deleted before the job could read it")
        case DBAPIError() | psycopg.Error() if is_full(error):
            return _failure("storage", "there was no space left for the release")
        case Forged():
            return problem("storage", "Stored data was changed", "a stored row did not authenticate", 500)
        case CorruptBlob():
            return problem("storage", "Stored data is damaged", "a stored chunk did not authenticate", 500)
        case _:
            return _failure("internal", "the job failed because of an internal error")


def _failure(rule: str, detail: str, **more: Any) -> dict[str, Any]:
    """A problem with the status and the title of its rule."""
    status, title, *_ = FAILURES[rule]
    return problem(rule, title, detail, status, **more)


def _fault_json(fault: InvalidDataset, entire: bool) -> dict[str, Any]:
    """One fault of the data; for anyone but the uploader without its row, and with a band instead of the count."""
    stated: dict[str, Any] = {"rule": fault.rule, "detail": fault.detail if entire else fault.banded}
    stated |= {} if fault.column is None else {"column": fault.column}
    shown = {"row": fault.row, "count": fault.count} if entire else {}
    return stated | {key: value for key, value in shown.items() if value is not None}


def is_full(error: DBAPIError | psycopg.Error) -> bool:
    """Whether the database had no space left."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(cause, psycopg.errors.DiskFull)


TIME_LIMIT = _failure("time", "the job ran longer than one job may run")


AGAINST_POPULATION = Reason(
    "population", detail="the guarantees do not hold against the population; no figure is shown"
)


def without_figures(refusal: dict[str, Any], kept: Container[str]) -> dict[str, Any]:
    """A refusal of a job that was judged against a population: one reason replaces all those that could disclose how
    many people there are, and no setting that would have worked is given."""
    stated = [reason for reason in refusal["reasons"] if reason["rule"] in kept]
    hidden = [reason_json(AGAINST_POPULATION)] if len(stated) < len(refusal["reasons"]) else []
    return {"reasons": hidden + stated}


def refusal_of(error: Infeasible, nearest: Mapping[str, float] | None = None) -> dict[str, Any]:
    """The refusal of a job whose policy no release can satisfy.

    Each of the nearest settings, changed alone, would have let a release pass.
    """
    refusal: dict[str, Any] = {"reasons": [reason_json(reason) for reason in error.reasons]}
    settings = {**(nearest or {}), **(error.nearest or {})}
    if settings:
        refusal["nearest"] = settings
    return refusal


def reason_json(reason: Reason) -> dict[str, Any]:
    """One reason as JSON, without unknown values."""
    stated = {"rule": reason.rule, "limit": reason.limit, "measured": reason.measured, "detail": reason.detail}
    return {key: value for key, value in stated.items() if value is not None and value != ""}
