"""k-neighborhood anonymity: every node's surroundings are isomorphic to those of at least k - 1 others.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008.

The surroundings of a node are the nodes within the radius and all edges among them, with the node itself in the middle.
With radius 1 that is the subgraph of its neighbors. With `labels` ``compared`` an isomorphism must also keep the
released quasi-identifiers of the nodes, as in the paper; with ``ignored`` only the structure counts, and attributes are
protected by separate guarantees, not in combination with it. The paper defines it for undirected graphs.

Guarantees: an attacker who knows how the contacts of a node are joined to one another (``compared``: and the
quasi-identifiers of all of them) finds k nodes or more; nothing against an attacker who knows more than the radius, or
some of the nodes.
Cost: about O(sum of the edges of all neighborhoods); exponential in the worst case, and bounded.
"""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.knowledge.candidates import class_sizes
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.graphs.structure.neighborhoods import certify
from antifaz.graphs.structure.rooted_neighborhoods import ball_forms
from antifaz.part import Examples


class KNeighborhoodAnonymity(GraphGuarantee):
    """Every node's surroundings look, as a graph, like those of at least k - 1 other nodes."""

    assumes: ClassVar[str] = (
        "The attacker knows how the nodes around a node are joined, within the radius, and their quasi-identifiers if "
        "labels are compared; if they are ignored, no attribute."
    )
    examples: ClassVar[Examples] = ({"k": 3}, {"k": 3, "labels": "compared"})

    model: Literal["k_neighborhood_anonymity"] = "k_neighborhood_anonymity"
    k: int = Field(ge=2)
    """The smallest number of nodes whose surroundings are isomorphic."""
    radius: int = Field(default=1, ge=1, le=4)
    """Number of steps from the node that the attacker sees."""
    labels: Literal["ignored", "compared"] = "ignored"
    """Whether surroundings must also have the same released quasi-identifiers, node by node (``compared``); with
    ``ignored`` there is no guarantee against an attacker who knows attributes of the nodes around."""

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph, and one with fewer than k nodes."""
        if graph.directed:
            raise InvalidDataset("directed", "k-neighborhood anonymity is defined for undirected graphs")
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether every neighborhood occurs k times."""
        if graph.n == 0:
            return True
        if graph.directed or int(class_sizes(certify(graph, 1).numbers).min()) < self.k:
            return False
        labels = labels_of(graph) if self.labels == "compared" else None
        return int(np.bincount(ball_forms(graph, self.radius, labels=labels)).min()) >= self.k


def labels_of(graph: Graph) -> NDArray[np.int64] | None:
    """A number for every node, shared by nodes with the same quasi-identifiers; None if there are none."""
    columns = [attribute.codes for attribute in graph.attributes if attribute.role == "quasi_identifier"]
    if not columns:
        return None
    return np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
