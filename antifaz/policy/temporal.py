"""The policy of a temporal graph."""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field

from antifaz import catalogue
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.policy.model import Report, named_or_stated, tagged
from antifaz.policy.networks import NetworkPolicy
from antifaz.tables.parts import TableGuarantee
from antifaz.temporal.parts import TemporalAttack, TemporalGuarantee, TemporalMethod, TemporalUtility

if TYPE_CHECKING:
    AnyTemporalGuarantee = TemporalGuarantee | GraphGuarantee | TableGuarantee
    AnyTemporalMethod = TemporalMethod | GraphMethod
    TemporalUtilityField = str | TemporalUtility
    TemporalAttackField = str | TemporalAttack
else:
    AnyTemporalGuarantee = Annotated[tagged(catalogue.parts("guarantees", "temporal_graph")), Discriminator("model")]
    AnyTemporalMethod = Annotated[tagged(catalogue.parts("methods", "temporal_graph")), Discriminator("name")]
    TemporalUtilityField = named_or_stated(catalogue.parts("utility", "temporal_graph"))
    TemporalAttackField = named_or_stated(catalogue.parts("attacks", "temporal_graph"))

TEMPORAL_GATES = {"max_edges_changed", "max_reidentified", "min_candidate_set"}
"""Gate rules that are measured on snapshots; nodes are re-identified by their degrees in all of them."""


class TemporalReport(Report):
    """Measures and attacks of the report, each by its name or with its parameters; a default set of bounded cost if
    left out."""

    utility: tuple[TemporalUtilityField, ...] | None = Field(default=None, max_length=50)
    """Utility measures: names, or objects with a name and parameters."""
    attacks: tuple[TemporalAttackField, ...] | None = Field(default=None, max_length=50)
    """Attacks: names, or objects with a name and parameters."""


class TemporalPolicy(NetworkPolicy):
    """A policy for a temporal graph. Graph methods and guarantees in it apply to every snapshot; table guarantees apply
    to the attributes of the nodes."""

    kind: Literal["temporal_graph"]
    """The kind of dataset."""
    guarantees: tuple[AnyTemporalGuarantee, ...] = Field(default=(), max_length=20)
    """What must hold in the release."""
    method: AnyTemporalMethod
    """How the snapshots are protected."""
    report: TemporalReport = TemporalReport()
    """Measures and attacks of the report."""
    formats: tuple[Literal["csv", "graphml", "node-link"], ...] = Field(default=("csv", "graphml"), min_length=1)
    """Formats of the release; the node table and the table of snapshots are always included."""

    def structural_gates(self) -> set[str]:
        """Return the gate rules that are measured on snapshots."""
        return TEMPORAL_GATES

    def forecast(
        self, nodes: int | None = None, directed: bool | None = None, snapshots: int | None = None
    ) -> dict[str, Any]:
        """Return what to expect of a run, and its charge if the number of snapshots is known."""
        expected = super().forecast(nodes, directed)
        lost = [guarantee for guarantee in self.guarantees if getattr(guarantee, "each_snapshot", False)]
        length = getattr(lost[0], "snapshots", None) or snapshots if lost else None
        if not lost or not length:
            return expected
        total = Decimal(str(getattr(lost[0], "epsilon", 0))) * length
        return expected | {"snapshots": length, "epsilon_pair": float(total)}

    def contradictions(self) -> Iterable[tuple[str, str]]:
        """Yield the contradictions of all networks, and a method that would give snapshots different nodes."""
        yield from super().contradictions()
        if self.method.makes_nodes():
            yield "/method", "the method may add nodes, but every snapshot must have the same nodes"
