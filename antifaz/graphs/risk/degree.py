"""Degree: how many nodes share the degree that an attacker may know.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (vertex refinement query H1); Liu and Terzi, SIGMOD 2008 (k-degree anonymity).

The candidate set of a node is the set of nodes with its degree (directed: its pair of in- and out-degree). Its smallest
size is the graph's k. Counts that describe the original are withheld below ten.

Guarantees: none, it measures.
Cost: O(n + m).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import degree_classes
from antifaz.graphs.parts import GraphRisk

SMALLEST_COUNT = 10
"""Counts of the original below this are not told."""
BINS = (("1", 1, 1), ("2-4", 2, 4), ("5-10", 5, 10), ("11-20", 11, 20), ("21+", 21, None))


class Degree(GraphRisk):
    """How many nodes share each node's degree: k, unique nodes, sizes of candidate sets."""

    name: Literal["degree"] = "degree"

    def before(self, graph: Graph) -> dict[str, Any]:
        """The risk of the original under new node numbers, small counts withheld."""
        sizes = _candidates(graph)
        unique = int((sizes == 1).sum())
        few = unique < SMALLEST_COUNT
        return {
            "k": _withheld(_smallest(sizes)),
            "unique_nodes": _withheld(unique),
            "unique_share": f"<{SMALLEST_COUNT / max(1, graph.n):.3g}" if few else unique / graph.n,
            "candidate_sets": _withheld_histogram(_histogram(sizes)),
        }

    def after(self, released: ProtectedGraph) -> dict[str, Any]:
        """The same of the release, in full."""
        sizes = _candidates(released.graph)
        unique = int((sizes == 1).sum())
        return {
            "k": _smallest(sizes),
            "unique_nodes": unique,
            "unique_share": unique / max(1, released.graph.n),
            "candidate_sets": _histogram(sizes),
        }


def _candidates(graph: Graph) -> NDArray[np.int64]:
    """Size of every node's candidate set."""
    members, sizes = degree_classes(graph)
    return sizes[members]


def _smallest(sizes: NDArray[np.int64]) -> int:
    return int(sizes.min()) if len(sizes) else 0


def _histogram(sizes: NDArray[np.int64]) -> dict[str, int]:
    """Nodes by the size of their candidate sets."""
    return {
        label: int(((sizes >= low) & (sizes <= (high if high is not None else sizes))).sum())
        for label, low, high in BINS
    }


def _withheld(count: int) -> int | str:
    return f"<{SMALLEST_COUNT}" if count < SMALLEST_COUNT else count


def _withheld_histogram(histogram: dict[str, int]) -> dict[str, int | str]:
    """Withhold small counts, and where that is one alone the smallest other too: the sum is known."""
    shown: dict[str, int | str] = {label: _withheld(count) for label, count in histogram.items()}
    told = [label for label, count in shown.items() if isinstance(count, int)]
    if len(told) == len(shown) - 1 and told:
        shown[min(told, key=lambda label: histogram[label])] = f">={SMALLEST_COUNT}"
    return shown
