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
"""What is measured on structure."""


class GraphReport(Report):
    """Which measures and attacks the report must have, each by its name or with its parameters; a bounded default where
    left out."""

    utility: tuple[GraphUtilityField, ...] | None = Field(default=None, max_length=50)
    """Utility measures: names, or objects with a name and parameters."""
    attacks: tuple[GraphAttackField, ...] | None = Field(default=None, max_length=50)
    """Attacks: names, or objects with a name and parameters."""


class GraphPolicy(NetworkPolicy):
    """A policy for a graph; guarantees of tables in it speak of the attributes of the nodes."""

    kind: Literal["graph"]
    """The kind of dataset."""
    guarantees: tuple[AnyGraphGuarantee, ...] = Field(default=(), max_length=20)
    """What must hold in the release."""
    method: AnyGraphMethod
    """How the structure is protected."""
    report: GraphReport = GraphReport()
    """Which measures and attacks the report must have."""
    formats: tuple[Literal["edgelist", "graphml", "gml", "node-link"], ...] = Field(
        default=("edgelist", "graphml"), min_length=1
    )
    """Formats of the release; the node table always comes with it."""

    def structural_gates(self) -> set[str]:
        """What is measured; of supernodes and probabilities no edit can be counted and no candidates by degree."""
        return GRAPH_GATES if self.method.form == "graph" else GRAPH_GATES & {"max_reidentified"}
