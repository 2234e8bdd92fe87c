"""The policy of a graph."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Field

from antifaz import catalogue
from antifaz.graphs.parts import GraphAttack, GraphGuarantee, GraphMethod, GraphUtility
from antifaz.policy.model import Report, named_or_stated, tagged
from antifaz.policy.networks import NetworkPolicy
from antifaz.tables.parts import TableGuarantee

if TYPE_CHECKING:
    AnyGraphGuarantee = GraphGuarantee | TableGuarantee
    AnyGraphMethod = GraphMethod
    GraphUtilityField = str | GraphUtility
    GraphAttackField = str | GraphAttack
else:
    AnyGraphGuarantee = Annotated[tagged(catalogue.parts("guarantees", "graph")), Discriminator("model")]
    AnyGraphMethod = Annotated[tagged(catalogue.parts("methods", "graph")), Discriminator("name")]
    GraphUtilityField = named_or_stated(catalogue.parts("utility", "graph"))
    GraphAttackField = named_or_stated(catalogue.parts("attacks", "graph"))

GRAPH_GATES = {
    "max_edges_changed",
    "max_reidentified",
    "min_candidate_set",
    "max_link_posterior",
    "max_plausibility_auc",
}
"""Gate rules that are measured on the structure."""


class GraphReport(Report):
    """Measures and attacks of the report, each by its name or with its parameters; a default set of bounded cost if
    left out."""

    utility: tuple[GraphUtilityField, ...] | None = Field(default=None, max_length=50)
    """Utility measures: names, or objects with a name and parameters."""
    attacks: tuple[GraphAttackField, ...] | None = Field(default=None, max_length=50)
    """Attacks: names, or objects with a name and parameters."""


class GraphPolicy(NetworkPolicy):
    """A policy for a graph; table guarantees in it apply to the attributes of the nodes."""

    kind: Literal["graph"]
    """The kind of dataset."""
    guarantees: tuple[AnyGraphGuarantee, ...] = Field(default=(), max_length=20)
    """What must hold in the release."""
    method: AnyGraphMethod
    """How the structure is protected."""
    report: GraphReport = GraphReport()
    """Measures and attacks of the report."""
    formats: tuple[Literal["edgelist", "graphml", "gml", "node-link"], ...] = Field(
        default=("edgelist", "graphml"), min_length=1
    )
    """Formats of the release; the node table is always included."""

    def structural_gates(self) -> set[str]:
        """Rules that are measured; with supernodes or probabilities, edits and candidates by degree cannot be
        counted."""
        return GRAPH_GATES if self.method.form == "graph" else GRAPH_GATES & {"max_reidentified"}
