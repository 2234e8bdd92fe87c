"""Aggregate network queries: the average distance from nodes of one type to the nearest node of another.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008 (aggregate network
queries).

For every ordered pair of node types, the mean distance from a node of the first to the nearest node of the second,
directions ignored; nodes that reach none are left out. The value is the mean relative error of all these answers; a
query that only one of the graphs can answer counts as completely wrong. Types are the values of an attribute, or its
groups if it has very many values; types of fewer than ten nodes are left out, and released nodes have the types of
their originals. If the nodes have no types there is no value.

Guarantees: none, it measures.
Cost: O(n + m) for each type, of which there are at most 20.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.node_types import node_types
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.kernels.graphs.paths import distances_to
from antifaz.watch import Watch, within


class AggregateNetworkQueries(GraphUtility):
    """Mean relative error of the average distances between node types."""

    default: ClassVar[bool] = False

    name: Literal["aggregate_network_queries"] = "aggregate_network_queries"
    attribute: str | None = Field(default=None, max_length=1000)
    """The attribute that defines the type of a node; the first suitable one if omitted."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Answer the queries on both graphs."""
        watch(0.0)
        found = node_types(graph, self.attribute)
        if found is None:
            return {"value": None, "queries": 0, "detail": "the nodes have no attribute with two types of ten nodes"}
        before = _answers(graph, found.types, found.count, within(watch, 0.0, 0.5))
        after = _answers(released.graph, found.released(released), found.count, within(watch, 0.5, 1.0))
        asked = ~np.eye(found.count, dtype=np.bool_) & ~(np.isnan(before) & np.isnan(after))
        errors = np.abs(after - before)[asked] / before[asked]
        value = float(np.nan_to_num(errors, nan=1.0).mean()) if len(errors) else 0.0
        return {"value": value, "queries": len(errors), "attribute": found.attribute, "types": found.count}


def _answers(graph: Graph, types: NDArray[np.int64], count: int, watch: Watch) -> NDArray[np.float64]:
    """Mean distance from each type to the nearest node of each other; NaN if none reaches any."""
    offsets, neighbors = graph.neighbors
    answers = np.full((count, count), np.nan)
    for goal in range(count):
        watch(goal / count)
        distance = distances_to(offsets, neighbors, np.flatnonzero(types == goal))
        known = (distance >= 0) & (types >= 0)
        reached = np.bincount(types[known], minlength=count)
        summed = np.bincount(types[known], weights=distance[known], minlength=count)
        np.divide(summed, reached, out=answers[:, goal], where=reached > 0)
    return answers
