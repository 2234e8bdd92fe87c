"""Random perturbation: remove some edges at random, and add as many others.

Hay, Miklau, Jensen, Weis and Srivastava, "Anonymizing Social Networks", University of Massachusetts, 2007.

Of the m edges, round(share · m) are removed, every set of that size being equally likely; the same number of pairs is
added out of those that the original does not join. So a removed edge never comes back, and the number of edges stays
exactly the same. The absent pairs are drawn by their rank among all absent pairs, which takes the same time in a dense
graph. In a directed graph edges and pairs are ordered.

Guarantees: none. The attacker is less sure of every edge, but hubs and tightly knit groups remain recognizable, and an
estimate that filters the noise out (link prediction, low-rank approximation) finds part of the changes.
Preserves: the number of edges.
Cost: O(m log m).
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.edits.perturbation import Perturbation, refuse_crowded
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import draw_absent
from antifaz.watch import Watch


class RandomPerturbation(Perturbation):
    """Remove a share of the edges at random and add as many new ones."""

    leaves: ClassVar[str] = "A perturbed graph has no guarantee: hubs and tightly knit groups remain recognizable."

    name: Literal["random_perturbation"] = "random_perturbation"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Replace round(share · m) edges."""
        refuse_crowded(graph, self.share)
        count = round(self.share * graph.m)
        goes = rng.choice(graph.m, count, replace=False, shuffle=False)
        watch(0.3)
        comes = draw_absent(graph, count, rng)
        watch(0.7)
        return Graph(graph.n, np.sort(np.concatenate([np.delete(graph.keys, goes), comes])), graph.directed), {}
