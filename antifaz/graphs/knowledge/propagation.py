"""Seed propagation: an attacker who knows a graph like the released one, and a few people in both.

Narayanan and Shmatikov, "De-anonymizing Social Networks", IEEE Symposium on Security and Privacy 2009.

Nodes of the known graph are matched with the released ones that share most neighbors already matched, weighted by one
over the root of the degree. A match is accepted if the best candidate exceeds the second by a number of standard
deviations, and if the same search from there leads back. Rounds continue as long as they match anyone. Ours differs
from the paper's in three ways: candidates of a different degree count less, by the ratio of the degrees, which finds
more people and fewer wrong ones; people are matched by falling degree; and a match, once made, stays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import guess
from antifaz.graphs.structure.edge_slots import Slots
from antifaz.kernels.graphs.propagation import Rows, propagate_round
from antifaz.watch import Watch

ROUNDS = 30
STEPS = 200_000_000
"""Comparisons that an attack may make."""
HUBS = 0.1
"""Share of nodes, those of highest degree, among which seeds are drawn; also the most seeds."""


def attack_from_seeds(
    known: Graph, released: ProtectedGraph, seeds: int, eccentricity: float, rng: np.random.Generator, watch: Watch
) -> dict[str, Any]:
    """Shares of people re-identified correctly and wrongly, not counting seeds."""
    home = np.full(known.n, -1, dtype=np.int64)
    real = np.flatnonzero(released.origin >= 0)
    home[released.origin[real]] = real
    chosen = _seeds(known, home, seeds, rng)
    across, back = np.full(known.n, -1, dtype=np.int64), np.full(released.graph.n, -1, dtype=np.int64)
    across[chosen], back[home[chosen]] = home[chosen], chosen
    complete = _propagate(known, released.graph, across, back, eccentricity, watch)
    across[chosen] = -1
    people = max(1, known.n - len(chosen))
    matched, right = across >= 0, (across >= 0) & (across == home)
    return {
        "rate": float(right.sum()) / people,
        "wrong": float((matched & ~right).sum()) / people,
        "baseline": guess(released),
        "known": len(chosen),
        "targets": known.n - len(chosen),
        "complete": complete,
    }


def _seeds(known: Graph, home: NDArray[np.int64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Random people of high degree who are in the release."""
    able = np.flatnonzero((home >= 0) & (known.degrees > 0))
    among = able[np.argsort(-known.degrees[able], kind="stable")][: int(np.ceil(HUBS * len(able)))]
    return rng.choice(among, min(count, len(among)), replace=False).astype(np.int64)


def _propagate(
    known: Graph, seen: Graph, across: NDArray[np.int64], back: NDArray[np.int64], eccentricity: float, watch: Watch
) -> bool:
    """Match until no one new is matched; False if the steps were used up before."""
    order = np.argsort(-known.degrees, kind="stable")
    known_rows, seen_rows = _rows(known), _rows(seen)
    left = STEPS
    for number in range(ROUNDS):
        watch(number / ROUNDS)
        before = int((across >= 0).sum())
        left -= propagate_round(known_rows, seen_rows, order, across, back, eccentricity, left)
        if left <= 0:
            return False
        if int((across >= 0).sum()) == before:
            break
    return True


def _rows(graph: Graph) -> Rows:
    slots = Slots.of(graph)
    return Rows(slots.offsets, slots.neighbors, slots.kinds(graph))
