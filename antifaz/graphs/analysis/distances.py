"""Distances in a graph, directions ignored: over all sources if that is affordable, otherwise over a sample."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.kernels.graphs.paths import components, distances_from
from antifaz.watch import Watch, within

AFFORDABLE = 200_000_000
"""Edge visits that the searches of one graph may make."""
BATCHES = 16
"""How often the watch is called while the searches run."""


@dataclass(frozen=True)
class Distances:
    """Results of breadth-first searches in a graph."""

    mean: float | None
    """Average distance in the largest component, or None if it has one node."""
    standard_error: float
    """Standard error of the mean; 0 if every node was a source."""
    longest: int
    """Longest distance seen in the largest component."""
    harmonic_mean: float | None
    """Harmonic mean over all pairs, an unreachable one counting as infinitely far; None if no pair is joined."""
    standard_error_of_harmonic_mean: float
    """Standard error of the harmonic mean; 0 if every node was a source."""
    pair_coverage: float
    """Share of pairs that are connected by a path."""
    sources: NDArray[np.int64]
    """The nodes that were searched from."""
    exact: bool


def both_distances(
    graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch
) -> tuple[Distances, Distances]:
    """Distances of the original and of the release, from the same people if not all are sources."""
    before = distances(graph, rng, within(watch, 0.0, 0.5))
    people = released_sources(released, before.sources)
    return before, distances(released.graph, rng, within(watch, 0.5, 1.0), people)


def released_sources(released: ProtectedGraph, sources: NDArray[np.int64]) -> NDArray[np.int64]:
    """The released nodes of some original ones."""
    return np.flatnonzero((released.origin >= 0) & np.isin(released.origin, sources))


def distances(
    graph: Graph, rng: np.random.Generator, watch: Watch, preferred: NDArray[np.int64] | None = None
) -> Distances:
    """Search from every node, or from as many random ones as are affordable; cached on the graph because several
    measures share one search."""
    return graph.found.once("distances", partial(_measure, graph, rng, watch, preferred))


def _measure(graph: Graph, rng: np.random.Generator, watch: Watch, preferred: NDArray[np.int64] | None) -> Distances:
    offsets, neighbors = graph.neighbors
    component = components(offsets, neighbors)
    sizes = np.bincount(component) if graph.n else np.zeros(1, dtype=np.int64)
    pairs = max(1, graph.n * (graph.n - 1))
    coverage = float((sizes * (sizes - 1)).sum() / pairs)
    affordable = max(16, AFFORDABLE // (2 * graph.m + graph.n + 1))
    sources = draw_sources(graph.n, affordable, rng, preferred)
    sums = _search(graph, sources, watch)
    within = sums[component[sources] == int(sizes.argmax())] if graph.n else sums
    exact = len(sources) == graph.n
    mean, error = _mean_distance(within, exact)
    harmonic, harmonic_error = _harmonic_mean(sums[:, 2] / max(1, graph.n - 1), exact)
    longest = int(within[:, 3].max()) if len(within) else 0
    return Distances(mean, error, longest, harmonic, harmonic_error, coverage, sources, exact)


def draw_sources(
    n: int, affordable: int, rng: np.random.Generator, preferred: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """All nodes if that is affordable; otherwise a random choice, the preferred ones first."""
    if affordable >= n:
        return np.arange(n, dtype=np.int64)
    first = rng.permutation(np.zeros(0, dtype=np.int64) if preferred is None else preferred)[:affordable]
    others = np.ones(n, dtype=np.bool_)
    others[first] = False
    rest = rng.choice(np.flatnonzero(others), affordable - len(first), replace=False)
    return np.sort(np.concatenate([first, rest]))


def _search(graph: Graph, sources: NDArray[np.int64], watch: Watch) -> NDArray[np.float64]:
    """Sums by source."""
    offsets, neighbors = graph.neighbors
    sums = np.zeros((len(sources), 4))
    for number, batch in enumerate(np.array_split(np.arange(len(sources)), BATCHES)):
        watch(number / BATCHES)
        found = np.zeros((len(batch), 4))
        distances_from(offsets, neighbors, sources[batch], found)
        sums[batch] = found
    return sums


def _mean_distance(sums: NDArray[np.float64], exact: bool) -> tuple[float | None, float]:
    """Mean over the sources' own means, equally weighted, and its standard error."""
    if not len(sums) or not sums[0, 0]:
        return None, 0.0
    means = sums[:, 1] / sums[:, 0]
    error = 0.0 if exact or len(means) < 2 else float(means.std(ddof=1) / np.sqrt(len(means)))
    return float(means.mean()), error


def _harmonic_mean(efficiencies: NDArray[np.float64], exact: bool) -> tuple[float | None, float]:
    """The reciprocal of the mean inverse distance of the sources, and its standard error (to first order)."""
    inverse = float(efficiencies.mean()) if len(efficiencies) else 0.0
    if not inverse:
        return None, 0.0
    spread = 0.0 if exact or len(efficiencies) < 2 else float(efficiencies.std(ddof=1) / np.sqrt(len(efficiencies)))
    return 1.0 / inverse, spread / inverse**2
