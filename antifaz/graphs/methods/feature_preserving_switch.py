"""Feature-preserving switch: a random walk over graphs with the same degrees that keeps chosen features close.

Ying and Wu, "Graph Generation with Prescribed Feature Constraints", SDM 2009; Hanhijärvi, Garriga and Puolamäki,
"Randomization Techniques for Graphs", SDM 2009.

Each step draws two edges and exchanges their ends, which keeps every degree; it is undone if the transitivity would
leave its bounds. Since degrees are constant, so are the paths of two edges, and the transitivity depends only on the
number of triangles, of which a switch changes those at four nodes. The average distance, and the number of pairs that
have one, is measured from the same sources as at the start, after each of twenty spells; a spell that leaves the bounds
is undone as a whole and tried again with half the changes. An edge may be switched again: the walk ends when the wanted
share of edges is new. Defined for undirected graphs, as its features are.

Guarantees: none. Degrees do not change, so an attacker who knows a node's degree finds it as easily as before; features
that are known to be kept narrow down the possible originals.
Preserves: the number of edges, every degree, and the chosen features within the tolerance.
Cost: O(degree) per step, at most a hundred steps for each edge to be replaced; O(m) per source and spell.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.edits.edge_moves import Ending
from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.edge_slots import Slots
from antifaz.kernels.graphs.moves import REPLACED, TRIANGLES, WORK, switch_within
from antifaz.kernels.graphs.paths import distances_from
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

SPELLS = 20
"""How often the average distance is checked on the way."""
MOST_SPELLS = 60
"""Most spells, including those that are undone."""
MOST_SOURCES = 64
MOST_VISITS = 4_000_000
"""Edges that the searches of one spell may visit."""
MOST_WORK = 2_000_000_000
"""Elementary steps of all switches."""
TRIES = 100
"""Steps for each edge to replace."""
SLICE = 100_000_000
"""Approximate number of elementary steps between two calls of the watch."""


class FeaturePreservingSwitch(Perturbation):
    """Let pairs of edges exchange their ends while transitivity and average distance stay close."""

    takes_directed: ClassVar[bool] = False
    leaves: ClassVar[str] = (
        "Every node keeps its degree: an attacker who knows the degree of a node finds it as easily as before."
    )

    name: Literal["feature_preserving_switch"] = "feature_preserving_switch"
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the edges to replace."""
    features: tuple[Literal["transitivity", "average_distance"], ...] = Field(
        default=("transitivity", "average_distance"), min_length=1
    )
    """Features that are kept close."""
    tolerance: float = Field(default=0.05, gt=0, le=1)
    """Largest change of each feature, as a share of the original's."""

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """Walk until round(share · m) edges are replaced, or as many as the tolerance allows."""
        wanted = round(self.share * graph.m)
        start = _Walk.from_graph(graph, within(watch, 0.0, 0.0))
        yardstick = _Yardstick.of(start, rng) if "average_distance" in self.features else None
        walk, switches, ending = start, 0, Ending.TRIES
        quota = max(2, -(-wanted // SPELLS))
        for spell in range(MOST_SPELLS):
            # A switch replaces at most two edges: with one edge missing, it could only overshoot.
            if walk.replaced >= wanted - 1:
                ending = Ending.DONE
            elif quota < 2:
                ending = Ending.BOUND
            elif watch(spell / MOST_SPELLS):
                ending = Ending.TIME
            if ending is not Ending.TRIES:
                break
            attempt, share = walk.copy(), within(watch, spell / MOST_SPELLS, spell / MOST_SPELLS)
            made = attempt.switch(min(wanted, walk.replaced + quota) - 1, self._triangle_bounds(start), rng, share)
            if yardstick is None or yardstick.agrees(attempt, self.tolerance):
                walk, switches = attempt, switches + made
            else:
                quota //= 2
        return walk.graph, {"switches": switches, "edges_wanted": wanted, "stopped_because": ending.value}

    def _triangle_bounds(self, start: "_Walk") -> tuple[int, int]:
        """The fewest and the most triangles that the transitivity's bounds allow."""
        triangles = int(start.tally[TRIANGLES])
        if "transitivity" not in self.features:
            return 0, int(np.iinfo(np.int64).max)
        slack = int(self.tolerance * triangles)
        return triangles - slack, triangles + slack


@dataclass
class _Walk:
    """A graph during the walk: its edges by their ends, and every node's neighbors, unsorted."""

    original: Graph
    offsets: Integers
    rows: NDArray[np.int32]
    ends: Integers
    tally: Integers

    @classmethod
    def from_graph(cls, graph: Graph, watch: Watch) -> "_Walk":
        offsets, neighbors = graph.neighbors
        # A triangle is counted at each of its three edges, from both ends.
        triangles = int(Slots.of(graph).supports(watch).sum()) // 6
        tally = np.array([triangles, 0, 0], dtype=np.int64)
        return cls(graph, offsets, neighbors.copy(), np.stack([graph.sources, graph.targets]), tally)

    def copy(self) -> "_Walk":
        return _Walk(self.original, self.offsets, self.rows.copy(), self.ends.copy(), self.tally.copy())

    @property
    def replaced(self) -> int:
        """Number of edges that the original does not have."""
        return int(self.tally[REPLACED])

    @property
    def graph(self) -> Graph:
        return Graph.from_pairs(self.original.n, self.ends[0], self.ends[1])

    def switch(self, goal: int, triangles: tuple[int, int], rng: np.random.Generator, watch: Watch) -> int:
        """Switch until the wanted number of edges is replaced or the tries are used up; return the switches made."""
        tries = TRIES * (goal - self.replaced + 1) + 1000
        drawn = rng.integers(0, self.original.m, (2, tries))
        turned = rng.integers(0, 2, tries, dtype=np.uint8)
        self.tally[WORK] = 0
        step, made = max(1, SLICE // (16 * int(self.original.degrees.max()) + 1)), 0
        for first in range(0, tries, step):
            watch(0.0)
            made += switch_within(
                self.offsets,
                self.rows,
                self.ends,
                self.original.keys,
                np.ascontiguousarray(drawn[:, first : first + step]),
                turned[first : first + step],
                *triangles,
                goal,
                MOST_WORK,
                self.tally,
            )
        return made


@dataclass(frozen=True)
class _Yardstick:
    """Distances in the original graph from a few fixed nodes."""

    sources: Integers
    mean: float
    reached: float

    @classmethod
    def of(cls, walk: _Walk, rng: np.random.Generator) -> "_Yardstick":
        graph = walk.original
        affordable = min(MOST_SOURCES, max(4, MOST_VISITS // (2 * graph.m + graph.n + 1)))
        sources = rng.choice(graph.n, min(graph.n, affordable), replace=False).astype(np.int64)
        return cls(sources, *_distances(walk, sources))

    def agrees(self, walk: _Walk, tolerance: float) -> bool:
        """Whether the mean distance and the nodes reached are within the tolerance."""
        mean, reached = _distances(walk, self.sources)
        return (
            abs(mean - self.mean) <= tolerance * self.mean and abs(reached - self.reached) <= tolerance * self.reached
        )


def _distances(walk: _Walk, sources: Integers) -> tuple[float, float]:
    """Mean distance from the sources to the nodes that they reach, and the number of those."""
    sums = np.zeros((len(sources), 4))
    distances_from(walk.offsets, walk.rows, sources, sums)
    reached = float(sums[:, 0].sum())
    return float(sums[:, 1].sum()) / reached if reached else 0.0, reached
