"""Common neighbors: edges toggled until two nodes that share a neighbor share k, with few edits.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing", Science 1983. The misfit of a pair that shares
some but fewer than k neighbors is the distance to 0 or k, whichever is nearer; that of a node below the least degree is
the number of missing edges; that of a degree that fewer than k nodes have is the distance to 0 or k nodes, whichever is
nearer. An edit costs one; a misfit costs little at first and more than an edit at the end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import Stream, accepts, below, new_stream
from antifaz.kernels.numba.types import boolean, float64, int32, int64, named

Integers = NDArray[np.int64]
Small = NDArray[np.int32]
Rows = NDArray[np.bool_]


class Edited(NamedTuple):
    """The current graph, in every form that is needed to evaluate a pair."""

    joined: Rows
    """Shape (nodes, nodes): which pairs are joined."""
    shared: Small
    """Shape (nodes, nodes): how many neighbors each pair shares."""
    neighbors: Small
    """Shape (nodes, nodes): each node's neighbors, in no order, from the row's beginning on."""
    degrees: Integers
    holders: Integers
    """How many nodes have each degree."""


EDITED = named(Edited, boolean[:, ::1], int32[:, ::1], int32[:, ::1], int64[::1], int64[::1])


class Limits(NamedTuple):
    """What fits."""

    k: int
    """Smallest number of neighbors that two nodes share if they share any."""
    least: int
    """The least degree."""
    sharing: int
    """Smallest number of nodes with a degree if any has it; with 0 or 1, degrees do not count."""


LIMITS = named(Limits, int64, int64, int64)


class Schedule(NamedTuple):
    """Heat at the first and the last try, and the cost of one misfit at the first and the last, in edits."""

    heat: float
    cold: float
    cheap: float
    dear: float


SCHEDULE = named(Schedule, float64, float64, float64, float64)

EDITS, AMISS, FEWEST = 0, 1, 2
"""Cells of ``state``: edits, misfits, and the fewest edits so far without a misfit (or -1)."""


@compiled(inlined=True)
def _misfit(count: int, k: int) -> int:
    """How far a number is from none and from k or more."""
    return 0 if count <= 0 or count >= k else min(count, k - count)


@compiled()
def _drop(edited: Edited, node: int, other: int) -> None:
    neighbors, degrees = edited.neighbors, edited.degrees
    for i in range(degrees[node]):
        if neighbors[node, i] == other:
            # The last one takes the place: an unordered list is updated in one step.
            degrees[node] -= 1
            neighbors[node, i] = neighbors[node, degrees[node]]
            return


@compiled()
def _misfits_gained(edited: Edited, one: int, other: int, limits: Limits) -> int:
    """Misfits of pairs and of low degrees that would be gained if a pair were toggled."""
    shared, neighbors, degrees, k = edited.shared, edited.neighbors, edited.degrees, limits.k
    sign = -1 if edited.joined[one, other] else 1
    gained = 0
    # An edge between the two is a common neighbor more, or less, for either of them and each neighbor of the other: no
    # other pair changes, so that a try costs two rows and not a matrix.
    for i in range(degrees[one]):
        third = neighbors[one, i]
        if third != other:
            gained += _misfit(shared[other, third] + sign, k) - _misfit(shared[other, third], k)
    for i in range(degrees[other]):
        third = neighbors[other, i]
        if third != one:
            gained += _misfit(shared[one, third] + sign, k) - _misfit(shared[one, third], k)
    for node in (one, other):
        gained += max(0, limits.least - degrees[node] - sign) - max(0, limits.least - degrees[node])
    return gained


@compiled()
def _shift_degrees(edited: Edited, one: int, other: int, sign: int, k: int) -> int:
    """Count the nodes of each degree as if a pair were toggled; return the misfits gained."""
    holders, degrees = edited.holders, edited.degrees
    gained = 0
    # One node after the other: two nodes of the same degree leave and reach the same cells.
    for node in (one, other):
        before, after = degrees[node], degrees[node] + sign
        gained -= _misfit(holders[before], k) + _misfit(holders[after], k)
        holders[before] -= 1
        holders[after] += 1
        gained += _misfit(holders[before], k) + _misfit(holders[after], k)
    return gained


@compiled()
def _shift_back(edited: Edited, one: int, other: int, sign: int) -> None:
    """Undo what was counted for a toggle that is not made."""
    holders, degrees = edited.holders, edited.degrees
    for node in (one, other):
        holders[degrees[node] + sign] -= 1
        holders[degrees[node]] += 1


@compiled()
def _toggle(edited: Edited, one: int, other: int) -> None:
    joined, shared, neighbors, degrees = edited.joined, edited.shared, edited.neighbors, edited.degrees
    sign = -1 if joined[one, other] else 1
    # Neither may be in the other's list while shared neighbors are counted: an edge is no neighbor of its own ends.
    if sign < 0:
        _drop(edited, one, other)
        _drop(edited, other, one)
    for i in range(degrees[one]):
        third = neighbors[one, i]
        shared[other, third] += sign
        shared[third, other] += sign
    for i in range(degrees[other]):
        third = neighbors[other, i]
        shared[one, third] += sign
        shared[third, one] += sign
    if sign > 0:
        neighbors[one, degrees[one]], neighbors[other, degrees[other]] = other, one
        degrees[one] += 1
        degrees[other] += 1
    joined[one, other] = joined[other, one] = sign > 0


@compiled()
def _second_node(edited: Edited, one: int, stream: Stream) -> int:
    """The second node of the pair to try, or the node itself if there is none."""
    way = below(stream, 4)
    if way == 0:
        return below(stream, len(edited.degrees))
    # A node that shares a neighbor, or is one: other pairs rarely improve anything.
    if edited.degrees[one] == 0:
        return one
    other = int(edited.neighbors[one, below(stream, edited.degrees[one])])
    if way > 1:
        other = int(edited.neighbors[other, below(stream, edited.degrees[other])])
    return other


@compiled(int64(boolean[:, ::1], EDITED, LIMITS, SCHEDULE, int64, int64, int64[::1], boolean[:, ::1]))
def anneal_edges(
    original: Rows,
    edited: Edited,
    limits: Limits,
    schedule: Schedule,
    tries: int,
    seed: int,
    state: Integers,
    best: Rows,
) -> int:
    """Toggle pairs in a number of tries, and keep in ``best`` the graph with the fewest edits in which all fits."""
    stream = new_stream(seed)
    joined, n = edited.joined, len(edited.degrees)
    for attempt in range(tries):
        done = attempt / tries
        one = below(stream, n)
        other = _second_node(edited, one, stream)
        if one == other:
            continue
        sign = -1 if joined[one, other] else 1
        gained = _misfits_gained(edited, one, other, limits)
        if limits.sharing > 1:
            gained += _shift_degrees(edited, one, other, sign, limits.sharing)
        edit = 1 if joined[one, other] == original[one, other] else -1
        # Heat falls, and the price of misfits rises, by the same factor at every try: the geometric schedule of the
        # paper.
        cost = edit + schedule.cheap * (schedule.dear / schedule.cheap) ** done * gained
        heat = schedule.heat * (schedule.cold / schedule.heat) ** done
        if not accepts(stream, cost, heat):
            if limits.sharing > 1:
                _shift_back(edited, one, other, sign)
            continue
        _toggle(edited, one, other)
        state[EDITS] += edit
        state[AMISS] += gained
        if state[AMISS] == 0 and (state[FEWEST] < 0 or state[EDITS] < state[FEWEST]):
            state[FEWEST] = state[EDITS]
            best[:] = joined
    return int(state[FEWEST])
