"""Random switch: pairs of edges exchange their ends; every node keeps its degree.

Ying and Wu, "Randomizing Social Networks: a Spectrum Preserving Approach", SDM 2008; the switch itself goes back to
Ryser, "Combinatorial Properties of Matrices of Zeros and Ones", Canadian Journal of Mathematics, 1957.

Two edges a–b and c–d are replaced by a–d and c–b, in a directed graph a→b and c→d by a→d and c→b: each node keeps its
degree, or both its degrees. An edge is switched at most once and never comes back, so half of round(share · m)
switches replace exactly twice as many edges. A graph may have fewer switches than are wanted, or none (a star, a
clique): the account then reports how many were made, and whether there are no more or they only were not found.

Guarantees: none. Degrees do not change, so an attacker who knows a node's degree finds it as easily as before, and a
node whose degree is unique is still found with certainty.
Preserves: the number of edges and every degree.
Cost: O(m log m) in sparse graphs; at most a hundred proposals for each switch.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.edits.edge_moves import Moves, make_moves
from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.edits.switches import Switches
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch


class RandomSwitch(Perturbation):
    """Let pairs of edges exchange their ends at random, so that every degree stays the same."""

    leaves: ClassVar[str] = (
        "Every node keeps its degree: an attacker who knows the degree of a node finds it as easily as before."
    )

    name: Literal["random_switch"] = "random_switch"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace; a switch replaces two."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Make half of round(share · m) switches."""
        switches = Switches(graph)
        moves = Moves.none_yet(graph, round(self.share * graph.m) // 2)
        make_moves(moves, switches.propose, switches.list_all, rng, watch)
        return moves.result, {
            "switches": moves.made,
            "switches_wanted": moves.wanted,
            "stopped_because": moves.ending.value,
        }
