"""Neighbourhood certificates: numbers that isomorphic neighbourhoods have in common.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008 (the neighbourhood of a
node is the subgraph of its neighbours); Weisfeiler and Leman, 1968 (colour refinement).

The neighbours of a node are coloured by refinement inside its neighbourhood; the certificate is the multiset of their
colours. Isomorphic neighbourhoods have the same certificate, and nearly all others a different one: the classes are
never smaller than those of isomorphism. All neighbourhoods are refined at once, along the triangles of the graph.
"""

from dataclasses import dataclass

import numpy as np

from antifaz.graphs.graph import Graph
from antifaz.graphs.refinement import Signatures, mixed, row_sums
from antifaz.graphs.triangles import Slots
from antifaz.kernels.graph_supports import pass_colours

ROUNDS = 3
"""Rounds of refinement where they are affordable."""
AFFORDABLE = 400_000_000
"""Steps along triangles that the certificates of one graph may take."""
_KEPT = "neighbourhood_certificates"


@dataclass(frozen=True)
class Certificates:
    """One number for every node's neighbourhood."""

    numbers: Signatures
    rounds: int
    """Rounds of refinement; 0 tells degrees alone."""


def affordable_rounds(*graphs: Graph) -> int:
    """Rounds of refinement that the cost allows for each of the graphs."""
    work = max((Slots.of(graph).work for graph in graphs if _KEPT not in graph.__dict__), default=0)
    known: list[int] = [graph.__dict__[_KEPT].rounds for graph in graphs if _KEPT in graph.__dict__]
    return min([ROUNDS, AFFORDABLE // max(1, work), *known])


def certify(graph: Graph, rounds: int) -> Certificates:
    """The certificate of every node's neighbourhood; kept with the graph, for the risk and the attack share it."""
    kept: Certificates | None = graph.__dict__.get(_KEPT)
    if kept is None or kept.rounds != rounds:
        kept = _certified(graph, rounds)
        graph.__dict__[_KEPT] = kept
    return kept


def _certified(graph: Graph, rounds: int) -> Certificates:
    slots = Slots.of(graph)
    present, rows = np.unique(slots.kinds(graph), return_inverse=True)
    kinds = rows.astype(np.uint8)
    colours = mixed(present.astype(np.uint64))[kinds]
    for _ in range(rounds if len(present) else 0):
        seen = np.stack([mixed(colours ^ np.uint64(kind)) for kind in present])
        received = np.zeros(len(colours), dtype=np.uint64)
        pass_colours(slots.neighbours, slots.starts, slots.upward, slots.reverse, seen, kinds, received)
        colours = mixed(colours + mixed(received))
    return Certificates(row_sums(mixed(colours), slots.offsets), rounds)
