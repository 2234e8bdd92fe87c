"""Trajectories: the degrees of every node through some snapshots, and which nodes share them.

Rossi, Musolesi and Torsello, "On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015.

A trajectory is stored as the list of the snapshots in which the node has edges, with its degrees there: a matrix of
nodes by snapshots would be mostly zeros. Lists are compared in full, so different trajectories are never confused.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.lists import number_lists
from antifaz.temporal.snapshots import Snapshots

Integers = NDArray[np.int64]


def number_trajectories(sequences: Sequence[Snapshots], times: Integers | None = None) -> list[Integers]:
    """Return a number for the trajectory of every node of every sequence: equal numbers mean equal degrees.

    If times are given, only the degrees at these times count.
    """
    width = max(each.n for each in sequences)
    rows = [degree_cells(each, width, times) for each in sequences]
    first = np.cumsum([0, *(each.n for each in sequences)])
    nodes = np.concatenate([owners + start for (owners, _), start in zip(rows, first[:-1], strict=True)])
    codes = np.unique(np.concatenate([cells for _, cells in rows]), return_inverse=True)[1]
    bounds = np.searchsorted(nodes, np.arange(first[-1] + 1)).astype(np.int64)
    numbers = number_lists(bounds, codes.astype(np.int32))[0]
    return list(np.split(numbers, first[1:-1]))


def degree_cells(snapshots: Snapshots, width: int, times: Integers | None = None) -> tuple[Integers, Integers]:
    """Return every node with edges in a snapshot, sorted by node and snapshot: the nodes, and a number for their
    degrees.

    The number encodes the snapshot, the out-degree and the in-degree, which are all below the width; without
    directions, the degree and 0.
    """
    n = np.int64(max(1, snapshots.n))
    leaving, reaching = snapshots.times * n + snapshots.sources, snapshots.times * n + snapshots.targets
    cells, places = np.unique(np.concatenate([leaving, reaching]), return_inverse=True)
    if snapshots.directed:
        out = np.bincount(places[: len(leaving)], minlength=len(cells))
        into = np.bincount(places[len(leaving) :], minlength=len(cells))
    else:
        out, into = np.bincount(places, minlength=len(cells)), np.zeros(len(cells), dtype=np.int64)
    known = (cells // n * np.int64(width) + out) * np.int64(width) + into
    order = np.argsort(cells % n, kind="stable")
    if times is not None:
        order = order[np.isin(cells[order] // n, times)]
    return (cells % n)[order], known[order]


def classes_by_snapshot(snapshots: Snapshots) -> tuple[Integers, Integers]:
    """Return the sizes of the classes of nodes with the same degrees in one snapshot: the snapshots, and the sizes.

    Nodes without edges are one class.
    """
    width = max(1, snapshots.n)
    _, cells = degree_cells(snapshots, width)
    numbers, sizes = np.unique(cells, return_counts=True)
    times = cells // (width * width)
    idle = snapshots.n - np.bincount(times, minlength=len(snapshots))
    there = np.flatnonzero(idle)
    return np.concatenate([numbers // (width * width), there]), np.concatenate([sizes, idle[there]])
