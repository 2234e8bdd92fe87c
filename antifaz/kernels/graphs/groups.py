"""Groups of persons with similar (out, in) degrees, tightened by moves and swaps under falling heat.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing", Science 1983. A person either belongs to a group
of k or more, whose price is the distance of the members' degrees from their medians, or joins the nearest center: a
pair of degrees that enough persons already have. Its price is the distance from the center.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import Stream, accepts, below, new_stream
from antifaz.kernels.tables.range_cuts import select

Integers = NDArray[np.int64]

AT_CENTER, NOWHERE = -1, -2
"""Instead of the number of a group: with the nearest center, or not placed yet."""
NOBODY = -1
"""Instead of the number of a person."""
WINDOW = 60
"""Largest distance, in the order by degrees, of two persons whose groups are compared."""
LOOKS = 6
"""Number of nearby persons among which the nearest is searched."""


@compiled()
def _gap(points: Integers, a: int, b: int) -> int:
    return int(abs(points[0, a] - points[0, b]) + abs(points[1, a] - points[1, b]))


@compiled()
def _price(points: Integers, members: Integers, count: int, buffer: Integers) -> int:
    """Distance of the members from their medians."""
    total = 0
    for side in range(2):
        for i in range(count):
            buffer[i] = points[side, members[i]]
        # The sum of distances is least at the median, for out and in degrees independently: the L1 norm adds them.
        median = select(buffer, count, count // 2)
        for i in range(count):
            total += abs(buffer[i] - median)
    return total


@compiled()
def keep_nearest(gaps: Integers, places: Integers, found: int, buffer: Integers, near: Integers) -> int:
    """Fill ``near`` from its second cell on with the nearest of the places found, and return the sum of their gaps.

    There are enough of them. Selecting takes the same time whatever k is; a sorted list of the k nearest does not.
    """
    wanted = len(near) - 1
    buffer[:found] = gaps[:found]
    limit = select(buffer, found, wanted - 1)
    total, taken = 0, 0
    for i in range(found):
        if gaps[i] < limit:
            taken += 1
            near[taken] = places[i]
            total += gaps[i]
    for i in range(found):
        if taken == wanted:
            break
        if gaps[i] == limit:
            taken += 1
            near[taken] = places[i]
            total += gaps[i]
    return total


@compiled()
def _nearest_free(points: Integers, group: Integers, place: int, window: int, seen: Integers, near: Integers) -> int:
    """List the nearest persons without a group, the one at ``place`` first; return their total distance, or -1."""
    near[0] = place
    found = 0
    # Persons are sorted by descending degree, so near ones are in a window behind.
    for i in range(place + 1, points.shape[1]):
        if group[i] != NOWHERE:
            continue
        seen[0, found] = _gap(points, i, place)
        seen[1, found] = i
        found += 1
        if found == window:
            break
    if found < len(near) - 1:
        return -1
    return keep_nearest(seen[0], seen[1], found, seen[2], near)


@compiled("int64(int64[:, ::1], int64[::1], int64, int64, int64[::1])")
def found_groups(points: Integers, center_gaps: Integers, k: int, window: int, group: Integers) -> int:
    """Place everyone, from the largest degrees down: with a center or in a new group of k; return the groups.

    ``points`` are the (out, in) degrees, the largest first, ``center_gaps`` the distance of each from the nearest
    center. The last few, too few for a group, join their centers, however far.
    """
    near = np.empty(k, np.int64)
    # In windows of thousands, the next persons have nearly the same spread: it is computed once for some of them.
    alike, ready = k // window, 0
    window = max(window, 2 * k)
    seen = np.empty((3, window), np.int64)
    group[:] = NOWHERE
    count, spread = 0, -1
    for place in range(points.shape[1]):
        if group[place] != NOWHERE:
            continue
        if ready > 0 and (spread < 0 or k * center_gaps[place] <= spread):
            ready -= 1
            group[place] = AT_CENTER
            continue
        ready = alike
        spread = _nearest_free(points, group, place, window, seen, near)
        # The spread of a group is paid by its k members, the gap to a center by one person.
        if spread < 0 or k * center_gaps[place] <= spread:
            group[place] = AT_CENTER
            continue
        for member in near:
            group[member] = count
        count += 1
    return count


@compiled()
def _without(members: Integers, count: int, person: int, instead: int, result: Integers) -> int:
    """Copy the members with one left out or, if given, replaced by another; return how many."""
    copied = 0
    for i in range(count):
        member = members[i]
        if member == person:
            member = instead
        if member != NOBODY:
            result[copied] = member
            copied += 1
    return copied


@compiled()
def _partner(points: Integers, group: Integers, person: int, stream: Stream) -> int:
    """The nearest of a few nearby persons who are in another group, or -1."""
    best, least = -1, 0
    for _ in range(LOOKS):
        # Persons are sorted by descending degree: only groups of nearby persons are worth comparing.
        other = person + below(stream, 2 * WINDOW + 1) - WINDOW
        if other < 0 or other >= len(group) or group[other] == group[person]:
            continue
        gap = _gap(points, person, other)
        if best < 0 or gap < least:
            best, least = other, gap
    return best


@compiled("void(int64[:, ::1], int64[::1], int64, int64, int64, float64, float64, int64, int64[::1])")
def tighten_groups(
    points: Integers,
    center_gaps: Integers,
    groups: int,
    k: int,
    tries: int,
    heat: float,
    cooled: float,
    seed: int,
    group: Integers,
) -> None:
    """Move and swap persons between groups and centers, also if it costs a little while it is warm; groups keep k.

    The heat falls linearly from ``heat`` to ``cooled``.
    """
    stream = new_stream(seed)
    most = 4 * k
    members = np.full((groups, most), np.int64(-1))
    held = np.zeros(groups, np.int64)
    buffer, left, right = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    for i in range(len(group)):
        if group[i] >= 0:
            members[group[i], held[group[i]]] = i
            held[group[i]] += 1
    price = np.zeros(groups, np.int64)
    for g in range(groups):
        price[g] = _price(points, members[g], held[g], buffer)
    for attempt in range(tries):
        p = below(stream, len(group))
        q = _partner(points, group, p, stream)
        if q < 0:
            continue
        a, b = group[p], group[q]
        leaves = a == AT_CENTER or held[a] > k
        if b != AT_CENTER:
            q = members[b, below(stream, held[b])]
        moves = leaves and (a == AT_CENTER or below(stream, 2) == 0) and (b == AT_CENTER or held[b] < most)
        if not moves and a == AT_CENTER:
            continue
        # The person who moves the other way, if any.
        given = NOBODY if moves else q
        a_held, b_held, a_price, b_price, change = 0, 0, 0, 0, 0
        if a != AT_CENTER:
            a_held = _without(members[a], held[a], p, given, left)
            a_price = _price(points, left, a_held, buffer)
            change += a_price - price[a]
        else:
            change -= center_gaps[p]
        if b != AT_CENTER:
            b_held = _without(members[b], held[b], given, p, right)
            if moves:
                right[b_held] = p
                b_held += 1
            b_price = _price(points, right, b_held, buffer)
            change += b_price - price[b]
        else:
            change += center_gaps[p] - (0 if moves else center_gaps[q])
        warmth = heat + (cooled - heat) * attempt / tries
        if not accepts(stream, change, warmth):
            continue
        if a != AT_CENTER:
            held[a], price[a] = a_held, a_price
            for i in range(a_held):
                members[a, i] = left[i]
        if b != AT_CENTER:
            held[b], price[b] = b_held, b_price
            for i in range(b_held):
                members[b, i] = right[i]
        group[p] = b
        if not moves:
            group[q] = a
