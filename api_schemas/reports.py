"""Reports: the account of a finished job, as far as the reader may see it."""

from typing import Any

from pydantic import ConfigDict

from api_schemas.schema import Answer, Page


class Report(Answer):
    """A report. Which parts there are depends on who reads it."""

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
    """By which chances a release was drawn, where it was: all that is needed to correct for them."""
    budget: dict[str, Any] | None = None
    """The lineage's budget of differential privacy and what the job was charged."""
    job_id: str | None = None
    dataset: dict[str, Any] | None = None
    risk: dict[str, Any] | None = None
    utility: dict[str, Any] | None = None
    transformation: dict[str, Any] | None = None
    timing: dict[str, Any] | None = None


class StrongestAttack(Answer):
    """The attack on a release that went best."""

    name: str
    rate: float
    """How often it was right."""
    baseline: float
    """How often guessing would have been."""
    knows: str
    """What the attacker knows and does."""


class ReportSummary(Answer):
    """One line of the auditors' query, with the report itself."""

    job_id: str
    dataset_id: str
    release_id: str | None = None
    status: str
    method: str
    guarantees: list[str]
    achieved_k: int | None = None
    promised_risk: float | None = None
    """What the guarantees bound: the chance to pick the right person, 1/k by the weakest k that was required; null if
    none bounds it."""
    strongest_attack: StrongestAttack | None = None
    """The attack whose measured rate is farthest above its baseline; null if none was measured or shown to you."""
    waivers: list[str]
    """Rules that were waived."""
    created_at: str
    report: Report


class ReportPage(Page):
    """Reports, newest first."""

    items: list[ReportSummary]
