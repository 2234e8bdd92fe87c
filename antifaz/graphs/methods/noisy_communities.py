"""Noisy communities: draw a new graph from degrees, communities and pairs reported under differential privacy.

Hay, Li, Miklau and Jensen, "Accurate Estimation of the Degree Distribution of Private Networks", ICDM 2009, for
degrees; Warner, "Randomized Response", Journal of the American Statistical Association 1965, for pairs; Hehir,
Slavković and Niu, "Consistent Spectral Clustering of Network Block Models under Local Differential Privacy", Journal of
Privacy and Confidentiality 2022, for communities; Karrer and Newman, "Stochastic blockmodels and community structure
in networks", Physical Review E 2011, for the model. That communities preserve a graph best under differential privacy
is the idea of Yuan, Zhang, Chen, Shi, Wang and Ying, "PrivGraph", USENIX Security 2023.

Epsilon is divided. Degrees are counted with noise twice: in ascending order, which gives their distribution, and node
by node, which shows who has the high ones. Every pair reports at random whether it is joined; the eigenvectors of these
reports that exceed the noise give communities. Edges inside and between communities are counted with noise. Together
they form a model in which every pair has a probability of being joined, and each report corrects this probability by
Bayes' rule: at a small epsilon the new graph is drawn from the model, at a large one it is nearly the original.
Finally, edges are dropped and added so that nodes have their noisy degrees. If the noisy degrees show that no community
can exceed the noise at this epsilon, or there are too many nodes to read every pair, pairs report nothing and their
share goes to the degrees.

Guarantees: edge_differential_privacy for each pair of nodes; nothing for nodes: their number, list and attributes are
public. The number of edges is not: it comes from noisy degrees.
Preserves: the degree distribution, who has many edges, and, above an epsilon that depends on the graph, communities,
triangles and the largest eigenvalue.
Cost: O(n²) time and memory if pairs report, otherwise O(n log n + m).
"""

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.communities import Labels
from antifaz.graphs.analysis.reported_blocks import Reports, deviation, find_blocks
from antifaz.graphs.drawn import Drawn, DrawnGraphMethod
from antifaz.graphs.edits.degree_drawing import (
    SENSITIVITY,
    ascending_fit,
    noisy_numbers,
    random_graph,
    whole_degrees,
    with_degrees,
)
from antifaz.graphs.edits.pair_noise import KEEP_UNIT, RATE_UNIT, PairNoise, flip_pairs, pair_noise
from antifaz.graphs.graph import Graph
from antifaz.noise import UNIT, counting_within
from antifaz.watch import Watch, within

SHARES = {"ascending degrees": 21, "degrees of nodes": 9, "pairs": 60, "edges between communities": 10}
"""Shares of epsilon, in percent."""
_EVEN = Decimal("0.5")
_LOUD = 0.5
"""Pairs report only if their noise is at most this part of the largest eigenvalue that the degrees explain."""
_LEAST_DEGREE = 0.05
_MOST_CHANCE = 0.999
_BALANCING = 50
_CELLS = 1 << 22
"""Number of pairs drawn in one batch."""

Floats = NDArray[np.float64]


class NoisyCommunities(DrawnGraphMethod):
    """Count degrees and communities with noise, let pairs report at random, and draw a new graph from all of it."""

    leaves: ClassVar[str] = (
        "Single pairs are protected, not nodes: the number of nodes, their list and attributes are public, and a node "
        "with many edges still has many."
    )

    name: Literal["noisy_communities"] = "noisy_communities"
    most_nodes: int = Field(default=8_000, ge=2, le=20_000)
    """Largest number of nodes at which every pair reports; in larger graphs only degrees are counted."""

    def draw(self, graph: Graph, epsilon: float, rng: np.random.Generator, watch: Watch) -> Drawn:
        """Draw a graph from noisy degrees, communities and pairs."""
        losses = _Losses(int(Decimal(str(epsilon)) * UNIT))
        degrees = _degrees_of_nodes(graph, losses, rng, within(watch, 0.0, 0.2))
        noise = pair_noise(Decimal(losses.share("pairs")) / UNIT, _EVEN)
        if graph.n <= self.most_nodes and _is_audible(degrees, noise):
            released = _with_communities(graph, degrees, noise, losses, rng, within(watch, 0.2, 0.9))
        else:
            degrees = _better_degrees(graph, degrees, losses, rng, within(watch, 0.2, 0.5))
            released = random_graph(whole_degrees(degrees, rng), rng, within(watch, 0.5, 0.9))
        origin = np.arange(graph.n, dtype=np.int64)
        return Drawn(released, origin, {"counts": losses.counts, "pairs": losses.pairs})


