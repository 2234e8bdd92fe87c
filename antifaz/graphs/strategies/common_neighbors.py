"""Common neighbors: a graph near the original in which two nodes that share a neighbor share k.

Together with a least degree, that is (k, 2)-anonymity by neighbors (Stokes and Torra, "Reidentification and
k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing 2012); with ``sharing``, every degree is shared too.
The search anneals the edges of the original itself, so it needs neither hubs nor twins: cohesive groups keep their
edges, and edges between groups are given up or doubled.

Guarantees: the returned graph meets all conditions; None if the tries find no such graph.
Cost: O(degree) for each try, on matrices of n² numbers.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.common import FEWEST, Edited, Limits, Schedule, anneal_edges
from antifaz.watch import Watch

LARGEST = 1000
"""Largest number of nodes for which edges are annealed."""
TRIES, TRIES_EACH, LAST = 12_000_000, 1_000, 0.25
"""Toggles that are tried while the price of violations rises: at most, and for each pair of nodes; and how many more,
as a share, after that."""
WORK = 300_000_000
"""Approximate number of neighbors visited in all tries together: dense graphs are tried less often."""
SLICES = 24
"""How often the watch is called during the search."""
HEAT, COLD = 0.4, 0.1
"""Heat at the start and at the end, in edits."""
CHEAP, DEAR, DEAREST = 0.1, 1.0, 4.0
"""Price of one violation, in edits: at the start, at the end, and when nothing else counts."""


def search_graph(
    graph: Graph, k: int, least: int, sharing: int, rng: np.random.Generator, watch: Watch, start: Graph | None = None
) -> Graph | None:
    """The graph with the fewest edits found, starting from the original or from ``start``.

    Pairs with common neighbors have k of them, nodes have ``least`` neighbors, and every degree is shared by
    ``sharing`` nodes (0 or 1: no condition).
    """
    original = _dense(graph)
    joined = original.copy() if start is None else _dense(start)
    numbers = joined.astype(np.float32)
    shared = np.rint(numbers @ numbers).astype(np.int32)
    np.fill_diagonal(shared, 0)
    degrees = joined.sum(axis=1).astype(np.int64)
    neighbors = np.zeros((graph.n, graph.n), dtype=np.int32)
    for node, row in enumerate(joined):
        neighbors[node, : degrees[node]] = np.flatnonzero(row)
    holders = np.bincount(degrees, minlength=graph.n + 1).astype(np.int64)
    edited = Edited(joined, shared, neighbors, degrees, holders)
    limits = Limits(k, least, sharing)
    amiss = _out_of_place(edited, limits)
    edits = int((joined != original).sum()) // 2
    state = np.array([edits, amiss, edits if amiss == 0 else -1], dtype=np.int64)
    best = joined.copy()
    most = min(TRIES, TRIES_EACH * graph.n**2, WORK // (1 + int(degrees.sum()) // max(graph.n, 1)))
    for done, tries, schedule in _schedules(most, start is None):
        if watch(done) and state[FEWEST] >= 0:
            break
        anneal_edges(original, edited, limits, schedule, tries, int(rng.integers(0, 2**62)), state, best)
    if state[FEWEST] < 0:
        return None
    sources, targets = np.nonzero(np.triu(best))
    return Graph.from_pairs(graph.n, sources, targets)


def _schedules(tries: int, from_original: bool) -> list[tuple[float, int, Schedule]]:
    """The slices of the search: progress, tries, and heat and prices at the beginning and end.

    From the original, violations are cheap at first; a given start, which has few of them, is only improved.
    """
    heats = HEAT * (COLD / HEAT) ** np.linspace(0, 1, SLICES + 1)
    prices = CHEAP * (DEAR / CHEAP) ** np.linspace(0, 1, SLICES + 1)
    if not from_original:
        heats, prices = np.linspace(2 * COLD, COLD, SLICES + 1), np.full(SLICES + 1, 2 * DEAR)
    ends = zip(heats[:-1], heats[1:], prices[:-1], prices[1:], strict=True)
    found = [
        (step / (SLICES + 1), tries // SLICES, Schedule(*map(float, numbers))) for step, numbers in enumerate(ends)
    ]
    return [*found, (SLICES / (SLICES + 1), int(LAST * tries), Schedule(COLD, COLD / 2, DEAR, DEAREST))]


def _out_of_place(edited: Edited, limits: Limits) -> int:
    """Amount of violation: by pairs, by low degrees, and by degrees that few nodes have."""
    k, least, sharing = limits
    holders = edited.holders
    pairs = np.triu(edited.shared, 1)
    misfits = np.where((pairs > 0) & (pairs < k), np.minimum(pairs, k - pairs), 0).sum()
    rare = np.where((holders > 0) & (holders < sharing), np.minimum(holders, sharing - holders), 0).sum()
    return int(misfits + np.maximum(0, least - edited.degrees).sum() + rare)


def _dense(graph: Graph) -> NDArray[np.bool_]:
    rows = np.zeros((graph.n, graph.n), dtype=np.bool_)
    rows[graph.sources, graph.targets] = rows[graph.targets, graph.sources] = True
    return rows
