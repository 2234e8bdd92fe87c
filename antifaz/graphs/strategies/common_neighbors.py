"""Common neighbors: a graph near the original in which two nodes that share a neighbor share k.

That, and a least degree, is (k, 2)-anonymity by neighbors (Stokes and Torra, "Reidentification and k-Anonymity: a Model
for Disclosure Risk in Graphs", Soft Computing 2012); with a k of its own every degree is shared too. The search anneals
the edges of the original itself, so that it neither needs hubs nor twins: groups that hang together keep their edges,
and edges between groups are given up or doubled.

Guarantees: of what is returned, that all of it fits; None if the tries find no such graph.
Cost: O(degree) for each try, on matrices of n² numbers.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graph_common import FEWEST, Edited, Limits, Schedule, anneal_edges
from antifaz.watch import Watch

LARGEST = 1000
"""Nodes up to which edges are annealed."""
TRIES, TRIES_EACH, LAST = 12_000_000, 1_000, 0.25
"""Toggles that are tried while the price of what is out of place rises: at most, and for each pair of nodes; and how
many more, as a share, after that."""
WORK = 300_000_000
"""Neighbors that are looked at in all tries together, about: dense graphs are tried less often."""
SLICES = 24
"""How often the watch is asked meanwhile."""
HEAT, COLD = 0.4, 0.1
"""Heat at first and last, in edits."""
CHEAP, DEAR, DEAREST = 0.1, 1.0, 4.0
"""What it costs, in edits, to leave one thing out of place: at first, in the end, and when nothing else counts."""


def search_graph(
    graph: Graph, k: int, least: int, sharing: int, rng: np.random.Generator, watch: Watch, start: Graph | None = None
) -> Graph | None:
    """The graph with the fewest edits found, from the original on or from ``start``.

    Pairs with common neighbors have k of them, nodes ``least`` neighbors, and every degree is that of ``sharing`` nodes
    (0 or 1: of any).
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
    """The slices of the search: how far it is, its tries, heat and prices at its beginning and end.

    From the original on, what is out of place is cheap at first; a graph in which it nearly fits is only made better.
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
    """How much does not fit: of pairs, of low degrees, and of degrees that few have."""
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
