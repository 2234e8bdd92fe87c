"""Reports: the results of a finished job, as far as the reader may see them."""

from typing import Any, Literal

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
    """Risks before and after, the attacks with the question that each asks, and the answers to the three questions."""
    utility: dict[str, Any] | None = None
    transformation: dict[str, Any] | None = None
    timing: dict[str, Any] | None = None


class RiskAnswer(Answer):
    """What the strongest attack on a release, or a guarantee, answers to one question of an attacker."""

    name: str | None = None
    """The attack, or the risk that follows from the classes (`prosecutor`)."""
    question: Literal["identity", "attribute", "membership"] | None = None
    """Who is it, what do they have, or are they in it?"""
    rate: float | None = None
    """Share of correct answers of the attack: the mean over all people."""
    baseline: float | None = None
    """Share of correct answers of guessing."""
    highest: float | None = None
    """Chance of a correct answer for the most exposed person, if it is known."""
    column: str | None = None
    """The column that is disclosed."""
    bound: float | None = None
    """Largest share of correct answers that a guarantee allows."""
    bounded_by: str | None = None
    """The guarantee of the bound."""
    knows: str
    """What the attacker knows."""


class RiskAnswers(Answer):
    """The answers to the three questions, each by the attack that is farthest above guessing; null if nothing answers
    it."""

    identity: RiskAnswer | None = None
    """Who is it: which record or node is a known person's?"""
    attribute: RiskAnswer | None = None
    """What do they have: a value, or a contact, that the attacker did not know."""
    membership: RiskAnswer | None = None
    """Are they in it: is a person in the data at all?"""


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
    answers: RiskAnswers | None = None
    """What attackers find out, for each of three questions; null if it is not visible to you."""
    strongest_attack: RiskAnswer | None = None
    """Of the answers, the one whose rate is farthest above guessing; null if none was measured or visible to you."""
    waivers: list[str]
    """Rules that were waived."""
    created_at: str
    report: Report


class ReportPage(Page):
    """Reports, newest first."""

    items: list[ReportSummary]
