"""Cut-based: an attacker who knows a group of nodes that few edges leave finds it, and whom it is tied to.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007 (the cut-based attack).

The active attacker of the paper makes a few accounts that are joined densely to one another and thinly to the rest, and
finds them in the release as a piece that a small cut takes off. As the release is there already, nothing can be planted
any more: here groups of the original that are grown from random nodes, each time by the node that leaves the fewest
edges going out, play the part of the accounts. The release is searched for groups grown in the same way that have as
many edges going out and the same numbers of edges inside; one of them is guessed. Where there is only one its members
are taken for known, and whoever is tied to a set of members to which nobody else is. The rate is the mean chance of
guessing right. Directions are ignored.

Guarantees: none, it measures.
Cost: O(n·size·degree), at most 4·10^8 steps.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import guess, mean
from antifaz.graphs.knowledge.subgraph_attack import LARGEST, homes, learned
from antifaz.graphs.parts import GraphAttack
from antifaz.graphs.structure.refinement import Signatures, mixed, refine
from antifaz.kernels.graph_patterns import grow_pockets
from antifaz.watch import Watch

STEPS = 200_000_000
"""Steps that growing the groups of one graph may take."""


class CutBased(GraphAttack):
    """Find groups of nodes that few edges leave, and re-identify whom they are tied to."""

    default: ClassVar[bool] = False

    name: Literal["cut_based"] = "cut_based"
    size: int = Field(default=8, ge=2, le=LARGEST)
    """Nodes in a group."""
    groups: int = Field(default=50, ge=1, le=10_000)
    """How many groups are tried."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Look for groups grown from random nodes."""
        watch(0.0)
        starts = rng.permutation(graph.n)[: self.groups]
        known = _pockets(graph, starts, self.size)
        watch(0.3)
        seen = _pockets(released.graph, rng.permutation(released.graph.n), self.size)
        home = homes(graph, released)
        chances, right, wrong = np.zeros(len(known.members)), 0, 0
        for number, members in enumerate(known.members):
            watch(0.6 + 0.4 * number / len(known.members))
            places = np.flatnonzero(seen.looks == known.looks[number])
            images, first = np.unique(seen.names[places], return_index=True)
            if _numbers(home[members][None])[0] in images:
                chances[number] = 1.0 / len(images)
            if len(images) == 1:
                gained = learned(graph, members, released, seen.members[places[first[0]]])
                right, wrong = right + gained[0], wrong + gained[1]
        return {
            "rate": mean(chances),
            "highest": float(chances.max(initial=0.0)),
            "baseline": guess(released),
            "groups": len(chances),
            "size": self.size,
            "searched": len(seen.members) / max(1, released.graph.n),
            "reidentified_by_group": right / max(1, len(chances)),
            "mistaken_by_group": wrong / max(1, len(chances)),
        }


@dataclass(frozen=True)
class _Pockets:
    """Groups with few edges going out."""

    members: NDArray[np.int64]
    looks: Signatures
    """One number for the edges going out and the members' numbers of edges inside, in the order of growth."""
    names: Signatures
    """One number for the members in the order of growth."""


def _pockets(graph: Graph, starts: NDArray[np.int64], size: int) -> _Pockets:
    """The groups of full size that grow from some nodes; equally good nodes are taken by their surroundings."""
    offsets, neighbors = graph.neighbors
    members = np.full((len(starts), size), -1, dtype=np.int64)
    inner, cuts = np.zeros((len(starts), size), dtype=np.int64), np.zeros(len(starts), dtype=np.int64)
    served = grow_pockets(offsets, neighbors, refine(graph, 3)[3], starts, STEPS, members, inner, cuts)
    full = np.flatnonzero((members[:served] >= 0).all(axis=1))
    return _Pockets(members[full], _numbers(np.column_stack([cuts[full], inner[full]])), _numbers(members[full]))


def _numbers(members: NDArray[np.int64]) -> Signatures:
    """One number for every row of nodes."""
    found = np.zeros(len(members), dtype=np.uint64)
    for column in members.T:
        found = mixed(found) + column.astype(np.uint64)
    return found
