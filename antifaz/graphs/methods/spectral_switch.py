"""Spectral switch: pairs of edges exchange their ends as long as two eigenvalues of the graph stay close.

Ying and Wu, "Randomizing Social Networks: a Spectrum Preserving Approach", SDM 2008.

As in `random_switch`, two edges a–b and c–d are replaced by a–d and c–b and every degree stays. A switch is made only
if it keeps the largest eigenvalue of the adjacency matrix and the second smallest of the Laplacian near the original's.
To first order it shifts them by 2·(x_a - x_c)·(x_d - x_b) and by -2·(y_a - y_c)·(y_d - y_b), x and y being the
eigenvectors; these are computed again after every tenth of the switches, so that errors do not add up. If the graph is
in several pieces, the Laplacian is that of the largest one. Defined for undirected graphs, whose eigenvalues are real.

Guarantees: none. Degrees do not change, so an attacker who knows a node's degree finds it as easily as before; knowing
that the spectrum stayed close, the attacker can also exclude some changes.
Preserves: the number of edges, every degree, and both eigenvalues within the tolerance, by estimate.
Cost: O(m log m), and eleven times that of the two eigenvectors.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.edits.edge_moves import Moves, make_moves
from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.edits.spectral_drift import SpectrumJudge
from antifaz.graphs.edits.switches import Switches
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch, within

LOOKS = 10
"""How often the eigenvalues are computed again."""


class SpectralSwitch(Perturbation):
    """Let pairs of edges exchange their ends while two eigenvalues of the graph stay close."""

    takes_directed: ClassVar[bool] = False
    leaves: ClassVar[str] = (
        "Every node keeps its degree: an attacker who knows the degree of a node finds it as easily as before."
    )

    name: Literal["spectral_switch"] = "spectral_switch"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace; a switch replaces two."""
    tolerance: float = Field(default=0.02, gt=0, le=1)
    """Largest change of either eigenvalue, as a share of the original's."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Make half of round(share · m) switches, or as many as the tolerance allows."""
        switches = Switches(graph)
        moves = Moves.none_yet(graph, round(self.share * graph.m) // 2)
        at_once = max(1, -(-moves.wanted // LOOKS))
        share = within(watch, 0.05, 0.95)
        judge = SpectrumJudge.of(graph, self.tolerance, at_once, rng, share)
        make_moves(moves, switches.propose, switches.list_all, rng, share, judge, at_once)
        judge.look(moves)
        return moves.result, {
            "switches": moves.made,
            "switches_wanted": moves.wanted,
            "stopped_because": moves.ending.value,
            **judge.account(),
        }
