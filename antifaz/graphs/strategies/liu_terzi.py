"""Liu and Terzi: raise degrees to the cheapest anonymous sequence, and add the edges for it.

Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008.

The dynamic program picks the targets, by raises alone, with the parity that a graph needs. Then the supergraph is
built: the node with the largest need is joined to those with the largest needs that are not its neighbors. If partners
run out, the authors probe: a few of the lowest degrees are raised by one at random and the program runs again. Probing
is bounded here; if it fails, the construction is relaxed: an edge x–y is replaced by u–x and v–y, so that all but a few
original edges stay. The search of `greedy` settles the rest.

Guarantees: every degree occurs k times or more.
Preserves: the nodes; with a supergraph every edge, otherwise nearly all.
Cost: O(n·k + Σ degree of the nodes raised) per probe.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.strategies.realization import Realization, finish
from antifaz.graphs.strategies.sequences import raised
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]

PROBES = 6
"""Most runs of the program, the first one included."""


def anonymize(graph: Graph, k: int, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
    """A k-degree anonymous supergraph, or nearly one, of an undirected graph with at least k nodes."""
    first: Realization | None = None
    rest = within(watch, 0.6, 1.0)
    for probe in range(PROBES):
        if watch(0.6 * probe / PROBES):
            break
        targets = raised(_probe_degrees(graph, probe, rng), k, True, rng)
        if targets is None:
            continue
        built = Realization(graph, targets)
        built.add_edges(rng)
        if built.settled:
            return finish(graph, k, built.result, "liu_terzi", rng, rest, construction="supergraph", probes=probe + 1)
        first = first or built
    if first is not None:
        first.swap_edges(rng)
    reached = graph if first is None else first.result
    return finish(graph, k, reached, "liu_terzi", rng, rest, construction="relaxed", probes=PROBES)


def _probe_degrees(graph: Graph, probe: int, rng: np.random.Generator) -> Integers:
    """The degrees, with more and more of the lowest ones raised by one."""
    degrees = graph.degrees.copy()
    if probe:
        lowest = np.argsort(degrees, kind="stable")[: max(1, graph.n // 2)]
        noisy = rng.choice(lowest, min(len(lowest), 2**probe), replace=False)
        degrees[noisy] = np.minimum(degrees[noisy] + 1, max(graph.n - 1, 0))
    return degrees
