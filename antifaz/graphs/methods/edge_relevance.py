"""Edge relevance: random perturbation that leaves the edges alone on which most of the structure hangs.

Casas-Roma, "Privacy-Preserving on Graphs Using Randomization and Edge-Relevance", MDAI 2014.

An edge is the more relevant, the more nodes are neighbors of one of its ends and not of both (edge neighborhood
centrality): without it, more shortest paths change. As in `random_perturbation`, round(share · m) edges go
and as many come that were not there. Those that go are drawn among the least relevant ones alone; of twice as many
pairs that are drawn, those with the lower centrality come, so that no new bridge between distant hubs changes all
distances. In a directed graph the neighbors are those of either direction.

Guarantees: none. The most relevant edges are all true, which the attacker may know, and hubs and tightly knit groups
remain recognizable.
Preserves: the number of edges and the most relevant ones; distances better than a perturbation without regard.
Cost: O(m · √m) at worst for the centralities, O(m log m) otherwise.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.edits.perturbation import Perturbation, refuse_crowded
from antifaz.graphs.edits.relevance import relevance
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import absent_count, draw_absent
from antifaz.watch import Watch


class EdgeRelevance(Perturbation):
    """Replace edges at random and spare those that matter most to the structure."""

    leaves: ClassVar[str] = "The spared edges are all true, and hubs and tightly knit groups remain recognizable."

    name: Literal["edge_relevance"] = "edge_relevance"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges that are replaced."""
    spared: float = Field(default=0.5, ge=0, lt=1)
    """Share of the edges, the most relevant ones, that stay as long as there are others."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Replace round(share · m) edges."""
        refuse_crowded(graph, self.share)
        count = round(self.share * graph.m)
        relevances = relevance(graph, graph.keys)
        watch(0.5)
        # Ties are broken by chance: else the order of the nodes would decide.
        order = np.lexsort((rng.random(graph.m), relevances))
        open_to_change = max(count, graph.m - round(self.spared * graph.m))
        goes = order[rng.choice(open_to_change, count, replace=False, shuffle=False)] if count else order[:0]
        comes = draw_absent(graph, min(2 * count, absent_count(graph)), rng)
        watch(0.7)
        comes = comes[np.lexsort((rng.random(len(comes)), relevance(graph, comes)))[:count]]
        keys = np.sort(np.concatenate([np.delete(graph.keys, goes), comes]))
        return Graph(graph.n, keys, graph.directed), {"edges_open_to_change": open_to_change}
