"""Comparing a release with its original, node by node, through the sealed map."""

from typing import Any

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph


def kept_edges(graph: Graph, released: ProtectedGraph) -> int:
    """Edges of the release that are edges of the original; edges of made-up nodes never are."""
    sources = released.origin[released.graph.sources]
    targets = released.origin[released.graph.targets]
    real = (sources >= 0) & (targets >= 0)
    mapped = Graph.from_pairs(graph.n, sources[real], targets[real], graph.directed)
    return len(np.intersect1d(graph.keys, mapped.keys, assume_unique=True))


def as_loss(original: float, released: float) -> dict[str, Any]:
    """A measure of both graphs, and the relative change (1 if the original's is 0 and the release's is not)."""
    if original == released:
        loss = 0.0
    else:
        loss = abs(released - original) / abs(original) if original else 1.0
    return {"original": original, "released": released, "loss": loss}
