"""Common neighbors: edges toggled until two nodes that share a neighbor share k, with few edits.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing", Science 1983. A pair of nodes that shares fewer
than k neighbors, and some, is as far from a fit as the nearer of none and k; a node below the least degree is as far as
what it lacks, and a degree that fewer than k nodes have as the nearer of nobody and k. An edit costs one; what is out
of place costs little at first and more than an edit in the end.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

Integers = NDArray[np.int64]
Small = NDArray[np.int32]
Rows = NDArray[np.bool_]


@compiled()
def _draw(stream: NDArray[np.uint64], limit: int) -> int:
    """The next integer in [0, limit) of a splitmix64 stream: it steers the search and protects nothing."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    word = stream[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word ^= word >> np.uint64(31)
    return int(np.int64((word >> np.uint64(33)) % np.uint64(limit)))


@compiled(inlined=True)
def _misfit(count: int, k: int) -> int:
    """How far a number is from none and from k or more."""
    return 0 if count <= 0 or count >= k else min(count, k - count)


@compiled()
def _drop(neighbors: Small, degrees: Integers, node: int, other: int) -> None:
    for i in range(degrees[node]):
        if neighbors[node, i] == other:
            degrees[node] -= 1
            neighbors[node, i] = neighbors[node, degrees[node]]
            return


@compiled()
def _misfits_gained(
    joined: Rows, shared: Small, neighbors: Small, degrees: Integers, one: int, other: int, k: int, least: int
) -> int:
    """How much more would be out of place, of pairs and of low degrees, if a pair were toggled."""
    sign = -1 if joined[one, other] else 1
    gained = 0
    for i in range(degrees[one]):
        third = neighbors[one, i]
        if third != other:
            gained += _misfit(shared[other, third] + sign, k) - _misfit(shared[other, third], k)
    for i in range(degrees[other]):
        third = neighbors[other, i]
        if third != one:
            gained += _misfit(shared[one, third] + sign, k) - _misfit(shared[one, third], k)
    for node in (one, other):
        gained += max(0, least - degrees[node] - sign) - max(0, least - degrees[node])
    return gained


@compiled()
def _shift_degrees(holders: Integers, degrees: Integers, one: int, other: int, sign: int, k: int) -> int:
    """Count the nodes of each degree as if a pair were toggled; return how much more is out of place."""
    gained = 0
    for node in (one, other):
        before, after = degrees[node], degrees[node] + sign
        gained -= _misfit(holders[before], k) + _misfit(holders[after], k)
        holders[before] -= 1
        holders[after] += 1
        gained += _misfit(holders[before], k) + _misfit(holders[after], k)
    return gained


@compiled()
def _toggle(joined: Rows, shared: Small, neighbors: Small, degrees: Integers, one: int, other: int) -> None:
    sign = -1 if joined[one, other] else 1
    if sign < 0:
        _drop(neighbors, degrees, one, other)
        _drop(neighbors, degrees, other, one)
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


@compiled(
    "int64(boolean[:, ::1], boolean[:, ::1], int32[:, ::1], int32[:, ::1], int64[::1], int64[::1], int64[::1], "
    "int64, float64[::1], int64, int64[::1], boolean[:, ::1])"
)
def anneal_edges(
    original: Rows,
    joined: Rows,
    shared: Small,
    neighbors: Small,
    degrees: Integers,
    holders: Integers,
    limits: Integers,
    tries: int,
    schedule: NDArray[np.float64],
    seed: int,
    state: Integers,
    best: Rows,
) -> int:
    """Toggle pairs in a number of tries, and keep in ``best`` the graph with the fewest edits in which all fits.

    ``limits``: k of pairs, least degree, k of degrees. ``schedule``: heat at first and last, and what is out of place
    costs at first and last. ``state``: edits, how much is out of place, fewest edits so far (or -1).
    """
    stream = np.empty(1, np.uint64)
    stream[0] = np.uint64(seed)
    n, k, least, sharing = len(degrees), limits[0], limits[1], limits[2]
    for attempt in range(tries):
        done = attempt / tries
        one, way = _draw(stream, n), _draw(stream, 4)
        if way == 0:
            other = _draw(stream, n)
        else:
            # Who shares a neighbor, or is one: other pairs seldom mend anything.
            if degrees[one] == 0:
                continue
            other = int(neighbors[one, _draw(stream, degrees[one])])
            if way > 1:
                other = int(neighbors[other, _draw(stream, degrees[other])])
        if one == other:
            continue
        sign = -1 if joined[one, other] else 1
        gained = _misfits_gained(joined, shared, neighbors, degrees, one, other, k, least)
        if sharing > 1:
            gained += _shift_degrees(holders, degrees, one, other, sign, sharing)
        edit = 1 if joined[one, other] == original[one, other] else -1
        cost = edit + schedule[2] * (schedule[3] / schedule[2]) ** done * gained
        heat = schedule[0] * (schedule[1] / schedule[0]) ** done
        if cost > 0 and _draw(stream, 1 << 30) >= np.exp(-cost / heat) * (1 << 30):
            if sharing > 1:
                # Taken back in the other order: what was counted for the pair is uncounted.
                holders[degrees[one] + sign] -= 1
                holders[degrees[other] + sign] -= 1
                holders[degrees[one]] += 1
                holders[degrees[other]] += 1
            continue
        _toggle(joined, shared, neighbors, degrees, one, other)
        state[0] += edit
        state[1] += gained
        if state[1] == 0 and (state[2] < 0 or state[0] < state[2]):
            state[2] = state[0]
            best[:] = joined
    return int(state[2])
