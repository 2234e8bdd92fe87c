"""Neighborhood certificates: numbers that isomorphic neighborhoods have in common.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008 (the neighborhood of a
node is the subgraph of its neighbors); Weisfeiler and Leman, 1968 (color refinement).

The neighbors of a node are colored by refinement inside its neighborhood; the certificate is the multiset of their
colors. Isomorphic neighborhoods have the same certificate, and nearly all others have a different one: the classes are
never smaller than those of isomorphism. All neighborhoods are refined together, along the triangles of the graph.
"""

from dataclasses import dataclass

import numpy as np

from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.edge_slots import Slots
from antifaz.graphs.structure.refinement import Signatures, mixed, row_sums
from antifaz.kernels.graphs.supports import pass_colors
from antifaz.watch import Watch, unwatched, within

ROUNDS = 3
"""Rounds of refinement, if they are affordable."""
AFFORDABLE = 400_000_000
"""Steps along triangles that the certificates of one graph may take."""
_KEPT = "neighborhood_certificates"


@dataclass(frozen=True)
class Certificates:
    """One number for every node's neighborhood."""

    numbers: Signatures
    rounds: int
    """Rounds of refinement; 0 distinguishes nodes by degree alone."""


def affordable_rounds(*graphs: Graph) -> int:
    """Rounds of refinement that the cost allows for each of the graphs."""
    work = max((Slots.of(graph).work for graph in graphs if _KEPT not in graph.__dict__), default=0)
    known: list[int] = [graph.__dict__[_KEPT].rounds for graph in graphs if _KEPT in graph.__dict__]
    return min([ROUNDS, AFFORDABLE // max(1, work), *known])


def certify(graph: Graph, rounds: int, watch: Watch = unwatched) -> Certificates:
    """The certificate of every node's neighborhood; cached on the graph because the risk and the attack share it."""
    kept: Certificates | None = graph.__dict__.get(_KEPT)
    if kept is None or kept.rounds != rounds:
        kept = _compute_certificates(graph, rounds, watch)
        graph.__dict__[_KEPT] = kept
    return kept


def _compute_certificates(graph: Graph, rounds: int, watch: Watch) -> Certificates:
    watch(0.0)
    slots = Slots.of(graph)
    present, rows = np.unique(slots.kinds(graph), return_inverse=True)
    kinds = rows.astype(np.uint8)
    colors = mixed(present.astype(np.uint64))[kinds]
    for step in range(rounds if len(present) else 0):
        seen = np.stack([mixed(colors ^ np.uint64(kind)) for kind in present])
        received = np.zeros(len(colors), dtype=np.uint64)
        triangles = slots.neighbors, slots.starts, slots.upward, slots.reverse
        for part in slots.parts(within(watch, step / rounds, (step + 1) / rounds)):
            pass_colors(*triangles, part.start, part.stop, seen, kinds, received)
        colors = mixed(colors + mixed(received))
    return Certificates(row_sums(mixed(colors), slots.offsets), rounds)
