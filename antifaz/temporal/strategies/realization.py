"""Realization: edit every snapshot to the degrees chosen for it.

Only nodes that have edges, or will have some, take part if they are enough. A snapshot whose degrees cannot be reached
by edits is built from scratch; such snapshots are counted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.sides import Rows, edited
from antifaz.kernels.graphs.targets import edit_to_targets
from antifaz.temporal.strategies.realizable import build, build_arcs
from antifaz.watch import Watch, unwatched

Integers = NDArray[np.int64]

WORK = 3_000_000
"""Number of elementary steps after which no further trial starts for a snapshot."""


@dataclass(frozen=True)
class Realized:
    """A snapshot with its target degrees."""

    graph: Graph
    rebuilt: bool


def degrees_of(graph: Graph) -> Integers:
    """Return the degrees of all sides: those of the nodes, or the out-degrees and then the in-degrees."""
    return np.concatenate([graph.out_degrees, graph.in_degrees]) if graph.directed else graph.degrees


def realize(
    graph: Graph, targets: Integers, trials: int, rng: np.random.Generator, watch: Watch = unwatched
) -> Realized | None:
    """Return the graph edited to the target degrees of all sides, with few edits, or None if there is no such graph."""
    if np.array_equal(degrees_of(graph), targets):
        return Realized(graph, False)
    busy = _busy(graph, targets)
    found = _edit(graph, targets, busy, trials, rng)
    if found is None and len(busy) < graph.n:
        found = _edit(graph, targets, np.arange(graph.n), trials, rng)
    if found is not None:
        return Realized(found, False)
    watch(0.0)
    sends, receives = targets[: graph.n], targets[graph.n :]
    built = build_arcs(graph.n, sends, receives, watch) if graph.directed else build(graph.n, targets)
    return None if built is None else Realized(built, True)


def _busy(graph: Graph, targets: Integers) -> Integers:
    """Return the nodes that have edges or will have some."""
    both = graph.degrees + targets.reshape(-1, graph.n).sum(axis=0)
    return np.flatnonzero(both).astype(np.int64)


def _edit(graph: Graph, targets: Integers, nodes: Integers, trials: int, rng: np.random.Generator) -> Graph | None:
    """Edit the subgraph of some nodes; nothing else changes."""
    number = np.full(graph.n, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    keys = number[graph.sources] * np.int64(len(nodes)) + number[graph.targets]
    inner = Graph(len(nodes), keys, graph.directed)
    rows = Rows.of(inner)
    wanted = targets.reshape(-1, graph.n)[:, nodes].ravel()
    residual = wanted - rows.degrees
    units = int(np.abs(residual).sum())
    pairs = np.zeros((2, 4 * units + 64), dtype=np.int64)
    seed = int(rng.integers(0, 2**62))
    floor = (units + 1) // 2
    count = edit_to_targets(inner.n, rows.offsets, rows.neighbors, residual, floor, trials, WORK, seed, pairs)
    if count < 0:
        return None
    after = edited(inner, np.ascontiguousarray(pairs[:, :count]))
    return Graph.from_pairs(graph.n, nodes[after.sources], nodes[after.targets], graph.directed)