@dataclass
class _Losses:
    """How epsilon is spent: everything public that the verifier needs to judge it."""

    units: int
    counts: list[dict[str, Any]] = field(default_factory=list)
    pairs: dict[str, str] | None = None

    def share(self, *parts: str) -> int:
        """The units of some parts."""
        return sum(self.units * SHARES[part] // 100 for part in parts)

    def count(self, of: str, numbers: NDArray[np.int64], units: int, watch: Watch) -> NDArray[np.int64]:
        """Numbers with noise; one pair changes two degrees, or one number of edges."""
        sensitivity = 1 if of == "edges between communities" else SENSITIVITY
        drawing = counting_within("pure", sensitivity, units)
        self.counts.append({"of": of, "sensitivity": sensitivity, "scale": drawing.scale})
        return noisy_numbers(numbers, drawing, watch)

    def report(self, noise: PairNoise) -> None:
        """Record the probabilities with which pairs report."""
        chances = {"rate": f"{noise.rate}/{RATE_UNIT}", "keep": f"{noise.keep}/{KEEP_UNIT}"}
        self.pairs = {"epsilon": str(noise.epsilon), **chances}


def _degrees_of_nodes(graph: Graph, losses: _Losses, rng: np.random.Generator, watch: Watch) -> Floats:
    """A degree for every node: the noisy ascending ones, assigned in the order of the nodes' own noisy degrees."""
    ascending = np.sort(graph.degrees)
    fitted = ascending_fit(losses.count("ascending degrees", ascending, losses.share("ascending degrees"), watch))
    # Whole noisy degrees often tie; below, a random fraction breaks ties without regard to the nodes' numbers.
    own = losses.count("degrees of nodes", graph.degrees, losses.share("degrees of nodes"), lambda done: watch(1.0))
    return _assign_degrees(fitted, own + rng.random(graph.n))


def _assign_degrees(ascending: Floats, order: Floats) -> Floats:
    degrees = np.empty(len(order))
    degrees[np.argsort(order)] = np.clip(ascending, 0.0, max(len(order) - 1.0, 0.0))
    return degrees


def _better_degrees(graph: Graph, degrees: Floats, losses: _Losses, rng: np.random.Generator, watch: Watch) -> Floats:
    """The degrees after the rest of epsilon is spent on counting them again; their order among nodes stays."""
    before, left = losses.share("ascending degrees"), losses.share("pairs", "edges between communities")
    again = losses.count("ascending degrees", np.sort(graph.degrees), left, watch)
    # Each count is weighted by the inverse of its noise's variance.
    weights = np.array([before, left], dtype=np.float64) ** 2
    both = (weights[0] * np.sort(degrees) + weights[1] * again) / weights.sum()
    return _assign_degrees(ascending_fit(both), degrees + rng.random(graph.n) * 1e-6)


def _is_audible(degrees: Floats, noise: PairNoise) -> bool:
    """Whether the reports of pairs can reveal communities; reads noisy numbers alone."""
    # Among graphs of these degrees without any other structure, the largest eigenvalue is about Σ d² / Σ d; that of the
    # noise alone is about two deviations times the root of n.
    largest = float((degrees**2).sum() / max(degrees.sum(), 1.0))
    return noise.sound and deviation(noise.p01) * math.sqrt(len(degrees)) <= _LOUD * largest


def _with_communities(
    graph: Graph, degrees: Floats, noise: PairNoise, losses: _Losses, rng: np.random.Generator, watch: Watch
) -> Graph:
    """A graph drawn pair by pair: from communities and degrees, corrected by the pairs' reports."""
    losses.report(noise)
    reported = flip_pairs(graph, noise, rng, within(watch, 0.0, 0.3))[0]
    labels = find_blocks(Reports.of(reported, noise.p01), degrees, rng, within(watch, 0.3, 0.6))
    edges = _edges_between(graph, labels, losses, within(watch, 0.6, 0.62))
    weights = np.maximum(degrees, _LEAST_DEGREE)
    rates = _balanced(edges, np.bincount(labels, weights=weights).astype(np.float64))
    keys = _draw_pairs(reported, noise, weights, labels, rates, rng, within(watch, 0.62, 0.8))
    keys = with_degrees(graph.n, keys, whole_degrees(degrees, rng), labels, rng, within(watch, 0.8, 1.0))
    return Graph(graph.n, keys)


def _edges_between(graph: Graph, labels: Labels, losses: _Losses, watch: Watch) -> Floats:
    """Number of edges inside and between communities, with noise; each edge is counted once."""
    count = int(labels.max()) + 1
    ends = np.sort(np.stack([labels[graph.sources], labels[graph.targets]], axis=1), axis=1)
    places = np.triu_indices(count)
    edges = np.bincount(ends[:, 0] * count + ends[:, 1], minlength=count * count).reshape(count, count)[places]
    part = "edges between communities"
    noisy = np.zeros((count, count))
    noisy[places] = losses.count(part, edges.astype(np.int64), losses.share(part), watch)
    return np.maximum(noisy, 0.0)


def _balanced(edges: Floats, ends: Floats) -> Floats:
    """For every two communities the rate of edges per pair of ends, such that all ends of a community are used."""
    # Scaled from both sides until every community uses its ends (iterative proportional fitting).
    used = edges + edges.T + 1e-9
    for _ in range(_BALANCING):
        share = np.sqrt(ends / used.sum(axis=1))
        used = used * np.outer(share, share)
    return np.asarray(used / np.outer(ends, ends))


def _draw_pairs(
    reported: Graph,
    noise: PairNoise,
    weights: Floats,
    labels: Labels,
    rates: Floats,
    rng: np.random.Generator,
    watch: Watch,
) -> NDArray[np.int64]:
    """The keys of the joined pairs: each with its probability in the model, corrected by its report."""
    n, likelier = reported.n, (1.0 - noise.p01) / noise.p01
    found, height = [np.zeros(0, dtype=np.int64)], max(1, _CELLS // max(n, 1))
    for start in range(0, n, height):
        watch(start / n)
        stop = min(start + height, n)
        model = np.outer(weights[start:stop], weights[start:]) * rates[labels[start:stop]][:, labels[start:]]
        model = np.minimum(model, _MOST_CHANCE)
        # Start as if all pairs reported no, then correct those that reported yes.
        odds = model / (1.0 - model) / likelier
        yes = reported.keys[np.searchsorted(reported.keys, start * n) : np.searchsorted(reported.keys, stop * n)]
        odds[yes // n - start, yes % n - start] *= likelier * likelier
        joined = np.triu(rng.random(odds.shape, dtype=np.float32) < odds / (1.0 + odds), k=1)
        rows, columns = np.nonzero(joined)
        found.append((rows + start) * np.int64(n) + columns + start)
    return np.concatenate(found)
