"""Graph: a simple graph as sorted integer edge keys.

Nodes are 0…n-1. An edge (u, v) is the key u·n + v, with u < v in an undirected graph; keys are sorted and distinct, and
there are no self-loops. CSR arrays are made where an algorithm walks neighbours.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Graph:
    """A simple graph over the nodes 0…n-1."""

    n: int
    keys: NDArray[np.int64]
    directed: bool = False

    @classmethod
    def from_pairs(
        cls, n: int, sources: NDArray[np.int64], targets: NDArray[np.int64], directed: bool = False
    ) -> "Graph":
        """Build from end points in any order; loops and repetitions are dropped."""
        sources = np.asarray(sources, dtype=np.int64)
        targets = np.asarray(targets, dtype=np.int64)
        if not directed:
            sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
        proper = sources != targets
        return cls(n, np.unique(sources[proper] * np.int64(n) + targets[proper]), directed)

    @property
    def m(self) -> int:
        return len(self.keys)

    @property
    def sources(self) -> NDArray[np.int64]:
        return self.keys // self.n if self.n else self.keys

    @property
    def targets(self) -> NDArray[np.int64]:
        return self.keys % self.n if self.n else self.keys

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Degree of every node (in plus out when directed)."""
        return self.out_degrees + self.in_degrees

    @cached_property
    def out_degrees(self) -> NDArray[np.int64]:
        return np.bincount(self.sources, minlength=self.n).astype(np.int64)

    @cached_property
    def in_degrees(self) -> NDArray[np.int64]:
        return np.bincount(self.targets, minlength=self.n).astype(np.int64)

    @cached_property
    def neighbours(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """CSR (offsets, sorted neighbours), ignoring direction; a pair joined both ways counts once."""
        keys = self.keys
        back = self.targets * np.int64(self.n) + self.sources
        both = np.concatenate([keys, back])
        both = np.unique(both) if self.directed else np.sort(both)
        offsets = np.zeros(self.n + 1, dtype=np.int64)
        if self.n:
            np.cumsum(np.bincount(both // self.n, minlength=self.n), out=offsets[1:])
        return offsets, (both % max(self.n, 1)).astype(np.int32)

    def relabelled(self, new_names: NDArray[np.int64]) -> "Graph":
        """The same graph with node v called ``new_names[v]``."""
        return Graph.from_pairs(self.n, new_names[self.sources], new_names[self.targets], self.directed)


@dataclass(frozen=True)
class ProtectedGraph:
    """What a graph method returns: a graph, and for each of its nodes the original one."""

    graph: Graph
    origin: NDArray[np.int64]
    """Original node of every released node, or -1 for one that was made up (kept sealed, never released)."""
    account: dict[str, Any] = field(default_factory=dict)
    """What was done, for the report: edges_added, edges_removed, nodes_added, edit_lower_bound and the like."""
