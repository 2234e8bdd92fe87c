"""Edge local differential privacy in every snapshot: whether two nodes are joined at a time can be denied.

Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023; Qin, Yu, Yang, Khalil, Xiao
and Ren, "Generating Synthetic Decentralized Social Graphs with Local Differential Privacy", CCS 2017, for the
definition by edges.

Two temporal graphs are neighbors when they differ in one pair of nodes in one snapshot. No release is more than e^ε
times as likely for one of them as for the other. Losses add up over time: a pair that may be joined in T snapshots
loses T·ε in total, which is charged to the ledger; a node loses as much for each of its pairs.

Guarantees: the odds of any pair being joined in any one snapshot change at most by the factor e^ε, for any attacker who
knows everything else. Public and not covered: the nodes and their attributes, and the starts of the time windows. Not
protected at a single ε: a pair over all its snapshots, and a node with all its edges.
Cost: nothing to check in the bytes; it is a property of the mechanism.
"""

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from antifaz.errors import InvalidDataset
from antifaz.graphs.guarantees.edge_local_dp import LEAST_DENSITY, DensitySource, waivers_of
from antifaz.part import LEAST_EPSILON, Examples
from antifaz.temporal.parts import TemporalGuarantee
from antifaz.temporal.snapshots import Snapshots

MOST_DECLARED = 20_000
_Share = Annotated[float, Field(ge=LEAST_DENSITY, le=1 - LEAST_DENSITY)]
_ShareOrNone = Annotated[float, Field(ge=0, le=1 - LEAST_DENSITY)]


class SnapshotDensity(DensitySource):
    """Source of the density of each snapshot, which the noise is calibrated for: exactly one of three."""

    declared: _Share | Annotated[tuple[_ShareOrNone, ...], Field(min_length=1, max_length=MOST_DECLARED)] | None = None
    """A public estimate of the share of pairs that are joined: one for all snapshots, or one for each; a snapshot of
    density 0 is released without edges."""


class TemporalEdgeLocalDp(TemporalGuarantee):
    """Whether one pair of nodes is joined in one snapshot changes the odds of a release at most by the factor e^ε."""

    assumes: ClassVar[str] = (
        "Nothing: it holds for any attacker, for whether any one pair of nodes is joined in any one snapshot."
    )
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "mechanism"
    draws: ClassVar[Literal["sensitive", "records", "edges"] | None] = "edges"
    each_snapshot: ClassVar[bool] = True
    examples: ClassVar[Examples] = ({"epsilon": 6, "density": {"declared": 0.01}},)
    lists_nodes: ClassVar[bool] = True

    model: Literal["edge_local_dp"] = "edge_local_dp"
    epsilon: float = Field(ge=LEAST_EPSILON, le=50)
    """The privacy loss of a pair in one snapshot, including the part spent on the density."""
    density: SnapshotDensity | None = None
    """The density that the noise is calibrated for, stated here or in the method."""
    snapshots: int | None = Field(default=None, ge=1, le=100_000)
    """Largest number of snapshots in which a pair may appear, for which the budget is charged; all snapshots of the
    dataset if left out. A dataset with more is refused."""

    def waivers_needed(self) -> tuple[str, ...]:
        """An exact density discloses the number of edges."""
        return waivers_of(self.density)

    def admit(self, snapshots: Snapshots) -> None:
        """Refuse a graph without any pair of nodes, and more snapshots than are charged."""
        if snapshots.n < 2:
            raise InvalidDataset("too_few_nodes", "a graph with fewer than two nodes has no pair to protect")
        if self.snapshots is not None and len(snapshots) > self.snapshots:
            detail = f"the policy allows {self.snapshots} snapshots, but there are {len(snapshots)}"
            raise InvalidDataset("more_snapshots", detail)

    def holds(self, snapshots: Snapshots) -> bool:
        """Always true: a release alone does not show how it was drawn."""
        return True

    def over_time(self, length: int) -> Decimal:
        """Return the loss of a pair over a number of snapshots."""
        return Decimal(str(self.epsilon)) * length
