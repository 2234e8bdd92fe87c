"""Subgraph queries: an attacker who knows some edges around a person searches for a place where they fit.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (subgraph queries).

The attacker knows a number of edges around each target and does not know which pairs are not joined: every released
node around which these edges can be found is a candidate, and one of them is guessed. The choice of known edges decides
how much they reveal. Random edges form a tree, and a tree fits around nearly everyone, but an attacker who investigates
a person learns of circles of friends. So the next known node is always one with the most known neighbors, and all edges
among known nodes are known, up to the number. A sample of targets is attacked. The search whether the edges fit around
a node has a bounded number of steps; a node for which these do not suffice counts as a candidate, and the share of such
nodes is reported (``undecided``): the true rate may be higher. Directions are ignored.

Guarantees: none, it measures.
Cost: at most 50,000 steps for each target and released node, and 2·10^8 in all.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import guess, mean
from antifaz.graphs.knowledge.subgraph_attack import homes
from antifaz.graphs.parts import GraphAttack
from antifaz.kernels.graphs.patterns import Pattern, find_pattern
from antifaz.part import Question, Story
from antifaz.watch import Watch, within

STEPS_PER_NODE = 50_000
STEPS = 200_000_000
"""Steps that the attack may take."""
ROOTS = 100
"""Nodes around which the edges are searched for between two calls of the watch."""


class SubgraphQueries(GraphAttack):
    """Re-identify nodes by some of the edges around them."""

    default: ClassVar[bool] = False

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "some of the edges around a person"
    learns: ClassVar[str] = "which node is that person"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows some connections around a person",
        "finds {} people",
    )

    name: Literal["subgraph_queries"] = "subgraph_queries"
    edges: int = Field(default=20, ge=1, le=40)
    """Number of edges around a target that the attacker knows."""
    targets: int = Field(default=50, ge=1, le=10_000)
    """Most nodes that are attacked."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack a random sample of the nodes."""
        watch(0.0)
        home = homes(graph, released)
        sample = rng.choice(graph.n, min(self.targets, graph.n), replace=False) if graph.n else np.zeros(0, np.int64)
        chances: list[float] = []
        undecided, left = 0, STEPS
        for number, target in enumerate(sample):
            watch(number / len(sample))
            edges = _known_edges(graph, int(target), self.edges, rng)
            candidates, steps = _candidates(
                released.graph, *edges, within(watch, number / len(sample), (number + 1) / len(sample))
            )
            fits = home[target] >= 0 and candidates[home[target]] != 0
            chances.append(1.0 / int((candidates != 0).sum()) if fits else 0.0)
            undecided += int((candidates < 0).sum())
            left -= steps
            if left <= 0:
                break
        return {
            "rate": mean(np.array(chances)),
            "highest": max(chances, default=0.0),
            "baseline": guess(released),
            "edges": self.edges,
            "targets": len(chances),
            "undecided": undecided / max(1, len(chances) * released.graph.n),
        }


def _known_edges(
    graph: Graph, target: int, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """At most a given number of edges around a node: each known node's first known neighbor, who is joined to whom, and
    the degrees inside. The next node is one with the most known neighbors; ties are broken at random."""
    offsets, neighbors = graph.neighbors
    nodes, joined = [target], np.zeros((count + 1, count + 1), dtype=np.uint8)
    links: dict[int, list[int]] = {}
    left = count
    while left:
        place = len(nodes) - 1
        for other in neighbors[offsets[nodes[-1]] : offsets[nodes[-1] + 1]].tolist():
            if other not in nodes:
                links.setdefault(other, []).append(place)
        if not links:
            break
        most = max(map(len, links.values()))
        crowd = [node for node, known in links.items() if len(known) == most]
        chosen = crowd[int(rng.integers(len(crowd)))]
        known = links.pop(chosen)[:left]
        nodes.append(chosen)
        joined[place + 1, known] = joined[known, place + 1] = 1
        left -= len(known)
    size = len(nodes)
    pattern = np.ascontiguousarray(joined[:size, :size])
    parents = [0, *(int(pattern[place, :place].argmax()) for place in range(1, size))]
    return np.array(parents, dtype=np.int64), pattern, pattern.sum(axis=1).astype(np.int64)


def _candidates(
    shown: Graph, parents: NDArray[np.int64], pattern: NDArray[np.uint8], degrees: NDArray[np.int64], watch: Watch
) -> tuple[NDArray[np.int64], int]:
    """For every released node, 1 if the edges fit around it, 0 if not, -1 if unknown; and the number of steps."""
    offsets, neighbors = shown.neighbors
    found, images = np.zeros(shown.n, dtype=np.int64), np.zeros((0, len(parents)), dtype=np.int64)
    sought = Pattern(parents, pattern, degrees, exact=False)
    steps, everywhere = 0, shown.n + 1
    for start in range(0, shown.n, ROOTS):
        watch(start / shown.n)
        some = np.arange(start, min(start + ROOTS, shown.n))
        # A slice of the array, so that the kernel writes into it.
        here = found[start : start + ROOTS]
        steps += find_pattern(offsets, neighbors, sought, some, 1, everywhere, STEPS_PER_NODE, here, images)
    return found, int(steps)
