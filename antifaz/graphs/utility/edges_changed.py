"""Edges changed: number of edges missing in the release and number of edges added.

Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008 (anonymization cost).

Counted against the original through the sealed map, not taken from the method's account; the method's lower bound is
reported too if there is one.

Guarantees: none, it measures.
Cost: O(m log m).
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import kept_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class EdgesChanged(GraphUtility):
    """Edges added and removed, in number and as a share of the original."""

    name: Literal["edges_changed"] = "edges_changed"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Count the edges of each graph that the other does not have."""
        watch(0.0)
        kept = kept_edges(graph, released)
        added, removed = released.graph.m - kept, graph.m - kept
        result: dict[str, Any] = {
            "value": added + removed,
            "added": added,
            "removed": removed,
            "share": (added + removed) / max(1, graph.m),
        }
        if "edit_lower_bound" in released.account:
            result["lower_bound"] = released.account["edit_lower_bound"]
        return result
