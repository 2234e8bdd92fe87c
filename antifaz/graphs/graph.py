"""Graph: a simple graph as sorted integer edge keys.

Nodes are 0…n-1. An edge (u, v) is the key u·n + v, with u < v in an undirected graph; keys are sorted and distinct, and
there are no self-loops. CSR arrays are built when an algorithm walks neighbors.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.shared import Shared
from antifaz.watch import Watch


@dataclass(frozen=True)
class NodeAttribute:
    """An attribute of the nodes as plain numbers; its values stay in the table that protects them."""

    name: str
    role: str
    """Its role for privacy: ``quasi_identifier``, ``sensitive`` or ``insensitive``."""
    codes: NDArray[np.int64]
    """The value of every node, as a number below ``size`` in the order of the values."""
    size: int
    numbers: NDArray[np.float64] | None = None
    """For numbers and dates: the number that each code stands for, NaN for a missing value."""
    ancestors: NDArray[np.int64] | None = None
    """For an attribute with a hierarchy: the group of each code at each level, from the values to the root."""


@dataclass(frozen=True)
class EdgeColumn:
    """A value for every edge (in the order of the keys) or every node."""

    name: str
    values: NDArray[Any]
    """Numbers, or strings as objects."""


@dataclass(frozen=True)
class Graph:
    """A simple graph over the nodes 0…n-1."""

    n: int
    keys: NDArray[np.int64]
    directed: bool = False
    attributes: tuple[NodeAttribute, ...] = ()
    """Attributes of the nodes; only for an original."""

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
        # Sorted here because numpy's own function for distinct numbers hashes them, which takes ten times as long.
        keys = np.sort(sources[proper] * np.int64(n) + targets[proper])
        return cls(n, keys[np.diff(keys, prepend=-1) > 0], directed)

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
    def neighbors(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """CSR (offsets, sorted neighbors), ignoring direction; a pair joined both ways counts once."""
        keys = self.keys
        back = self.targets * np.int64(self.n) + self.sources
        both = np.concatenate([keys, back])
        both = distinct(both) if self.directed else np.sort(both)
        offsets = np.zeros(self.n + 1, dtype=np.int64)
        if self.n:
            np.cumsum(np.bincount(both // self.n, minlength=self.n), out=offsets[1:])
        return offsets, (both % max(self.n, 1)).astype(np.int32)

    @cached_property
    def found(self) -> Shared:
        """Cached results about the structure, shared by measures and by all policies tried on one graph."""
        return Shared()

    def with_attributes(self, attributes: tuple[NodeAttribute, ...]) -> "Graph":
        """The same structure with other attributes of the nodes; both graphs share their cached results."""
        if not attributes and not self.attributes:
            return self
        made = replace(self, attributes=attributes)
        made.__dict__["found"] = self.found
        return made

    def relabeled(self, new_names: NDArray[np.int64]) -> "Graph":
        """The same structure with node v called ``new_names[v]``."""
        return Graph(self.n, np.sort(self._renamed_keys(new_names)), self.directed)

    def relabeled_order(self, new_names: NDArray[np.int64]) -> NDArray[np.int64]:
        """For every edge of the relabeled graph, the position of the same edge here."""
        return np.argsort(self._renamed_keys(new_names), kind="stable")

    def _renamed_keys(self, new_names: NDArray[np.int64]) -> NDArray[np.int64]:
        first, second = new_names[self.sources], new_names[self.targets]
        if not self.directed:
            first, second = np.minimum(first, second), np.maximum(first, second)
        return np.asarray(first * np.int64(self.n) + second, dtype=np.int64)


@dataclass(frozen=True)
class ProtectedGraph:
    """The result of a graph method: a graph, and for each of its nodes the original one."""

    graph: Graph
    """The released structure: a graph; for an uncertain one, every pair that may be an edge; for a generalized one, the
    supernodes and the joined pairs of them."""
    origin: NDArray[np.int64]
    """Original node of every released node, or -1 for one that was made up (kept sealed, never released)."""
    account: dict[str, Any] = field(default_factory=dict)
    """What was done, for the report: edges_added, edges_removed, nodes_added, edit_lower_bound and the like."""
    edge_columns: tuple[EdgeColumn, ...] = ()
    """Values released with every edge: a probability, the number of edges between two supernodes."""
    node_columns: tuple[EdgeColumn, ...] = ()
    """Values that the method itself releases with every node: the size of a supernode and the edges inside it."""
    witness: NDArray[np.int64] | None = None
    """Permutations of the nodes, one in each row, that prove a graph to be k-automorphic (kept sealed)."""
    members: NDArray[np.int64] | None = None
    """For a generalized graph: the supernode of every original node (kept sealed)."""
    classes: NDArray[np.int64] | None = None
    """For a graph whose labels were made alike too: the class of every original node; nodes of one class must be
    released with the same quasi-identifiers (kept sealed)."""
    world: "ProtectedGraph | None" = None
    """An ordinary graph drawn from an uncertain or a generalized one, for measures and attacks that need one."""
    again: Callable[["Graph", np.random.Generator, Watch], "ProtectedGraph"] | None = None
    """Protects another graph by the same policy, which is public, for attacks by someone who joined the network before;
    None if that is unknown, or if each run would cost epsilon."""
    samples: tuple["ProtectedGraph", ...] = ()
    """Ordinary graphs drawn from a generalized one that are released along with it; their origin is the supernode."""

    @property
    def form(self) -> Literal["graph", "uncertain", "generalized"]:
        """The form of the release: a graph, one whose edges have probabilities, or supernodes."""
        if self.members is not None:
            return "generalized"
        return "uncertain" if self.world is not None else "graph"

    @property
    def stand_in(self) -> "ProtectedGraph":
        """The ordinary graph that measures and attacks read."""
        return self if self.world is None else replace(self.world, again=self.again)

    def renamed(self, names: NDArray[np.int64]) -> "ProtectedGraph":
        """The same release with node v called ``names[v]``."""
        order = self.graph.relabeled_order(names)
        back = np.argsort(names)
        return replace(
            self,
            graph=self.graph.relabeled(names),
            origin=self.origin[back],
            edge_columns=tuple(replace(column, values=column.values[order]) for column in self.edge_columns),
            node_columns=tuple(replace(column, values=column.values[back]) for column in self.node_columns),
            witness=None if self.witness is None else names[self.witness[:, back]],
            members=None if self.members is None else names[self.members],
            samples=tuple(replace(sample, origin=names[sample.origin]) for sample in self.samples),
        )
