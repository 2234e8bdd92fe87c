"""Snapshots: a temporal graph as the sorted edge keys of every snapshot, one after the other.

Nodes are 0…n-1 and the same in every snapshot. An edge (u, v) is the key u·n + v, with u < v if undirected, as in a
graph. The keys of snapshot t are ``keys[starts[t]:starts[t + 1]]``: sorted, distinct, without self-loops.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, NodeAttribute


@dataclass(frozen=True)
class Snapshots:
    """A sequence of simple graphs over the nodes 0…n-1."""

    n: int
    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    directed: bool = False
    labels: tuple[str, ...] = ()
    """Start of each window (ISO, UTC), or the number of the snapshot in the file; public."""
    attributes: tuple[NodeAttribute, ...] = ()
    """Attributes of the nodes; only for an original."""

    @classmethod
    def from_rows(
        cls,
        n: int,
        sources: NDArray[np.int64],
        targets: NDArray[np.int64],
        times: NDArray[np.int64],
        labels: Sequence[str],
        directed: bool = False,
    ) -> "Snapshots":
        """Build from rows in any order, ``times`` being positions in ``labels``; loops and repetitions are dropped."""
        sources, targets = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
        if not directed:
            sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
        proper = sources != targets
        keys, times = (sources * np.int64(n) + targets)[proper], np.asarray(times, dtype=np.int64)[proper]
        order = np.lexsort((keys, times))
        keys, times = keys[order], times[order]
        first = np.ones(len(keys), dtype=bool)
        first[1:] = (np.diff(keys) != 0) | (np.diff(times) != 0)
        starts = np.searchsorted(times[first], np.arange(len(labels) + 1)).astype(np.int64)
        return cls(n, keys[first], starts, directed, tuple(labels))

    @classmethod
    def from_graphs(cls, graphs: Sequence[Graph], labels: Sequence[str]) -> "Snapshots":
        """Build from one graph per snapshot, all over the same nodes; there is at least one."""
        sizes = [graph.m for graph in graphs]
        keys = np.concatenate([graph.keys for graph in graphs])
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(graphs[0].n, keys, starts, graphs[0].directed, tuple(labels))

    def __len__(self) -> int:
        """The number of snapshots."""
        return len(self.starts) - 1

    @property
    def m(self) -> int:
        """Edges of all snapshots together."""
        return len(self.keys)

    @property
    def sources(self) -> NDArray[np.int64]:
        return self.keys // max(self.n, 1)

    @property
    def targets(self) -> NDArray[np.int64]:
        return self.keys % max(self.n, 1)

    @property
    def times(self) -> NDArray[np.int64]:
        """The snapshot of every edge."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def keys_at(self, t: int) -> NDArray[np.int64]:
        """The sorted keys of one snapshot."""
        return self.keys[self.starts[t] : self.starts[t + 1]]

    def graph(self, t: int) -> Graph:
        """One snapshot as a graph."""
        return Graph(self.n, self.keys_at(t), self.directed, self.attributes)

    def graphs(self) -> Iterator[Graph]:
        """Every snapshot as a graph, in order."""
        return (self.graph(t) for t in range(len(self)))

    @cached_property
    def aggregate(self) -> Graph:
        """Return the graph of every pair that is joined in some snapshot."""
        return Graph.from_pairs(self.n, self.sources, self.targets, self.directed)

    @cached_property
    def out_degrees(self) -> NDArray[np.int64]:
        """Degrees by snapshot and node: edges that leave it, or the smaller end's edges if undirected."""
        return self._counted(self.sources)

    @cached_property
    def in_degrees(self) -> NDArray[np.int64]:
        """Degrees by snapshot and node: edges that reach it, or the larger end's edges if undirected."""
        return self._counted(self.targets)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Degrees by snapshot and node (in plus out when directed)."""
        return self.out_degrees + self.in_degrees

    def relabeled(self, new_names: NDArray[np.int64]) -> "Snapshots":
        """Return the same structure with node v named ``new_names[v]`` in every snapshot."""
        return Snapshots.from_rows(
            self.n, new_names[self.sources], new_names[self.targets], self.times, self.labels, self.directed
        )

    def _counted(self, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        cells = self.times * self.n + ends
        return np.bincount(cells, minlength=len(self) * self.n).reshape(len(self), self.n).astype(np.int64)


@dataclass(frozen=True)
class ProtectedSnapshots:
    """The result of a temporal graph method: snapshots, and the original node of each of their nodes."""

    snapshots: Snapshots
    origin: NDArray[np.int64]
    """Original node of every released node (kept sealed, never released)."""
    account: dict[str, Any] = field(default_factory=dict)
    """Account of the changes, for the report: edges_added, edges_removed, edit_lower_bound and similar figures."""
    witnesses: tuple[NDArray[np.int64] | None, ...] = ()
    """For every snapshot, the permutations of its nodes, one per row, that prove it k-automorphic (kept sealed); empty
    if this was not requested."""

    def renamed(self, names: NDArray[np.int64]) -> "ProtectedSnapshots":
        """Return the same release with node v named ``names[v]``."""
        back = np.argsort(names)
        witnesses = tuple(None if rows is None else names[rows[:, back]] for rows in self.witnesses)
        return ProtectedSnapshots(self.snapshots.relabeled(names), self.origin[back], self.account, witnesses)


def joined(graphs: Iterable[Graph], like: Snapshots) -> Snapshots:
    """Return changed graphs, one per snapshot, as a sequence with the labels of ``like``."""
    return Snapshots.from_graphs(list(graphs), like.labels)
