"""Degree: how many nodes share the degree that an attacker may know.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (vertex refinement query H1); Liu and Terzi, SIGMOD 2008 (k-degree anonymity).

The candidate set of a node is the set of nodes with its degree (directed: its pair of in- and out-degree). The size of
the smallest set is the graph's k. For the original, the k and the number of unique nodes are shown to anyone who may
see its figures; bins of the histogram below ten are withheld.

Guarantees: none, it measures.
Cost: O(n + m).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import degree_classes
from antifaz.graphs.knowledge.candidates import SMALLEST_COUNT, histogram, smallest, withheld, withheld_bins
from antifaz.graphs.parts import GraphRisk


class Degree(GraphRisk):
    """How many nodes share each node's degree: k, unique nodes, sizes of candidate sets."""

    name: Literal["degree"] = "degree"

    def before(self, graph: Graph) -> dict[str, Any]:
        """The risk of the original under new node numbers; small bins of its histogram are withheld."""
        sizes = _candidates(graph)
        return {**_summary(sizes), "candidate_sets": _withheld_histogram(histogram(sizes))}

    def after(self, released: ProtectedGraph) -> dict[str, Any]:
        """The same for the release, in full."""
        sizes = _candidates(released.graph)
        return {**_summary(sizes), "candidate_sets": histogram(sizes)}


def _candidates(graph: Graph) -> NDArray[np.int64]:
    """Size of every node's candidate set."""
    members, sizes = degree_classes(graph)
    return sizes[members]


def _summary(sizes: NDArray[np.int64]) -> dict[str, int | float]:
    """The size of the smallest candidate set, and the number of nodes that are alone in theirs."""
    unique = int((sizes == 1).sum())
    return {"k": smallest(sizes), "unique_nodes": unique, "unique_share": unique / max(1, len(sizes))}


def _withheld_histogram(counts: dict[str, int]) -> dict[str, int | str]:
    """The histogram of the original with its small bins withheld."""
    hidden = withheld_bins(counts)
    shown = {label: f">={SMALLEST_COUNT}" if label in hidden else count for label, count in counts.items()}
    return {label: withheld(counts[label]) if counts[label] < SMALLEST_COUNT else shown[label] for label in counts}
