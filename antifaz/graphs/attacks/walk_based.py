"""Walk-based: an attacker who knows a chain of nodes and how they are joined finds it, and whom it is tied to.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007 (the walk-based attack).

The active attacker of the paper makes accounts, joins them to one another in a chain and to the targets, and finds them
in the release by their degrees and the edges among them. As the release is there already, nothing can be planted any
more: here a random walk through the original plays the part of the accounts (a coalition of people who know their own
contacts would do the same). The release is searched for chains with the same degrees and the same edges among them;
members that are in the same place in all of them are taken for known, and so is whoever is tied to a set of these to
which nobody else is. The rate is the share of members found rightly, ``unique`` the share of chains of which there is
one alone. Directions are ignored.

Guarantees: none, it measures.
Cost: at most 20,000 steps for each chain and released node of the first one's degree, and 2·10^8 in all.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.similarity import are_joined
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import guess
from antifaz.graphs.knowledge.subgraph_attack import LARGEST, homes, learned
from antifaz.graphs.parts import GraphAttack
from antifaz.kernels.graph_patterns import find_pattern
from antifaz.watch import Watch

STEPS_PER_NODE = 20_000
STEPS = 200_000_000
"""Steps that the attack may take."""
COPIES = 50
"""A chain that is there so often is given up."""
TRIES = 20
"""Walks that are begun to find one that does not end too soon."""


class WalkBased(GraphAttack):
    """Find chains of nodes by their degrees and the edges among them, and re-identify whom they are tied to."""

    default: ClassVar[bool] = False

    name: Literal["walk_based"] = "walk_based"
    size: int = Field(default=12, ge=2, le=LARGEST)
    """Nodes in a chain."""
    chains: int = Field(default=50, ge=1, le=10_000)
    """How many chains are tried."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Look for random chains."""
        watch(0.0)
        home = homes(graph, released)
        tried, found, unique, right, wrong, left = 0, 0, 0, 0, 0, STEPS
        for number in range(self.chains):
            watch(number / self.chains)
            chain = _chain(graph, self.size, rng)
            if chain is None or left <= 0:
                break
            tried += 1
            copies, steps = _look_for(graph, chain, released.graph)
            left -= steps
            sure = np.flatnonzero((copies == copies[:1]).all(axis=0)) if len(copies) else np.zeros(0, dtype=np.int64)
            unique += int(len(copies) == 1)
            if len(sure):
                found += int((copies[0, sure] == home[chain[sure]]).sum())
                gained = learned(graph, chain[sure], released, copies[0, sure])
                right, wrong = right + gained[0], wrong + gained[1]
        return {
            "rate": found / max(1, tried * self.size),
            "baseline": guess(released),
            "unique": unique / max(1, tried),
            "chains": tried,
            "size": self.size,
            "reidentified_by_chain": right / max(1, tried),
            "mistaken_by_chain": wrong / max(1, tried),
        }


def _chain(graph: Graph, size: int, rng: np.random.Generator) -> NDArray[np.int64] | None:
    """Different nodes, each joined to the one before, at random."""
    offsets, neighbors = graph.neighbors
    for _ in range(TRIES if graph.n else 0):
        nodes = [int(rng.integers(graph.n))]
        while len(nodes) < size:
            row = neighbors[offsets[nodes[-1]] : offsets[nodes[-1] + 1]]
            fresh = row[~np.isin(row, nodes)]
            if not len(fresh):
                break
            nodes.append(int(fresh[rng.integers(len(fresh))]))
        if len(nodes) == size:
            return np.array(nodes, dtype=np.int64)
    return None


def _look_for(graph: Graph, chain: NDArray[np.int64], shown: Graph) -> tuple[NDArray[np.int64], int]:
    """All chains of the release with the same degrees and edges, and the steps taken; none where there are too many or
    the search was not ended."""
    size = len(chain)
    degrees = np.diff(graph.neighbors[0])[chain]
    one, other = np.divmod(np.arange(size * size), size)
    wanted = are_joined(graph, chain[one], chain[other]).reshape(size, size).astype(np.uint8)
    offsets, neighbors = shown.neighbors
    roots = np.flatnonzero(np.diff(offsets) == degrees[0])
    found, images = np.zeros(len(roots), dtype=np.int64), np.zeros((COPIES, size), dtype=np.int64)
    parents = np.maximum(np.arange(size) - 1, 0)
    steps = find_pattern(
        offsets, neighbors, parents, wanted, degrees, True, roots, COPIES, COPIES, STEPS_PER_NODE, found, images
    )
    count = int(found.sum())
    given_up = (found < 0).any() or count >= COPIES
    return images[: 0 if given_up else count], int(steps)
