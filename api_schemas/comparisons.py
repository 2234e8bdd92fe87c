"""Comparisons: several policies tried on one dataset, and their figures side by side."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from api_schemas.policy import PolicyDocument
from api_schemas.schema import PRINTABLE, Answer, Body, Id, Name

MOST_RUNS = 200
"""Runs of one comparison: policies times repeats."""
MOST_REPEATS = 100

Pointer = Annotated[
    str, StringConstraints(max_length=500, pattern=r"^/(guarantees|method|node_method|gate|report)/[^\x00-\x1f]+$")
]
"""A place in a policy that holds a setting; hierarchies and values of columns stay out of what is shown."""
Setting = bool | int | float | Annotated[str, StringConstraints(max_length=100, pattern=PRINTABLE)]


class NamedPolicy(Body):
    """One of the policies to be compared."""

    name: Name
    policy: PolicyDocument


class ComparisonRequest(Body):
    """Compare policies that are listed, or one policy whose settings vary."""

    dataset_id: Id
    policies: list[NamedPolicy] | None = Field(default=None, min_length=1, max_length=MOST_RUNS)
    """The policies, each under a name of its own."""
    policy: PolicyDocument | None = None
    """Instead of ``policies``: one policy of which ``vary`` says what changes."""
    vary: dict[Pointer, Annotated[list[Setting], Field(min_length=1, max_length=MOST_RUNS)]] | None = Field(
        default=None, min_length=1, max_length=6
    )
    """Where in the policy (JSON pointers) which values stand in turn; every combination is run."""
    repeats: int = Field(default=1, ge=1, le=MOST_REPEATS)
    """How often each policy is run, for methods of chance."""

    @model_validator(mode="after")
    def _one_way(self) -> "ComparisonRequest":
        if (self.policies is None) == (self.policy is None):
            raise ValueError("exactly one of policies and policy must be given")
        if (self.policy is None) != (self.vary is None):
            raise ValueError("vary goes with policy")
        names = [named.name for named in self.policies or ()]
        if len(set(names)) < len(names):
            raise ValueError("every policy needs a name of its own")
        return self


class ComparisonRow(Answer):
    """What came out of one policy."""

    name: str
    settings: dict[str, Any]
    """What was varied, by its place in the policy."""
    runs: int
    refused: int
    """Runs that no release could have come of."""
    refusals: list[str]
    """The rules by which runs were refused."""
    figures: dict[str, Any]
    """For each measure the mean over the runs and its standard error."""
    strongest_attack: dict[str, Any] | None = None
    """The attack whose rate is farthest above guessing."""
    risk: float | None = None
    """The rate of the strongest attack."""
    loss: float | None = None
    """Of a table the information loss; of a graph the share of edges that are not those of the original."""
    dominated: bool
    """Whether another policy has neither more risk nor more loss, and less of one."""


class Comparison(Answer):
    """A comparison; its rows are there once it has ended."""

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
    """Release by one of the policies."""

    name: Name
