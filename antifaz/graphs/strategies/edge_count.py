"""Edge count: add or remove edges until a graph has as many as before, while every degree stays shared.

A node may gain or lose an edge if more than k nodes have its degree (directed: its pair of degrees) and k have its new
one. Pairs of such nodes are joined or separated: first those that an earlier step had separated or joined, then any.

Guarantees: each degree that k nodes shared is still shared by k.
Preserves: the nodes; every edge beyond those that the difference requires.
Cost: O(n + m) for each round; a round ends when no two nodes that may move are left.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.watch import Watch

Integers = NDArray[np.int64]

ROUNDS = 40
"""How often nodes that may gain or lose an edge are searched."""
DRAWS = 6
"""How often the nodes that may gain one are paired at random in a round."""


def score(original: Graph, made: Graph, worth: float) -> float:
    """The edge Jaccard, minus ``worth`` times the change of the number of edges; 1 for two graphs without edges."""
    kept = len(np.intersect1d(original.keys, made.keys, assume_unique=True))
    union = original.m + made.m - kept
    return (kept / union if union else 1.0) - worth * abs(made.m - original.m) / max(original.m, 1)


def settle_edge_count(
    original: Graph, made: Graph, k: int, worth: float, rng: np.random.Generator, watch: Watch
) -> Graph:
    """``made`` with about as many edges as the original, if that has the better score."""
    settled, missing = made, original.m - made.m
    for number in range(ROUNDS):
        if missing == 0 or watch(number / ROUNDS):
            break
        settled = _round(original, settled, k, missing, rng)
        if original.m - settled.m == missing:
            break
        missing = original.m - settled.m
    return max(made, settled, key=lambda graph: score(original, graph, worth))


@dataclass
class _Rooms:
    """The nodes that may still move in a round: each node once, and all but k of each class."""

    classes: Integers
    left: dict[int, int]
    still: NDArray[np.bool_]

    def take(self, one: int, other: int) -> bool:
        """Let two nodes move, if both may."""
        if not (self.still[one] and self.still[other]):
            return False
        first, second = int(self.classes[one]), int(self.classes[other])
        if min(self.left[first], self.left[second]) < (2 if first == second else 1):
            return False
        self.left[first] -= 1
        self.left[second] -= 1
        self.still[one] = self.still[other] = False
        return True


def _round(original: Graph, made: Graph, k: int, missing: int, rng: np.random.Generator) -> Graph:
    """Join (or separate) pairs of nodes that may gain (or lose) an edge, each node once."""
    n, gains = made.n, missing > 0
    width = np.int64(n + 1 if made.directed else 1)
    classes = made.out_degrees * width + made.in_degrees if made.directed else made.degrees
    found, sizes = np.unique(classes, return_counts=True)
    size = dict(zip(found.tolist(), sizes.tolist(), strict=True))
    sign = 1 if gains else -1
    may = [_movable(classes, size, sign * int(step), k) for step in (width, 1)]
    rooms = _Rooms(classes, {key: count - k for key, count in size.items()}, np.ones(n, dtype=bool))
    there: set[int] = set(made.keys.tolist()) if gains else set()
    changed: list[int] = []
    for key in _pairs(original, made, may, gains, rng):
        if len(changed) == abs(missing):
            break
        if key not in there and rooms.take(*divmod(key, n)):
            changed.append(key)
            there.add(key)
    return Graph(n, np.setxor1d(made.keys, np.array(changed, dtype=np.int64), assume_unique=True), made.directed)


def _movable(classes: Integers, size: dict[int, int], step: int, k: int) -> NDArray[np.bool_]:
    """The nodes whose class can spare one and whose next class has k members."""
    fits = {key: count > k and size.get(key + step, 0) >= k for key, count in size.items()}
    return np.array([fits[key] for key in classes.tolist()], dtype=bool)


def _pairs(
    original: Graph, made: Graph, may: list[NDArray[np.bool_]], gains: bool, rng: np.random.Generator
) -> Iterator[int]:
    """Keys of pairs that may be toggled: those that differ from the original first, then others in random order."""
    n = made.n
    there, wanted = (original, made) if gains else (made, original)
    differing = np.setdiff1d(there.keys, wanted.keys, assume_unique=True)
    others = [differing] if gains else [differing, np.intersect1d(made.keys, original.keys, assume_unique=True)]
    for keys in others:
        fits = may[0][keys // n] & may[1][keys % n]
        yield from rng.permutation(keys[fits]).tolist()
    if not gains:
        return
    senders, receivers = (np.flatnonzero(each) for each in may)
    count = min(len(senders), len(receivers))
    for _ in range(DRAWS):
        first, second = rng.permutation(senders)[:count], rng.permutation(receivers)[:count]
        apart = first != second
        first, second = first[apart], second[apart]
        if not made.directed:
            first, second = np.minimum(first, second), np.maximum(first, second)
        yield from (first * np.int64(n) + second).tolist()
