"""Comparisons: several policies tried on one dataset, with their figures side by side."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from api_schemas.policy import PolicyDocument
from api_schemas.schema import PRINTABLE, Answer, Body, Id, Name

MOST_RUNS = 200
"""Most runs of one comparison: policies times repeats."""
MOST_REPEATS = 100

Pointer = Annotated[
    str, StringConstraints(max_length=500, pattern=r"^/(guarantees|method|node_method|gate|report)/[^\x00-\x1f]+$")
]
"""JSON pointer to a setting in a policy. Pointers into hierarchies and column values are not allowed, because settings
are shown."""
Setting = bool | int | float | Annotated[str, StringConstraints(max_length=100, pattern=PRINTABLE)]


class NamedPolicy(Body):
    """One of the policies to compare."""

    name: Name
    policy: PolicyDocument


class ComparisonRequest(Body):
    """Compare a list of policies, or variants of one policy."""

    dataset_id: Id
    policies: list[NamedPolicy] | None = Field(default=None, min_length=1, max_length=MOST_RUNS)
    """The policies, each with a unique name."""
    policy: PolicyDocument | None = None
    """Instead of ``policies``: one policy whose settings ``vary`` changes."""
    vary: dict[Pointer, Annotated[list[Setting], Field(min_length=1, max_length=MOST_RUNS)]] | None = Field(
        default=None, min_length=1, max_length=6
    )
    """Values to try for each setting, by JSON pointer into the policy; every combination is run."""
    repeats: int = Field(default=1, ge=1, le=MOST_REPEATS)
    """How often each policy is run; useful for randomized methods."""

    @model_validator(mode="after")
    def _one_way(self) -> "ComparisonRequest":
        if (self.policies is None) == (self.policy is None):
            raise ValueError("exactly one of policies and policy must be given")
        if (self.policy is None) != (self.vary is None):
            raise ValueError("vary requires policy")
        names = [named.name for named in self.policies or ()]
        if len(set(names)) < len(names):
            raise ValueError("every policy needs a unique name")
        return self


class ComparisonRow(Answer):
    """Results of one policy."""

    name: str
    settings: dict[str, Any]
    """The varied settings, by their JSON pointer in the policy."""
    runs: int
    refused: int
    """Number of runs whose result could not have been released."""
    refusals: list[str]
    """Rules that caused refusals."""
    figures: dict[str, Any]
    """For each measure, the mean over the runs and its standard error."""
    answers: dict[str, Any] | None = None
    """What attackers find out, by question (`identity`, `attribute`, `membership`): means over the runs of the attack
    that is farthest above guessing; null if nothing answers a question."""
    strongest_attack: dict[str, Any] | None = None
    """Of the answers, the one whose rate is farthest above guessing."""
    risk: float | None = None
    """The rate of the answer to `identity`: the mean chance to find a person."""
    loss: float | None = None
    """Tables: the information loss. Graphs: the share of edges that differ from the original's."""
    dominated: bool
    """Whether another policy has a higher rate in no answer, no more loss, and less of one of them."""


class Comparison(Answer):
    """A comparison; it has rows once it has ended."""

    id: str
    dataset_id: str
    status: Literal["queued", "running", "verifying", "assessed", "failed", "cancelled"]
    progress: float
    repeats: int
    rows: list[ComparisonRow]
    error: dict[str, Any] | None = None
    created_at: str
    finished_at: str | None = None


class ComparisonRelease(Body):
    """Release the dataset with one of the compared policies."""

    name: Name
