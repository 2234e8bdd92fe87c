"""Fake edge plausibility: whether edges that a method added can be distinguished from real ones.

Zhang, Humbert, Surma, Manoharan, Vreeken and Backes, "Towards Plausible Graph Anonymization", NDSS 2020.

Friends have friends in common; edges added at random join strangers. The attacker ranks the released edges by how
similar their ends are: by common neighbors, by common neighbors of low degree (Adamic and Adar, 2003) and by the
likeness of their places in the graph's leading eigenvectors. The rate is the area under the curve of the measure that
best distinguishes real from added edges: 0.5 is a coin toss, 1 distinguishes all. Directions are ignored.

Guarantees: none, it measures.
Cost: O(m·32) for the eigenvectors; similarity of at most 20,000 edges of either kind.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.similarity import real_pairs, weighted_common_neighbors
from antifaz.graphs.analysis.spectrum import adjacency, leading_eigenpairs
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch, within

EDGES = 20_000
"""Edges of either kind that are compared."""
DIMENSIONS = 16


class FakeEdgePlausibility(GraphAttack):
    """Distinguish added edges from real ones by the similarity of their ends."""

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "which node is whom, and that some edges were made up"
    learns: ClassVar[str] = "which of the released contacts are real"
    guesses: ClassVar[str] = "tossing a coin"
    knows_nodes: ClassVar[bool] = True
    story: ClassVar[Story] = Story(
        "someone who compares an added connection with a real one",
        "tells them apart {} times",
        "a coin does so {}",
    )

    name: Literal["fake_edge_plausibility"] = "fake_edge_plausibility"

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Areas under the curves of three similarities."""
        watch(0.0)
        shown = released.graph
        real = real_pairs(graph, released, shown.sources, shown.targets)
        chosen = np.concatenate([_some(np.flatnonzero(real), rng), _some(np.flatnonzero(~real), rng)])
        about: dict[str, Any] = {"real": int(real[chosen].sum()), "added": int((~real[chosen]).sum())}
        if not about["real"] or not about["added"]:
            return {"rate": 0.5, "baseline": 0.5, "by_similarity": {}, **about}
        one, other = shown.sources[chosen], shown.targets[chosen]
        watch(0.3)
        similarities = _similarities(shown, one, other, rng, within(watch, 0.3, 1.0))
        areas = {name: area_under_curve(each, real[chosen]) for name, each in similarities.items()}
        best = max(areas, key=lambda name: areas[name])
        return {"rate": areas[best], "baseline": 0.5, "similarity": best, "by_similarity": areas, **about}


def _some(edges: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return edges if len(edges) <= EDGES else rng.choice(edges, EDGES, replace=False)


def _similarities(
    shown: Graph, one: NDArray[np.int64], other: NDArray[np.int64], rng: np.random.Generator, watch: Watch
) -> dict[str, NDArray[np.float64]]:
    """How similar the ends of each edge are, not counting the edge itself if possible."""
    degrees = np.diff(shown.neighbors[0])
    rare = 1.0 / np.log(np.maximum(degrees, 2))
    values, vectors = leading_eigenpairs(adjacency(shown), DIMENSIONS, rng)
    places = vectors * np.abs(values)
    lengths = np.linalg.norm(places, axis=1) + 1e-12
    return {
        "common_neighbors": weighted_common_neighbors(shown, one, other, np.ones(shown.n), within(watch, 0.4, 0.7)),
        "adamic_adar": weighted_common_neighbors(shown, one, other, rare, within(watch, 0.7, 1.0)),
        "spectral": (places[one] * places[other]).sum(axis=1) / (lengths[one] * lengths[other]),
    }


def area_under_curve(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The probability that a positive scores higher than a negative, ties counting half."""
    ascending = np.sort(scores)
    # Equal scores share the mean of their ranks.
    first, last = (np.searchsorted(ascending, scores, side) for side in ("left", "right"))
    ranks = (first + last + 1) / 2.0
    positives = int(positive.sum())
    above = float(ranks[positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * (len(scores) - positives))
