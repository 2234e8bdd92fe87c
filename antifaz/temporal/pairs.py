"""Pairs over time: every edge of a temporal graph as one number for its snapshot and its ends."""

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.temporal.snapshots import Snapshots

Integers = NDArray[np.int64]


def moments(snapshots: Snapshots) -> Integers:
    """Return a sorted number for each edge that encodes its snapshot and ends; comparable between sequences over the
    same nodes."""
    width = np.int64(max(1, snapshots.n)) ** 2
    return snapshots.times * width + snapshots.keys


def shared_edges(one: Snapshots, other: Snapshots) -> Integers:
    """Return the number of edges that both have, by snapshot."""
    width = np.int64(max(1, one.n)) ** 2
    shared = np.intersect1d(moments(one), moments(other), assume_unique=True)
    return np.bincount(shared // width, minlength=len(one)).astype(np.int64)


def undirected_rows(snapshots: Snapshots) -> tuple[Integers, Integers, Integers]:
    """Return the smaller end, larger end and snapshot of every edge without its direction, each once in a snapshot."""
    if not snapshots.directed:
        return snapshots.sources, snapshots.targets, snapshots.times
    n = max(1, snapshots.n)
    low, high = np.minimum(snapshots.sources, snapshots.targets), np.maximum(snapshots.sources, snapshots.targets)
    cells = distinct(np.asarray(snapshots.times * np.int64(n * n) + low * np.int64(n) + high, dtype=np.int64))
    return cells // n % n, cells % n, cells // (n * n)
