"""Link disclosure: an attacker who identifies no one still learns who is joined.

Zheleva and Getoor, "Preserving the Privacy of Sensitive Relationships in Graph Data", PinKDD 2007; by similarity, Ying
and Wu, "On Link Privacy in Randomizing Graphs", PAKDD 2009.

Two degree classes that are joined completely reveal every edge between their members although none of them is known.
The attacker knows the degrees of two people (directed: both degrees of each) and uses the share of joined pairs among
released nodes with these degrees as the probability that the two are joined. The rate is the share of the original's
edges that get at least the threshold; the baseline is what the share of joined pairs in the whole release makes as
sure, nothing in a sparse graph; ``precision`` is the share of such released edges that are real. Also reported,
by similarity: how likely an edge was real given that the release shows it, and how likely a pair was joined that the
release shows apart, each for the number of common neighbors for which it is highest.

Guarantees: none, it measures.
Cost: O((n + m) log n); similarity on at most 20,000 pairs of either kind.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.similarity import are_joined, common_neighbors, pairs_at_two, real_pairs, sampled_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch, within

PAIRS = 20_000
"""Pairs of either kind whose similarity is computed."""
FEWEST = 50
"""Fewest pairs in a class of similarity; smaller ones are merged with the next lower number of common neighbors."""


class LinkDisclosure(GraphAttack):
    """Infer who is joined from the density between degree classes, and from similarity."""

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "how many contacts two people have, not which nodes they are"
    learns: ClassVar[str] = "that the two are joined"
    guesses: ClassVar[str] = "being as sure by the share of all pairs that are joined"
    story: ClassVar[Story] = Story(
        "someone who knows how many contacts two people have",
        "is sure of {} connections",
        "the share of all pairs that are connected makes sure of {}",
    )

    name: Literal["link_disclosure"] = "link_disclosure"
    threshold: float = Field(default=0.9, gt=0, le=1)
    """Probability from which an edge counts as disclosed."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Probabilities of the original's edges given the release."""
        watch(0.0)
        shown = released.graph
        posteriors = _Posteriors(shown)
        of_edges = posteriors.of(_knowledge(graph), graph.sources, graph.targets)
        claimed = posteriors.of(_knowledge(shown), shown.sources, shown.targets) >= self.threshold
        right = real_pairs(graph, released, shown.sources[claimed], shown.targets[claimed])
        watch(0.5)
        pairs = shown.n * (shown.n - 1) / (1 if shown.directed else 2)
        return {
            "rate": float((of_edges >= self.threshold).mean()) if graph.m else 0.0,
            "baseline": float(pairs > 0 and shown.m / pairs >= self.threshold),
            "highest": posteriors.highest,
            "mean_of_edges": float(of_edges.mean()) if graph.m else 0.0,
            "precision": float(right.mean()) if len(right) else None,
            "targets": graph.m,
            "by_similarity": _by_similarity(graph, released, rng, within(watch, 0.5, 1.0)),
        }


def _knowledge(graph: Graph) -> NDArray[np.int64]:
    """The degrees of every node as one number, the same in every graph."""
    return graph.out_degrees * np.int64(1 << 31) + graph.in_degrees if graph.directed else graph.degrees


class _Posteriors:
    """The densities between the degree classes of a released graph."""

    def __init__(self, shown: Graph) -> None:
        self.directed = shown.directed
        self.classes, members, sizes = np.unique(_knowledge(shown), return_inverse=True, return_counts=True)
        self.keys, edges = np.unique(self._key(members[shown.sources], members[shown.targets]), return_counts=True)
        width = max(1, len(self.classes))
        one, other = self.keys // width, self.keys % width
        pairs = sizes[one] * np.where(one == other, sizes[one] - 1, sizes[other]).astype(np.float64)
        if not self.directed:
            pairs[one == other] /= 2
        self.densities = edges / np.maximum(pairs, 1.0)

    @property
    def highest(self) -> float:
        """The largest probability of any two people with edges between their degree classes."""
        return float(self.densities.max(initial=0.0))

    def of(
        self, knowledge: NDArray[np.int64], sources: NDArray[np.int64], targets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The probabilities of some pairs; 0 if no released node has the degrees of one end."""
        found = np.zeros(len(sources))
        if not len(self.keys):
            return found
        place = np.minimum(np.searchsorted(self.classes, knowledge), len(self.classes) - 1)
        there = self.classes[place] == knowledge
        keys = self._key(place[sources], place[targets])
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        hit = (self.keys[at] == keys) & there[sources] & there[targets]
        found[hit] = self.densities[at[hit]]
        return found

    def _key(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number for a pair of classes, in either order if the graph is undirected."""
        if not self.directed:
            one, other = np.minimum(one, other), np.maximum(one, other)
        return one * np.int64(max(1, len(self.classes))) + other


def _by_similarity(graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, float]:
    """The highest shares of real edges among pairs of one similarity, for joined and for unjoined released pairs."""
    shown = released.graph
    joined = sampled_edges(shown, PAIRS, rng)
    apart = pairs_at_two(shown, PAIRS, rng)
    apart = apart[:, ~are_joined(shown, apart[0], apart[1])]
    seen = common_neighbors(shown, joined[0], joined[1], within(watch, 0.0, 0.5))
    unseen = common_neighbors(shown, apart[0], apart[1], within(watch, 0.5, 1.0))
    return {
        "joined": _highest_share(seen, real_pairs(graph, released, *joined)),
        "apart": _highest_share(unseen, real_pairs(graph, released, *apart)),
    }


def _highest_share(similarity: NDArray[np.int64], real: NDArray[np.bool_]) -> float:
    """The largest share of real pairs in any class of similarity."""
    if not len(real):
        return 0.0
    order = np.argsort(similarity, kind="stable")
    starts = np.flatnonzero(np.diff(similarity[order], prepend=-1))
    kept = [0]
    for start in starts[1:]:
        if start - kept[-1] >= FEWEST and len(real) - start >= FEWEST:
            kept.append(int(start))
    sums = np.add.reduceat(real[order].astype(np.float64), kept)
    return float((sums / np.diff([*kept, len(real)])).max())
