"""Edge slots: a graph's edges as seen from both ends, in the order that the triangle kernels expect."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import slices
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import contains
from antifaz.kernels.graphs.supports import supports
from antifaz.watch import Watch

STEPS = 20_000_000
"""Steps along triangles between two calls of the watch."""


@dataclass(frozen=True)
class Slots:
    """A graph's neighbor lists, directions ignored, with the arrays that the triangle kernels need."""

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    starts: NDArray[np.int64]
    """Where the slots of each node in ``upward`` begin."""
    upward: NDArray[np.int64]
    """The slots that lead to nodes of higher degree (ties by number): a triangle is found at its lowest node."""
    reverse: NDArray[np.int64]
    """For the slot of b at a, the slot of a at b."""

    @classmethod
    def of(cls, graph: Graph) -> "Slots":
        """The slots of a graph."""
        offsets, neighbors = graph.neighbors
        degrees = np.diff(offsets)
        owners = np.repeat(np.arange(graph.n), degrees)
        gap = degrees[neighbors] - degrees[owners]
        rising = (gap > 0) | ((gap == 0) & (neighbors > owners))
        starts = np.zeros(graph.n + 1, dtype=np.int64)
        np.cumsum(np.bincount(owners[rising], minlength=graph.n), out=starts[1:])
        # Slots are sorted by (owner, neighbor); a stable sort by neighbor puts them in the order of their reverses.
        reverse = np.empty(len(neighbors), dtype=np.int64)
        reverse[np.argsort(neighbors, kind="stable")] = np.arange(len(neighbors))
        return cls(offsets, neighbors, starts, np.flatnonzero(rising), reverse)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The node that each slot belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def work(self) -> int:
        """Number of steps needed to find all triangles."""
        return int(self._steps.sum())

    @property
    def _steps(self) -> NDArray[np.int64]:
        """For every upward slot, the steps needed to find the triangles on its edge."""
        return np.diff(self.starts)[self.neighbors[self.upward]]

    def parts(self, watch: Watch) -> Iterator[slice]:
        """Slices of the nodes, for the kernels that find triangles; the watch is called before each."""
        running = np.zeros(len(self.upward) + 1, dtype=np.int64)
        np.cumsum(self._steps, out=running[1:])
        costs = np.diff(running[self.starts]) + 2 * np.diff(self.starts) + 1
        for part in slices(costs, STEPS):
            watch(part.start / len(costs))
            yield part

    def kinds(self, graph: Graph) -> NDArray[np.uint8]:
        """For the slot of b at a: 1 for an edge from a to b, 2 for one from b to a, 3 for both."""
        if not graph.directed:
            return np.full(len(self.neighbors), 3, dtype=np.uint8)
        keys = self.owners * np.int64(graph.n) + self.neighbors
        forward = contains(graph.keys, keys).astype(np.uint8)
        return forward + np.uint8(2) * forward[self.reverse]

    def supports(self, watch: Watch) -> NDArray[np.int64]:
        """Triangles on the edge of every slot: common neighbors of its two ends."""
        found = np.zeros(len(self.neighbors), dtype=np.int64)
        for part in self.parts(watch):
            supports(self.neighbors, self.starts, self.upward, self.reverse, part.start, part.stop, found)
        return found
