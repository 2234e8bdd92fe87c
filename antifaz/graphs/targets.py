"""Targets: the k that a policy's guarantees require of a method, and the changes made by an edit."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from antifaz.errors import Infeasible, InvalidPolicy, Reason
from antifaz.graphs.graph import Graph
from antifaz.graphs.parts import GraphGuarantee, GraphMethod


def largest_k(method: GraphMethod, guarantees: Sequence[GraphGuarantee], graph: Graph, groups: int = 1) -> int:
    """The k that satisfies all guarantees together; raises if there is none, or no room for the groups of k."""
    name = method.wire_name()
    if not guarantees:
        raise InvalidPolicy("/guarantees", f"{name} takes its k from a guarantee")
    for position, guarantee in enumerate(guarantees):
        if guarantee.wire_name() not in method.gives:
            raise InvalidPolicy(f"/guarantees/{position}", f"{name} does not give {guarantee.wire_name()}")
    k = max(int(getattr(guarantee, "k", 0)) for guarantee in guarantees)
    if groups * k > graph.n:
        rule, most = guarantees[0].wire_name(), graph.n // groups
        detail = "the graph has fewer than k nodes" if k > graph.n else f"edges need {groups} groups of k nodes"
        raise Infeasible(
            [Reason(rule, limit=groups * k, measured=graph.n, detail=detail)],
            nearest={"k": float(most)} if most >= 2 else None,
        )
    return k


def changes(graph: Graph, protected: Graph) -> dict[str, Any]:
    """Number of edges and nodes added and removed; nodes keep their numbers, and made-up ones come last."""
    before = graph.sources * np.int64(protected.n) + graph.targets
    return {
        "edges_added": len(np.setdiff1d(protected.keys, before, assume_unique=True)),
        "edges_removed": len(np.setdiff1d(before, protected.keys, assume_unique=True)),
        "nodes_added": protected.n - graph.n,
    }
