"""Edge relevance: random perturbation that spares the edges that matter most to the structure.

Casas-Roma, "Privacy-Preserving on Graphs Using Randomization and Edge-Relevance", MDAI 2014.

The more nodes are neighbors of one end of an edge and not of both, the more relevant it is (edge neighborhood
centrality): without it, more shortest paths change. As in `random_perturbation`, round(share · m) edges are removed and
the same number of new ones is added. The removed edges are drawn among the least relevant ones alone. Twice as many
pairs as needed are drawn, and those with the lower centrality are added, so that no new bridge between distant hubs
changes all distances. In a directed graph the neighbors are those of either direction.

Guarantees: none. The most relevant edges are all true, which the attacker may know, and hubs and tightly knit groups
remain recognizable.
Preserves: the number of edges and the most relevant ones; distances better than `random_perturbation`.
Cost: O(m · √m) at worst for the centralities, O(m log m) otherwise.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.arrays import ordered
from antifaz.graphs.edits.perturbation import Perturbation, refuse_crowded
from antifaz.graphs.edits.relevance import relevance
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import absent_count, draw_absent
from antifaz.watch import Watch, within


class EdgeRelevance(Perturbation):
    """Replace edges at random and spare those that matter most to the structure."""

    leaves: ClassVar[str] = "The spared edges are all true, and hubs and tightly knit groups remain recognizable."

    name: Literal["edge_relevance"] = "edge_relevance"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace."""
    spared: float = Field(default=0.5, ge=0, lt=1)
    """Share of the edges, the most relevant ones, that stay as long as there are others."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Replace round(share · m) edges."""
        refuse_crowded(graph, self.share)
        count = round(self.share * graph.m)
        relevances = relevance(graph, graph.keys, within(watch, 0.0, 0.5))
        # Ties are broken at random: otherwise the order of the nodes would decide.
        order = ordered((rng.random(graph.m), relevances), within(watch, 0.5, 0.6))
        open_to_change = max(count, graph.m - round(self.spared * graph.m))
        watch(0.6)
        goes = order[rng.choice(open_to_change, count, replace=False, shuffle=False)] if count else order[:0]
        comes = draw_absent(graph, min(2 * count, absent_count(graph)), rng)
        watch(0.7)
        chances = rng.random(len(comes))
        fit = relevance(graph, comes, within(watch, 0.7, 0.8))
        comes = comes[ordered((chances, fit), within(watch, 0.8, 0.9))[:count]]
        watch(0.9)
        keys = np.sort(np.concatenate([np.delete(graph.keys, goes), comes]))
        return Graph(graph.n, keys, graph.directed), {"edges_open_to_change": open_to_change}
