"""Surroundings: align nodes, and edit only the edges that the neighborhoods of rare nodes show.

After Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008 (groups of k nodes
with similar neighborhoods, edges edited until these are isomorphic, and again for nodes that this made rare). The
groups are rows of one alignment, so edits for one group never undo those for another.

A node is rare if fewer than k nodes have its neighborhood; the other nodes of its row are treated like it. The shift of
the rows must keep everything that the neighborhoods of such rows show (the edges of their nodes, and those between two
neighbors of one), so these edges are added and removed by orbits. The neighborhoods in a row are then isomorphic, and
the shift is the isomorphism. Other nodes keep their neighborhoods unless an edit changed them; if one has become rare,
its row is treated too, and everything is repeated with the original's edges. The number of treated rows only grows. If
rounds run out, or if it takes fewer edits, all edges are settled, which makes the graph k-automorphic.

Guarantees: every neighborhood (radius 1) is isomorphic to those of k - 1 other nodes.
Cost: the search of the alignment, and in each round O(sum of squared degrees).
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.errors import BrokenGuarantee
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.knowledge.candidates import class_sizes
from antifaz.graphs.strategies.alignment import Alignment, Closure, Effort, Orbits, align_nodes, cells_of
from antifaz.graphs.structure.neighborhoods import affordable_rounds, certify
from antifaz.graphs.structure.rooted_neighborhoods import ball_forms
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Chosen = NDArray[np.bool_]

ROUNDS = 20
"""Rounds of treating rows before all rows are treated."""
_CLOSINGS = 40
"""How often newly visible edges are settled in one round."""
_EDGES = 20_000
"""Edges whose ends are compared in one batch."""


@dataclass(frozen=True)
class Surroundings:
    """A graph in which every neighborhood occurs k times, and how it was reached."""

    graph: Graph
    rounds: int = 0
    aligned: int = 0
    """Nodes whose neighborhoods were made alike."""
    all_nodes: bool = False
    """Whether these are all nodes."""
    stopped: bool = False
    classes: Integers | None = None
    """The row of every node, if all were aligned: the isomorphisms send nodes to other nodes of their row."""


def align_all_nodes(
    graph: Graph, k: int, closure: Closure, effort: Effort, rng: np.random.Generator, watch: Watch
) -> Surroundings:
    """A k-automorphic graph without made-up nodes: surroundings of any radius are isomorphic."""
    alignment = align_nodes(graph, k, "isolated", effort, rng, within(watch, 0.0, 0.9))
    return _align_all(graph, alignment, closure, rng, within(watch, 0.9, 1.0), rounds=0)


def align_rare(
    graph: Graph, k: int, closure: Closure, effort: Effort, rng: np.random.Generator, watch: Watch
) -> Surroundings:
    """A graph in which k nodes share every neighborhood."""
    rare = _rare_nodes(graph, k, np.zeros(graph.n, dtype=bool), within(watch, 0.0, 0.1))
    if not rare.any():
        return Surroundings(graph)
    alignment = align_nodes(graph, k, "isolated", effort, rng, within(watch, 0.1, 0.7))
    found, rounds = _rounds(graph, rare, alignment, closure, rng, within(watch, 0.7, 0.95))
    all_aligned = _align_all(graph, alignment, closure, rng, within(watch, 0.95, 1.0), rounds)
    return all_aligned if found is None or _edits(graph, all_aligned) < _edits(graph, found) else found


def _align_all(
    graph: Graph, alignment: Alignment, closure: Closure, rng: np.random.Generator, watch: Watch, rounds: int
) -> Surroundings:
    """All nodes made alike, after a number of rounds that treated some of them."""
    made = alignment.close(graph, closure, rng, within(watch, 0.0, 0.5))
    if not KAutomorphic(k=alignment.rows.shape[1]).shown_by(made, alignment.functions(), within(watch, 0.5, 1.0)):
        raise BrokenGuarantee("aligned nodes are not alike")
    classes = np.full(graph.n, len(alignment.rows), dtype=np.int64)
    classes[alignment.rows] = np.arange(len(alignment.rows))[:, None]
    return Surroundings(made, rounds, graph.n, True, alignment.stopped, classes)


def _edits(graph: Graph, made: Surroundings) -> int:
    return len(np.setxor1d(graph.keys, made.graph.keys, assume_unique=True))


def _rounds(
    graph: Graph, rare: Chosen, alignment: Alignment, closure: Closure, rng: np.random.Generator, watch: Watch
) -> tuple[Surroundings | None, int]:
    """Treat the rows of rare nodes, and of those that become rare, until none are left; None if some remain. The second
    value is the number of rounds that ran."""
    rows, k = alignment.rows, alignment.rows.shape[1]
    treated = np.zeros(graph.n, dtype=bool)
    for step in range(ROUNDS):
        start, middle, stop = (part / ROUNDS for part in (step, step + 0.5, step + 1))
        watch(start)
        if not (rare & ~treated).any():
            return None, step  # a node outside of the rows stays rare in any case
        treated |= rare
        treated[rows[treated[rows].any(axis=1)]] = True
        made = _close(graph, treated, rows, closure, rng, within(watch, start, middle))
        if made is None:
            return None, step + 1
        inside = treated.copy()
        inside[alignment.apart] = False
        rare = _rare_nodes(made, k, inside, within(watch, middle, stop))
        if not rare.any():
            return Surroundings(made, step + 1, int(inside.sum()), False, alignment.stopped), step + 1
    return None, ROUNDS


def _rare_nodes(graph: Graph, k: int, alike: Chosen, watch: Watch) -> Chosen:
    """The nodes whose neighborhoods fewer than k nodes have, except those that were made alike.

    Certificates find most of them; if they find none, neighborhoods are compared exactly.
    """
    certificates = certify(graph, affordable_rounds(graph), within(watch, 0.0, 0.5)).numbers
    found = (class_sizes(certificates) < k) & ~alike
    if found.any():
        return np.asarray(found)
    open_nodes = np.flatnonzero(np.isin(certificates, certificates[~alike]))
    found[open_nodes] = class_sizes(ball_forms(graph, 1, open_nodes, watch=within(watch, 0.5, 1.0))) < k
    return np.asarray(found & ~alike)


def _shown(graph: Graph, treated: Chosen, watch: Watch) -> Chosen:
    """The edges that the neighborhoods of treated nodes show: their own, and those between two neighbors of one."""
    ends = np.concatenate([graph.sources, graph.targets]), np.concatenate([graph.targets, graph.sources])
    matrix = scipy.sparse.csr_array((np.ones(2 * graph.m, dtype=np.int32), ends), shape=(graph.n, graph.n))
    columns = scipy.sparse.csr_array(matrix[:, np.flatnonzero(treated)])
    shown = np.asarray(treated[graph.sources] | treated[graph.targets])
    open_edges = np.flatnonzero(~shown)
    for start in range(0, len(open_edges), _EDGES):
        watch(start / len(open_edges))
        part = open_edges[start : start + _EDGES]
        between = columns[graph.sources[part]].multiply(columns[graph.targets[part]])
        shown[part] = np.asarray(between.sum(axis=1)).ravel() > 0
    return shown


def _close(
    graph: Graph, treated: Chosen, rows: Integers, closure: Closure, rng: np.random.Generator, watch: Watch
) -> Graph | None:
    """The graph in which the edges that treated nodes show are settled by orbits, repeatedly as others become visible.

    A visible edge that leads out of the rows is removed: it has no counterpart.
    """
    cell = cells_of(rows, graph.n)
    for turn in range(_CLOSINGS):
        begun, half, done = (part / _CLOSINGS for part in (turn, turn + 0.5, turn + 1))
        watch(begun)
        shown = _shown(graph, treated, within(watch, begun, half))
        sources, targets = cell[graph.sources[shown]], cell[graph.targets[shown]]
        within_rows = (sources >= 0) & (targets >= 0)
        orbits = Orbits.of(sources[within_rows], targets[within_rows], rows.shape[1], False)
        whole = orbits.edges == orbits.sizes
        if whole.all() and within_rows.all():
            return graph
        if closure == "balanced":
            share = within(watch, half, done)
            orbits = orbits.chosen(orbits.densest(int(shown.sum()), graph, rows, rng, share) if turn == 0 else whole)
        first, second = orbits.fill(rows)
        graph = Graph.from_pairs(
            graph.n,
            np.concatenate([graph.sources[~shown], first]),
            np.concatenate([graph.targets[~shown], second]),
        )
    return None
