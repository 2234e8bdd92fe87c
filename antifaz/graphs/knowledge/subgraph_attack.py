"""Subgraph attack: what an attacker learns from finding a known group of nodes in a release.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph

LARGEST = 30
"""Nodes of a group at most: whom somebody is tied to is kept as the bits of one number."""


def homes(graph: Graph, released: ProtectedGraph) -> NDArray[np.int64]:
    """The released node of every original one, or -1."""
    home = np.full(graph.n, -1, dtype=np.int64)
    real = np.flatnonzero(released.origin >= 0)
    home[released.origin[real]] = real
    return home


def learned(
    graph: Graph, members: NDArray[np.int64], released: ProtectedGraph, images: NDArray[np.int64]
) -> tuple[int, int]:
    """People re-identified rightly and wrongly by whoever takes some released nodes for the group.

    The group's own places, and those of whoever is tied to a set of its members that nobody else is tied to.
    """
    ties, seen = _ties(graph, members), _ties(released.graph, images)
    told, who = _unique(ties)
    shown, where = _unique(seen)
    _, first, second = np.intersect1d(told, shown, assume_unique=True, return_indices=True)
    claimed = np.concatenate([images, where[second]])
    right = int((released.origin[claimed] == np.concatenate([members, who[first]])).sum())
    return right, len(claimed) - right


def _ties(graph: Graph, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every other node the members that it is joined to, one bit for each."""
    offsets, neighbors = graph.neighbors
    ties = np.zeros(graph.n, dtype=np.int64)
    for place, member in enumerate(members):
        ties[neighbors[offsets[member] : offsets[member + 1]]] |= np.int64(1) << place
    ties[members] = 0
    return ties


def _unique(ties: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sets of members to which exactly one node is tied, and the nodes."""
    sets, first, counts = np.unique(ties, return_index=True, return_counts=True)
    alone = (counts == 1) & (sets > 0)
    return sets[alone], first[alone]
