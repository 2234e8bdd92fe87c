"""Degree rows: the degrees of all nodes in one snapshot as one row, and how often rows and columns repeat.

A temporal graph has a row for every snapshot and a column, the trajectory, for every node. In a directed graph a cell
encodes a pair of degrees, or there are two matrices, one for each direction.
"""

from collections import Counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.temporal.snapshots import Snapshots

Integers = NDArray[np.int64]
Directions = Literal["pairs", "separate"]
Recurrence = Literal["vector", "multiset"]


def degree_matrices(snapshots: Snapshots, directed: Directions = "pairs") -> list[Integers]:
    """Return the degrees of every node (column) in every snapshot (row): one matrix, or one for each direction."""
    if not snapshots.directed:
        return [snapshots.degrees]
    if directed == "separate":
        return [snapshots.out_degrees, snapshots.in_degrees]
    return [snapshots.out_degrees * np.int64(snapshots.n + 1) + snapshots.in_degrees]


def fewest_sharing(matrix: Integers) -> int:
    """Return the smallest number of nodes that share a degree in one snapshot; all nodes if there is no snapshot."""
    fewest = matrix.shape[1]
    for row in matrix:
        busy = row[row != 0]
        counts = np.unique(busy, return_counts=True)[1]
        idle = len(row) - len(busy)
        fewest = min(fewest, *counts.tolist(), idle or fewest)
    return int(fewest)


def fewest_recurring(matrix: Integers, recurrence: Recurrence) -> int:
    """Return how often the rarest degree sequence occurs, node by node or as a multiset."""
    rows = matrix if recurrence == "vector" else np.sort(matrix, axis=1)
    return min(Counter(row.tobytes() for row in rows).values(), default=0)


def smallest_trajectory(snapshots: Snapshots) -> int:
    """Return the smallest number of nodes that share their degrees (or pairs of degrees) in all snapshots."""
    columns = np.ascontiguousarray(degree_matrices(snapshots)[0].T)
    return min(Counter(column.tobytes() for column in columns).values(), default=0)
