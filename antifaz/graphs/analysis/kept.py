"""Kept: how much of a graph its release still shows.

A graph without edges says nothing about who is joined with whom, and neither does one in which almost all nodes are
joined, or a single supernode. Which edges were kept does not count here: methods that exchange edges keep degrees.
"""

from antifaz.graphs.graph import Graph, ProtectedGraph

_SPARSE = 0.5
"""Largest share of joined pairs of an original whose release may not join almost all of them."""


def kept_structure(graph: Graph, released: ProtectedGraph) -> float:
    """The number of edges of the release over that of the original, or the same of pairs that are not joined if fewer
    of them are kept; at most 1. An uncertain graph counts by its expected edges."""
    if released.members is not None:
        return 0.0 if released.graph.n == 1 and graph.n > 1 and graph.m else 1.0
    chances = [column.values for column in released.edge_columns if column.name == "probability"]
    edges = float(sum(chances[0])) if chances else float(released.graph.m)
    return kept_pairs(_pairs(graph), graph.m, _pairs(released.graph), edges)


def kept_pairs(pairs: int, edges: int, pairs_shown: int, edges_shown: float) -> float:
    """The smaller share of edges, or of pairs that are not joined, that a release keeps; at most 1."""
    joined = edges_shown / edges if edges else 1.0
    if not pairs or edges > _SPARSE * pairs:
        return min(joined, 1.0)
    return min(joined, (pairs_shown - edges_shown) / (pairs - edges), 1.0)


def _pairs(graph: Graph) -> int:
    ordered = graph.n * (graph.n - 1)
    return ordered if graph.directed else ordered // 2
