"""Views: who sees which part of a report.

A consumer sees figures that can be computed from the release, the policy (without the names of columns that are not
released) and public constants. An auditor also sees figures computed from the original, unless the job promised
differential privacy: such figures are not covered by the promise, so only the steward sees them, each marked as not
private.
"""

from collections.abc import Mapping
from typing import Any

from service.access.permissions import ADMIN, AUDITOR, STEWARD
from service.policies.published_policy import published_policy

PUBLIC_PARTS = (
    "schema_version",
    "release_id",
    "kind",
    "policy",
    "guarantees",
    "artifacts",
    "release",
    "mechanism",
    "warnings",
    "waivers",
    "software",
)
"""Parts that are functions of the released bytes, the policy and the program."""

_FROM_ORIGINAL = (
    "dataset",
    "risk",
    "unchanged",
    "utility",
    "transformation",
    "explanation",
    "method",
    "timing",
    "refusal",
)
"""Parts computed from the original."""


def view(report: Mapping[str, Any], role: str | None, private: bool) -> dict[str, Any]:
    """The report as a role may see it; ``private`` states that the job promised differential privacy."""
    if role in (STEWARD, ADMIN):
        return _marked(report) if private else dict(report)
    if role == AUDITOR:
        return _named(report) if private else dict(report)
    shown = {part: report[part] for part in PUBLIC_PARTS if part in report}
    if isinstance(shown.get("policy"), Mapping):
        shown["policy"] = published_policy(shown["policy"])
    return shown


def sees_original(role: str | None, private: bool) -> bool:
    """Whether a role sees figures computed from the original."""
    return role in (STEWARD, ADMIN) or (role == AUDITOR and not private)


def _named(report: Mapping[str, Any]) -> dict[str, Any]:
    """The public parts with the whole policy and the ids of job and dataset, without any count."""
    shown = view(report, None, private=True) | {"job_id": report.get("job_id"), "policy": report.get("policy")}
    dataset = report.get("dataset")
    if isinstance(dataset, Mapping):
        shown["dataset"] = {name: dataset[name] for name in ("id", "name") if name in dataset}
    return shown


def _marked(report: Mapping[str, Any]) -> dict[str, Any]:
    marked = dict(report)
    for part in _FROM_ORIGINAL:
        if isinstance(marked.get(part), Mapping):
            marked[part] = {**marked[part], "private": False}
    return marked
