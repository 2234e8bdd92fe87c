"""Reports: the results of a finished job, as far as the reader may see them."""

from typing import Any

from pydantic import ConfigDict

from api_schemas.schema import Answer, Page


class Report(Answer):
    """A report. Its sections depend on the role of the reader."""

    model_config = ConfigDict(frozen=True, extra="allow")
    schema_version: int
    release_id: str | None = None
    policy: dict[str, Any] | None = None
    guarantees: list[Any] | None = None
    artifacts: list[Any] | None = None
    warnings: list[Any] | None = None
    waivers: list[Any] | None = None
    software: dict[str, Any] | None = None
    release: dict[str, Any] | None = None
    """Class sizes or degrees of the release itself."""
    mechanism: dict[str, Any] | None = None
    """Of a release drawn at random: the chances of the draw, sufficient to correct statistics for it."""
    budget: dict[str, Any] | None = None
    """The lineage's budget of differential privacy and what the job was charged."""
    job_id: str | None = None
    dataset: dict[str, Any] | None = None
    risk: dict[str, Any] | None = None
    utility: dict[str, Any] | None = None
    transformation: dict[str, Any] | None = None
    timing: dict[str, Any] | None = None


class StrongestAttack(Answer):
    """The most successful attack on a release."""

    name: str
    rate: float
    """Share of correct answers of the attack."""
    baseline: float
    """Share of correct answers of guessing."""
    knows: str
    """What the attacker knows and does."""


class ReportSummary(Answer):
    """One row of the auditors' query, with the report itself."""

    job_id: str
    dataset_id: str
    release_id: str | None = None
    status: str
    method: str
    guarantees: list[str]
    achieved_k: int | None = None
    promised_risk: float | None = None
    """Bound that the guarantees set on the chance to pick the right person: 1/k for the weakest required k; null if no
    guarantee bounds it."""
    strongest_attack: StrongestAttack | None = None
    """The attack whose measured rate is farthest above its baseline; null if none was measured or visible to you."""
    waivers: list[str]
    """Rules that were waived."""
    created_at: str
    report: Report


class ReportPage(Page):
    """Reports, newest first."""

    items: list[ReportSummary]
