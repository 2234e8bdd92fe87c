"""Edge differential privacy: whether two nodes are joined has hardly any effect on the release.

Hay, Li, Miklau and Jensen, "Accurate Estimation of the Degree Distribution of Private Networks", ICDM 2009, for the
definition by edges; Dwork, McSherry, Nissim and Smith, "Calibrating Noise to Sensitivity in Private Data Analysis", TCC
2006.

Two graphs are neighbors if they differ in one pair of nodes. No set of releases is more than e^ε times as likely for
one of them as for the other. Unlike with `edge_local_dp`, single pairs need not be reported at all: figures of the
whole graph are counted with noise, and a new graph is drawn from these.

Guarantees: the odds of any pair being joined change at most by the factor e^ε, for any attacker who knows all other
pairs. Public and not covered: the number of nodes, their list and their attributes. Not protected: a node with all
its edges, each of which costs ε. Losses of several releases add up.
Cost: nothing to check in the bytes; it is a property of the mechanism.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.parts import GraphGuarantee
from antifaz.part import LEAST_EPSILON, Examples


class EdgeDifferentialPrivacy(GraphGuarantee):
    """Whether any one pair of nodes is joined changes the odds of a release at most by the factor e^ε."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    assumes: ClassVar[str] = "Nothing: it holds for any attacker, for whether any one pair of nodes is joined."
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "mechanism"
    draws: ClassVar[Literal["sensitive", "records", "edges"] | None] = "edges"
    examples: ClassVar[Examples] = ({"epsilon": 1},)
    lists_nodes: ClassVar[bool] = True

    model: Literal["edge_differential_privacy"] = "edge_differential_privacy"
    epsilon: float = Field(ge=LEAST_EPSILON, le=50)
    """The privacy loss of a pair."""

    def admit(self, graph: Graph) -> None:
        """Refuse a graph without any pair of nodes; the number of nodes is public."""
        if graph.n < 2:
            raise InvalidDataset("too_few_nodes", "a graph with fewer than two nodes has no pair to protect")

    def holds(self, graph: Graph) -> bool:
        """Always: no graph shows by itself how it was drawn."""
        return True


def least_epsilon(guarantees: Sequence[Any]) -> float | None:
    """The epsilon that a mechanism must keep: the smallest of the guarantees, None if there is none."""
    return min((each.epsilon for each in guarantees if isinstance(each, EdgeDifferentialPrivacy)), default=None)
