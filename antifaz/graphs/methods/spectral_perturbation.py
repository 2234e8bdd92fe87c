"""Spectral perturbation: replace edges at random as long as two eigenvalues of the graph stay close.

Ying and Wu, "Randomizing Social Networks: a Spectrum Preserving Approach", SDM 2008.

As in `random_perturbation`, an edge k–l is replaced by a pair i–j that the original does not join, here one at a time.
A replacement is made only if it keeps the largest eigenvalue of the adjacency matrix and the second smallest of the
Laplacian near the original's. To first order they shift by 2·(x_i·x_j - x_k·x_l) and by (y_i - y_j)² - (y_k - y_l)², x
and y being the eigenvectors; these are computed again after every tenth of the replacements, so that errors do not add
up. If the graph is in several pieces, the Laplacian is that of the largest one. Defined for undirected graphs.

Guarantees: none. Hubs and tightly knit groups remain recognizable, more so than after `random_perturbation`, because
the edges that determine the spectrum are left in place.
Preserves: the number of edges, and both eigenvalues within the tolerance, by estimate.
Cost: O(m log m), and eleven times that of the two eigenvectors.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.edits.edge_moves import MOST_LISTED, Moves, Proposal, make_moves
from antifaz.graphs.edits.perturbation import Perturbation, refuse_crowded
from antifaz.graphs.edits.spectral_drift import SpectrumJudge
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import absent_count, draw_absent
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]

LOOKS = 10
"""How often the eigenvalues are computed again."""


class SpectralPerturbation(Perturbation):
    """Replace edges at random while two eigenvalues of the graph stay close."""

    takes_directed: ClassVar[bool] = False
    leaves: ClassVar[str] = "A perturbed graph has no guarantee: hubs and tightly knit groups remain recognizable."

    name: Literal["spectral_perturbation"] = "spectral_perturbation"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace."""
    tolerance: float = Field(default=0.02, gt=0, le=1)
    """Largest change of either eigenvalue, as a share of the original's."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Replace round(share · m) edges, or as many as the tolerance allows."""
        refuse_crowded(graph, self.share)

        def propose(places: Integers, rng: np.random.Generator) -> Proposal:
            comes = draw_absent(graph, min(len(places), absent_count(graph)), rng)
            return Proposal(places[: len(comes), None], rng.permutation(comes)[:, None])

        def list_all(places: Integers) -> Proposal | None:
            if len(places) * absent_count(graph) > MOST_LISTED:
                return None
            absent = draw_absent(graph, absent_count(graph), rng)
            return Proposal(np.repeat(places, len(absent))[:, None], np.tile(absent, len(places))[:, None])

        moves = Moves.none_yet(graph, round(self.share * graph.m))
        at_once = max(1, -(-moves.wanted // LOOKS))
        share = within(watch, 0.05, 0.95)
        judge = SpectrumJudge.of(graph, self.tolerance, at_once, rng, share)
        make_moves(moves, propose, list_all, rng, share, judge, at_once)
        judge.look(moves)
        return moves.result, {
            "replacements": moves.made,
            "replacements_wanted": moves.wanted,
            "stopped_because": moves.ending.value,
            **judge.account(),
        }
