"""The workers' mapping from errors to the problems that jobs report."""

from collections.abc import Container, Mapping
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy, Reason
from storage.errors import CorruptBlob, Forged, Shredded
from workers.run.contents import KnownContent
from workers.run.sizes import TooLarge


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
            return problem(error.rule, "The same data was uploaded before", error.detail, 409, **known)
        case InvalidDataset():
            entire = to_uploader or error.shred
            first, *others = [_fault_json(fault, entire) for fault in error.faults]
            place: dict[str, Any] = {key: first[key] for key in ("column", "row") if key in first}
            more: dict[str, Any] = {**place, **({"errors": [first, *others]} if others else {})}
            return problem(error.rule, "The data does not fit", first["detail"], **more)
        case InvalidPolicy():
            pointed = [{"pointer": f"/policy{pointer}", "detail": detail} for pointer, detail in error.faults]
            return problem("invalid_policy", "The policy does not fit the data", pointed[0]["detail"], errors=pointed)
        case TooLarge():
            return problem(error.rule, "The release is too large", error.detail, 507)
        case MemoryError():
            return problem("resource", "Out of memory", "the job needed more memory than one job may use", 507)
        case Shredded():
            return problem(
                "deleted", "The original is gone", "the original was deleted before the job could read it", 410
            )
        case DBAPIError() | psycopg.Error() if is_full(error):
            return problem("storage", "Out of storage", "there was no space left for the release", 507)
        case Forged():
            return problem("storage", "Stored data was changed", "a stored row did not authenticate", 500)
        case CorruptBlob():
            return problem("storage", "Stored data is damaged", "a stored chunk did not authenticate", 500)
        case _:
            return problem("internal", "Internal error", "the job failed because of an internal error", 500)


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


TIME_LIMIT = problem("time", "Out of time", "the job ran longer than one job may run", 504)


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
