"""Edge rotation: one end of an edge stays, the other moves to another node.

Chartrand, Saba and Zou, "Edge Rotations and Distance Between Graphs", Časopis pro pěstování matematiky, 1985; as a way
to protect graphs: Casas-Roma, Herrera-Joancomartí and Torra, "A Survey of Graph-Modification Techniques for
Privacy-Preserving on Networks", Artificial Intelligence Review, 2017.

An edge u–v is replaced by u–w, if the original does not join u and w. The end that stays is drawn at random, in a
directed graph too: u→v becomes u→w or w→v. An edge is rotated at most once and never comes back, so round(share · m)
rotations replace exactly that number of edges. If fewer are possible (a clique), the account reports it.

Guarantees: none. It changes degrees by a few units at random: hubs and tightly knit groups remain recognizable, and
every published edge is an original one with probability 1 - share.
Preserves: the number of edges; the degree of the end that stays.
Cost: O(m log m) in sparse graphs; at most a hundred proposals for each rotation.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.edits.edge_moves import MOST_LISTED, Moves, Proposal, as_keys, make_moves
from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch

Integers = NDArray[np.int64]


class EdgeRotation(Perturbation):
    """Move one end of a share of the edges to nodes drawn at random."""

    leaves: ClassVar[str] = "A perturbed graph has no guarantee: hubs and tightly knit groups remain recognizable."

    name: Literal["edge_rotation"] = "edge_rotation"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Make round(share · m) rotations."""

        def propose(places: Integers, rng: np.random.Generator) -> Proposal:
            return _rotate(graph, places, rng.integers(0, graph.n, len(places)), rng.integers(0, 2, len(places)))

        def list_all(places: Integers) -> Proposal | None:
            if 2 * graph.n * len(places) > MOST_LISTED:
                return None
            each = np.repeat(places, 2 * graph.n)
            number = np.arange(len(each))
            return _rotate(graph, each, number // 2 % graph.n, number % 2)

        moves = Moves.none_yet(graph, round(self.share * graph.m))
        make_moves(moves, propose, list_all, rng, watch)
        return moves.result, {
            "rotations": moves.made,
            "rotations_wanted": moves.wanted,
            "stopped_because": moves.ending.value,
        }


def _rotate(graph: Graph, places: Integers, new_ends: Integers, first_stays: Integers) -> Proposal:
    """Rotations of the edges at these places to the new ends."""
    sources, targets = graph.keys[places] // graph.n, graph.keys[places] % graph.n
    comes = as_keys(graph, np.where(first_stays, sources, new_ends), np.where(first_stays, new_ends, targets))
    return Proposal(places[:, None], comes[:, None])
