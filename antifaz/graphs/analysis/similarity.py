"""Pairs of nodes: samples of joined and nearby ones, their similarity, and whether they are real."""

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import slices
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.structure.pairs import contains
from antifaz.kernels.graphs.patterns import shared_weights
from antifaz.watch import Watch

Nodes = NDArray[np.int64]

LOOKUPS = 4_000_000
"""Neighbors that are looked up between two calls of the watch."""


def sampled_edges(graph: Graph, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The ends of the edges, or of a random sample of them: sources, then targets."""
    keys = graph.keys if graph.m <= most else rng.choice(graph.keys, most, replace=False)
    return np.stack([keys // max(1, graph.n), keys % max(1, graph.n)])


def pairs_at_two(graph: Graph, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Random pairs of neighbors of random nodes, more often of nodes with many neighbors: sources, then targets."""
    offsets, neighbors = graph.neighbors
    degrees = np.diff(offsets)
    weights = degrees * (degrees - 1.0)
    if not weights.sum():
        return np.zeros((2, 0), dtype=np.int64)
    nodes = np.searchsorted(np.cumsum(weights), rng.random(most) * weights.sum(), side="right")
    nodes = np.minimum(nodes, graph.n - 1)
    nodes = nodes[degrees[nodes] >= 2]
    first = rng.integers(0, degrees[nodes])
    second = (first + rng.integers(1, degrees[nodes])) % degrees[nodes]
    return np.stack([neighbors[offsets[nodes] + place].astype(np.int64) for place in (first, second)])


def are_joined(graph: Graph, one: Nodes, other: Nodes) -> NDArray[np.bool_]:
    """Whether each pair is joined, in either direction."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    found = contains(graph.keys, low * np.int64(graph.n) + high)
    return found | contains(graph.keys, high * np.int64(graph.n) + low) if graph.directed else found


def real_pairs(graph: Graph, released: ProtectedGraph, one: Nodes, other: Nodes) -> NDArray[np.bool_]:
    """Whether each pair of released nodes is an edge of the original; in a directed graph, in that direction."""
    sources, targets = released.origin[one], released.origin[other]
    if not graph.directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    known = (released.origin[one] >= 0) & (released.origin[other] >= 0)
    return known & contains(graph.keys, sources * np.int64(graph.n) + targets)


def common_neighbors(graph: Graph, one: Nodes, other: Nodes, watch: Watch) -> NDArray[np.int64]:
    """Number of neighbors that each pair has in common, directions ignored."""
    return weighted_common_neighbors(graph, one, other, np.ones(graph.n), watch).round().astype(np.int64)


def weighted_common_neighbors(
    graph: Graph, one: Nodes, other: Nodes, weights: NDArray[np.float64], watch: Watch
) -> NDArray[np.float64]:
    """The summed weights of the neighbors that each pair has in common, directions ignored."""
    watch(0.0)
    offsets, neighbors = graph.neighbors
    watch(0.0)
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    found = np.zeros(len(one))
    # Every neighbor of the end that has fewer is looked up at the other end.
    degrees = np.diff(offsets)
    for part in slices(1 + np.minimum(degrees[one], degrees[other]), LOOKUPS):
        watch(part.start / len(one))
        found[part] = shared_weights(offsets, neighbors, one[part], other[part], weights)
    return found
