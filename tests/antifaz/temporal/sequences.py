"""Sequences of graphs for tests."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots

Pairs = Sequence[tuple[int, int]]


def snapshots_of(n: int, *graphs: Pairs, directed: bool = False) -> Snapshots:
    """A sequence from the pairs of each snapshot."""
    rows = np.array([(u, v, t) for t, pairs in enumerate(graphs) for u, v in pairs], dtype=np.int64).reshape(-1, 3)
    labels = [str(t) for t in range(len(graphs))]
    return Snapshots.from_rows(n, rows[:, 0], rows[:, 1], rows[:, 2], labels, directed)


def random_snapshots(n: int, count: int, edges: int, directed: bool = False, start: int = 7) -> Snapshots:
    """Independent random graphs over the same nodes."""
    rng = np.random.default_rng(start)
    ends, times = rng.integers(0, n, (2, count * edges)), np.repeat(np.arange(count), edges)
    return Snapshots.from_rows(n, ends[0], ends[1], times, [str(t) for t in range(count)], directed)


def renumbered(snapshots: Snapshots, start: int = 3) -> ProtectedSnapshots:
    """The same sequence under other node numbers."""
    itself = ProtectedSnapshots(snapshots, np.arange(snapshots.n, dtype=np.int64))
    return itself.renamed(np.random.default_rng(start).permutation(snapshots.n))


def changed(snapshots: Snapshots, share: float, start: int = 5) -> ProtectedSnapshots:
    """The sequence with some of its edges led to random nodes, under other node numbers."""
    rng = np.random.default_rng(start)
    moved = rng.random(snapshots.m) < share
    targets = np.where(moved, rng.integers(0, max(1, snapshots.n), snapshots.m), snapshots.targets)
    rows = snapshots.n, snapshots.sources, targets, snapshots.times
    return renumbered(Snapshots.from_rows(*rows, snapshots.labels, snapshots.directed))


def released_as(snapshots: Snapshots) -> ProtectedSnapshots:
    """A release under the original's own numbers."""
    return ProtectedSnapshots(snapshots, np.arange(snapshots.n, dtype=np.int64))


@st.composite
def sequences(draw: st.DrawFn, directed: bool | None = None, most_nodes: int = 7, most: int = 5) -> Snapshots:
    """Small sequences of every density, some of their snapshots without edges."""
    n = draw(st.integers(2, most_nodes))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    graphs = draw(st.lists(st.lists(pair, max_size=2 * n * n // 3), min_size=1, max_size=most))
    return snapshots_of(n, *graphs, directed=draw(st.booleans()) if directed is None else directed)
