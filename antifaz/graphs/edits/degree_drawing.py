"""Degrees under differential privacy: count them with noise, round them, and draw a graph that has them.

Hay, Li, Miklau and Jensen, "Accurate Estimation of the Degree Distribution of Private Networks", ICDM 2009; Molloy and
Reed, "A Critical Point for Random Graphs with a Given Degree Sequence", Random Structures & Algorithms 1995.

Joining one pair of nodes raises two degrees by one, so the degree sequence changes by two in sum, in node order as well
as in ascending order. Everything after the noise reads noisy numbers alone.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.noise import Drawing
from antifaz.watch import Watch, within

SENSITIVITY = 2
"""Change of the degrees, in sum, caused by one pair of nodes."""
PUBLIC = ("the number of nodes", "the list of nodes", "the attributes of nodes")
_PAIRINGS = 60
"""How often ends without a partner are paired again."""
_PIECE = 100_000
_TURNS = 4
"""How often edges are dropped and added so that nodes get their degrees."""
_DROPS = 12


def noisy_ascending(graph: Graph, drawing: Drawing, watch: Watch) -> NDArray[np.int64]:
    """The degrees in ascending order, each with noise."""
    return noisy_numbers(np.sort(graph.degrees), drawing, watch)


def noisy_numbers(numbers: NDArray[np.int64], drawing: Drawing, watch: Watch) -> NDArray[np.int64]:
    """Numbers with noise, added in pieces so that a job can be cancelled in between."""
    noisy = [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(numbers), _PIECE):
        watch(start / len(numbers))
        noisy.append(drawing.counts(numbers[start : start + _PIECE]))
    return np.concatenate(noisy)


def ascending_fit(numbers: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest ascending sequence by least squares."""
    return np.asarray(scipy.optimize.isotonic_regression(numbers.astype(np.float64)).x)


def whole_degrees(fitted: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Degrees that a node can have: each fitted number rounded up or down at random so that the expected sum is the
    same, and the number of ends is even."""
    bounded = np.clip(fitted, 0.0, len(fitted) - 1.0)
    degrees = np.floor(bounded + rng.random(len(bounded))).astype(np.int64)
    degrees = np.minimum(degrees, len(fitted) - 1)
    if degrees.sum() % 2:
        degrees[np.argmax(degrees)] -= 1
    return degrees


def random_graph(degrees: NDArray[np.int64], rng: np.random.Generator, watch: Watch) -> Graph:
    """A simple graph in which ends are paired at random; the few without a partner are left out."""
    n = len(degrees)
    free = np.repeat(np.arange(n, dtype=np.int64), degrees)
    return Graph(n, join_ends(n, np.zeros(0, dtype=np.int64), free, rng, watch))


def join_ends(
    n: int,
    keys: NDArray[np.int64],
    free: NDArray[np.int64],
    rng: np.random.Generator,
    watch: Watch,
    groups: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The keys of a graph and of new edges between free ends, paired at random: first inside each group, if there are
    groups, then anywhere."""
    for pairing in range(_PAIRINGS):
        watch(pairing / _PAIRINGS)
        if len(free) < 2:
            break
        inside = groups is not None and pairing < _PAIRINGS // 2
        free = rng.permutation(free)
        if inside and groups is not None:
            free = free[np.argsort(groups[free], kind="stable")]
        pairs = free[: len(free) // 2 * 2].reshape(-1, 2)
        proposed = pairs.min(axis=1) * np.int64(n) + pairs.max(axis=1)
        first = np.zeros(len(proposed), dtype=np.bool_)
        first[np.unique(proposed, return_index=True)[1]] = True
        taken = first & (pairs[:, 0] != pairs[:, 1]) & ~_are_among(proposed, keys)
        if inside and groups is not None:
            taken &= groups[pairs[:, 0]] == groups[pairs[:, 1]]
        if taken.any():
            keys = np.sort(np.concatenate([keys, proposed[taken]]))
        free = np.concatenate([pairs[~taken].ravel(), free[len(pairs) * 2 :]])
    return keys


def _are_among(wanted: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which numbers are among the sorted keys; numpy's own function would hash all of them every time."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.bool_)
    return np.asarray(keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted)


def with_degrees(
    n: int,
    keys: NDArray[np.int64],
    degrees: NDArray[np.int64],
    groups: NDArray[np.int64],
    rng: np.random.Generator,
    watch: Watch,
) -> NDArray[np.int64]:
    """The keys of a graph after dropping edges of nodes that have too many and adding edges inside the groups of nodes
    that have too few, until nearly every node has its degree."""
    for turn in range(_TURNS):
        for both in (True, False):
            for _ in range(_DROPS):
                excess = _degrees_of(n, keys) - degrees
                dropped = _choose_dropped(n, keys, excess, both, rng)
                if not dropped.any():
                    break
                keys = keys[~dropped]
        lacking = np.maximum(degrees - _degrees_of(n, keys), 0)
        free = np.repeat(np.arange(n, dtype=np.int64), lacking)
        keys = join_ends(n, keys, free, rng, within(watch, turn / _TURNS, (turn + 1) / _TURNS), groups)
    return keys


def _degrees_of(n: int, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(keys // n, minlength=n) + np.bincount(keys % n, minlength=n)


def _choose_dropped(
    n: int, keys: NDArray[np.int64], excess: NDArray[np.int64], both: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which edges to drop, at random: no node loses more than its own excess on its own account."""
    ends = np.stack([keys // n, keys % n], axis=1)
    over = excess[ends] > 0
    chosen = rng.permutation(np.flatnonzero(over.all(axis=1) if both else over.any(axis=1)))
    nodes = ends[chosen].ravel()
    # The rank of each end among its node's edges, in their random order.
    order = np.argsort(nodes, kind="stable")
    starts = np.searchsorted(nodes[order], nodes[order], side="left")
    rank = np.empty(len(nodes), dtype=np.int64)
    rank[order] = np.arange(len(nodes)) - starts
    within_excess = (rank < excess[nodes]).reshape(-1, 2)
    dropped = np.zeros(len(keys), dtype=np.bool_)
    dropped[chosen] = within_excess.all(axis=1) if both else within_excess.any(axis=1)
    return dropped


def shared_edges(graph: Graph, released: Graph, origin: NDArray[np.int64]) -> int:
    """Number of released edges that are the original's, if each node stands for the one whose attributes it has."""
    first, second = origin[released.sources], origin[released.targets]
    keys = np.minimum(first, second) * np.int64(graph.n) + np.maximum(first, second)
    return int(_are_among(keys, graph.keys).sum())
