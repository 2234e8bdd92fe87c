"""Jobs: one run of a policy on a dataset."""

from typing import Any, Literal

from pydantic import model_validator

from api_schemas.data.portals import Then
from api_schemas.policy import PolicyDocument
from api_schemas.schema import Answer, Body, Id, Page

JobStatus = Literal["queued", "running", "verifying", "released", "assessed", "refused", "failed", "cancelled"]


class JobRequest(Body):
    """Run a policy on a dataset; the policy is given here or already stored."""

    dataset_id: Id
    policy: PolicyDocument | None = None
    policy_id: Id | None = None
    """Id of a stored policy, instead of ``policy``."""
    trial: bool = False
    """Whether to do everything except publish: the report is kept, and the result itself is destroyed."""
    then: Then | None = None
    """Steps that follow the release: ``[{"publish": {"portal": …}}, {"webhook": …}]``."""

    @model_validator(mode="after")
    def _one_policy(self) -> "JobRequest":
        if (self.policy is None) == (self.policy_id is None):
            raise ValueError("exactly one of policy and policy_id must be given")
        if self.trial and any(step.publish is not None for step in self.then or ()):
            raise ValueError("a trial has no release to publish")
        return self


class Job(Answer):
    """The state of a job."""

    id: str
    dataset_id: str
    trial: bool
    """Whether it does everything except publish."""
    comparison: bool
    """Whether it is a comparison of policies; its rows are at ``/v1/comparisons/{id}``."""
    status: JobStatus
    stage: Literal["load", "check", "protect", "seal", "verify", "measure", "publish"] | None = None
    progress: float
    release_id: str | None = None
    refusal: dict[str, Any] | None = None
    """Of a refused job: the reasons, each a rule with its limit and the measured value."""
    error: dict[str, Any] | None = None
    """Of a failed job: a problem."""
    created_at: str
    started_at: str | None = None
    finished_at: str | None = None


class JobPage(Page):
    """Jobs, newest first."""

    items: list[Job]
