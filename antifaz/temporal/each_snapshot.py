"""Each snapshot: a graph method applied to every snapshot separately, under one numbering of the nodes.

A graph guarantee then holds in every snapshot. It does not protect against an attacker who knows a node at several
times: several snapshots together may show what no single one does.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import BrokenGuarantee, Infeasible, Reason
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots, joined
from antifaz.watch import Watch, within

_SUMS = ("edges_added", "edges_removed", "edit_lower_bound")


def protect_each(
    method: GraphMethod,
    snapshots: Snapshots,
    guarantees: Sequence[GraphGuarantee],
    rng: np.random.Generator,
    watch: Watch,
) -> ProtectedSnapshots:
    """Apply the method to every snapshot; `Infeasible` names the snapshot that has no solution."""
    found = []
    for t in range(len(snapshots)):
        share = within(watch, t / len(snapshots), (t + 1) / len(snapshots))
        found.append(_protected(method, snapshots.graph(t), t, guarantees, rng, share))
    changed = joined([each.graph for each in found], snapshots)
    witnesses = tuple(each.witness for each in found) if any(each.witness is not None for each in found) else ()
    return ProtectedSnapshots(changed, np.arange(snapshots.n, dtype=np.int64), _account(method, found), witnesses)


def _protected(
    method: GraphMethod,
    graph: Graph,
    t: int,
    guarantees: Sequence[GraphGuarantee],
    rng: np.random.Generator,
    watch: Watch,
) -> ProtectedGraph:
    """Return one protected snapshot, its nodes under their original numbers. A snapshot without edges that already
    satisfies the guarantees is left unchanged: methods that move edges have none to move."""
    watch(0.0)
    if not graph.m and all(guarantee.evidence == "bytes" and guarantee.holds(graph) for guarantee in guarantees):
        return ProtectedGraph(Graph(graph.n, graph.keys, graph.directed), _same(graph.n), dict.fromkeys(_SUMS[:2], 0))
    try:
        protected = method.apply(graph, guarantees, rng, watch)
    except Infeasible as error:
        reasons = [Reason(r.rule, r.limit, r.measured, f"snapshot {t}: {r.detail}".rstrip(": ")) for r in error.reasons]
        raise Infeasible(reasons, error.nearest) from None
    if not np.array_equal(np.sort(protected.origin), _same(graph.n)):
        raise BrokenGuarantee("every snapshot must keep exactly the same nodes")
    return protected.renamed(protected.origin)


def _same(n: int) -> NDArray[np.int64]:
    return np.arange(n, dtype=np.int64)


def _account(method: GraphMethod, found: Sequence[ProtectedGraph]) -> dict[str, Any]:
    """Return an account of the changes, in all snapshots together and in each."""
    accounts = [each.account for each in found]
    names = [name for name in _SUMS if all(name in account for account in accounts)]
    by_snapshot = {name: [account[name] for account in accounts] for name in names}
    short = [account["short"] for account in accounts if "short" in account]
    missed = {name: sum(each[name] for each in short) for name in ("wanted", "reached")}
    return {
        **({"short": {"of": "edges", **missed}} if short else {}),
        **{name: sum(numbers) for name, numbers in by_snapshot.items()},
        "nodes_added": 0,
        "method": method.wire_name(),
        "by_snapshot": by_snapshot,
    }
