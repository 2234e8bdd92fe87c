"""Groups of at least k similar sparse rows, and common targets for runs of them.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing", Science 1983, for the groups. Their price is the
sum of the gaps between all members, divided by the number of members minus one: for two or three members that is their
L1 distance from the median, and nearly so for more.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import accepts, below, new_stream

Integers = NDArray[np.int64]
Gaps = NDArray[np.float32]

_INFINITE = np.float64(1e300)


@compiled("void(int64[::1], int64[::1], float32[::1], int64, int64, float32[:, ::1])")
def add_overlaps(bounds: Integers, rows: Integers, values: Gaps, start: int, stop: int, overlaps: Gaps) -> None:
    """Add, for items from ``start`` to ``stop``, what two rows have in common to the cells of both.

    The entries of an item are those from ``bounds[item]`` to ``bounds[item + 1]``, by rising row; only the upper
    triangle is filled.
    """
    for item in range(start, stop):
        # Item by item over those who have it, never row by row over all items: items that two rows do not share cost
        # nothing.
        for i in range(bounds[item], bounds[item + 1]):
            row, value = rows[i], values[i]
            for j in range(i + 1, bounds[item + 1]):
                overlaps[row, rows[j]] += min(value, values[j])


@compiled("int64(float32[:, ::1], int64[::1], int64, int64[::1])")
def found_groups(gaps: Gaps, order: Integers, k: int, group: Integers) -> int:
    """Put every row, in the given order, into a group with its k - 1 nearest that are free; return the groups.

    The last few, too few for a group, join the group of their nearest row.
    """
    count, free = 0, len(order)
    group[:] = -1
    near = np.empty(k, np.int64)
    for row in order:
        if group[row] >= 0:
            continue
        # Too few are left for another group.
        if free < 2 * k and count > 0 and free < k:
            nearest = -1
            for other in range(len(order)):
                if group[other] >= 0 and (nearest < 0 or gaps[row, other] < gaps[row, nearest]):
                    nearest = other
            group[row] = group[nearest]
            free -= 1
            continue
        found = 0
        for other in range(len(order)):
            if group[other] >= 0 or other == row:
                continue
            # Insertion into the sorted list of the k - 1 nearest; entries beyond its end are dropped.
            at = found
            while at > 0 and gaps[row, near[at - 1]] > gaps[row, other]:
                if at < k - 1:
                    near[at] = near[at - 1]
                at -= 1
            if at < k - 1:
                near[at] = other
                found = min(found + 1, k - 1)
        group[row] = count
        for i in range(found):
            group[near[i]] = count
        free -= found + 1
        count += 1
    return count


@compiled()
def _sum_of_gaps(gaps: Gaps, members: Integers, held: int, row: int, without: int) -> float:
    """The gaps between a row and the members of a group, without one of them."""
    total = 0.0
    for i in range(held):
        if members[i] != without:
            total += gaps[row, members[i]]
    return total


@compiled()
def _price(pairs: float, held: int) -> float:
    return pairs / (held - 1) if held > 1 else 0.0


@compiled("void(float32[:, ::1], int32[:, ::1], int64, int64, int64, float64, float64, int64, int64[::1])")
def tighten_groups(
    gaps: Gaps,
    near: NDArray[np.int32],
    groups: int,
    k: int,
    tries: int,
    warm: float,
    cool: float,
    seed: int,
    group: Integers,
) -> None:
    """Move and swap rows between groups of nearby rows, at first also if it costs a little."""
    stream = new_stream(seed)
    rows, most = len(group), 3 * k
    held = np.zeros(groups, np.int64)
    for row in range(rows):
        held[group[row]] += 1
    for g in range(groups):
        most = max(most, held[g])
    members = np.full((groups, most), np.int64(-1))
    place = np.empty(rows, np.int64)
    pairs = np.zeros(groups, np.float64)
    held[:] = 0
    for row in range(rows):
        g = group[row]
        pairs[g] += _sum_of_gaps(gaps, members[g], held[g], row, -1)
        members[g, held[g]] = row
        place[row] = held[g]
        held[g] += 1
    for attempt in range(tries):
        # Heat falls linearly: at first a more expensive grouping is accepted occasionally, which leads out of local
        # minima; at the end almost never.
        heat = warm + (cool - warm) * (attempt / tries)
        row = below(stream, rows)
        # Only groups of nearby rows are compared: a move to a far one is almost never accepted.
        friend = np.int64(near[row, below(stream, near.shape[1])])
        a, b = group[row], group[friend]
        if a == b:
            continue
        leaves = _sum_of_gaps(gaps, members[a], held[a], row, row)
        # A group must keep k members, so only a larger one can give a row away; otherwise, or at random, two rows are
        # swapped.
        if held[a] > k and held[b] < most and (held[b] >= 2 * k or below(stream, 2) == 0):
            joins = _sum_of_gaps(gaps, members[b], held[b], row, -1)
            change = _price(pairs[a] - leaves, held[a] - 1) + _price(pairs[b] + joins, held[b] + 1)
            change -= _price(pairs[a], held[a]) + _price(pairs[b], held[b])
            if not accepts(stream, change, heat):
                continue
            pairs[a] -= leaves
            pairs[b] += joins
            # The last member takes the free place: no list is shifted.
            last = members[a, held[a] - 1]
            members[a, place[row]] = last
            place[last] = place[row]
            held[a] -= 1
            members[b, held[b]] = row
            place[row] = held[b]
            held[b] += 1
            group[row] = b
            continue
        other = members[b, below(stream, held[b])]
        # The row should join its near row, which therefore stays.
        if other == friend and held[b] > 1:
            continue
        a_new = pairs[a] - leaves + _sum_of_gaps(gaps, members[a], held[a], other, row)
        b_new = pairs[b] - _sum_of_gaps(gaps, members[b], held[b], other, other)
        b_new += _sum_of_gaps(gaps, members[b], held[b], row, other)
        change = _price(a_new, held[a]) + _price(b_new, held[b]) - _price(pairs[a], held[a]) - _price(pairs[b], held[b])
        if not accepts(stream, change, heat):
            continue
        pairs[a], pairs[b] = a_new, b_new
        members[a, place[row]], members[b, place[other]] = other, row
        place[row], place[other] = place[other], place[row]
        group[row], group[other] = b, a


@compiled("float64(float64[:, ::1], int64[::1], int64[::1], int64, boolean, int64[::1])")
def cheapest_runs(
    costs: NDArray[np.float64], levels: Integers, wishes: Integers, k: int, pool: bool, chosen: Integers
) -> float:
    """Cut rows, in the order of their preferred levels, into runs of k or more with one level each; return the price.

    ``costs`` has, summed up over the rows before, the price of every level: row i at level l costs ``costs[i + 1, l] -
    costs[i, l]``. ``wishes`` is the cheapest level of each row and rises; the best of a run is among its members'. The
    levels of all rows add up to an even number. With ``pool``, a row may also take the first level by itself: enough
    others have it. Returns -1 if there is no such cut.
    """
    count = len(wishes)
    price = np.full((count + 1, 2), _INFINITE)
    came = np.full((count + 1, 2), np.int64(-1))
    level_of = np.zeros((count + 1, 2), np.int64)
    price[0, 0] = 0.0
    for stop in range(1, count + 1):
        if pool:
            alone = costs[stop, 0] - costs[stop - 1, 0]
            shift = levels[0] & 1
            for parity in range(2):
                total = price[stop - 1, parity] + alone
                if total < price[stop, parity ^ shift]:
                    price[stop, parity ^ shift] = total
                    came[stop, parity ^ shift] = stop - 1
                    level_of[stop, parity ^ shift] = 0
        # A run of 2k or more can be cut in two at no higher cost, so runs of k to 2k - 1 are enough.
        for start in range(stop - k, max(-1, stop - 2 * k), -1):
            if price[start, 0] >= _INFINITE and price[start, 1] >= _INFINITE:
                continue
            # Degrees must add up to an even number, or no graph has them. Only a run of odd length can change the
            # parity, by a level next to its best one: such a level may lie just outside of what its members wish.
            odd = (stop - start) & 1
            low, high = wishes[start], wishes[stop - 1]
            if odd:
                low, high = max(0, low - 1), min(len(levels) - 1, high + 1)
            for level in range(low, high + 1):
                shift = (levels[level] & 1) & odd
                cost = costs[stop, level] - costs[start, level]
                for parity in range(2):
                    if price[start, parity] + cost < price[stop, parity ^ shift]:
                        price[stop, parity ^ shift] = price[start, parity] + cost
                        came[stop, parity ^ shift] = start
                        level_of[stop, parity ^ shift] = level
    if price[count, 0] >= _INFINITE:
        return -1.0
    stop, parity = count, 0
    # Back along the cheapest choices; the parity before a run follows from the one after it.
    while stop > 0:
        start, level = came[stop, parity], level_of[stop, parity]
        chosen[start:stop] = level
        parity ^= (levels[level] & 1) & ((stop - start) & 1)
        stop = start
    return float(price[count, 0])
