"""Editing a graph towards given degrees with few edges added and removed.

The graph itself stays as CSR rows; what changes is a set of toggled pairs above it, in a hash table, so that a trial
costs what it touches and not what the graph weighs. A directed graph is edited as its bipartite double cover: side u
sends, side n + v receives, and each person owns two sides; an undirected person is one side.

Every side has a residual (what it still has to gain or, below zero, lose); every person is in a class (its target
degrees), and a class is empty or holds k persons or more. Pairs of needy sides are settled by one edit. The rest is
settled, cheapest first, by another class for the same person, by a chain through an edit already made, by a rotation,
by a person of a large class who moves to the next one, and by alternating walks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.sorted_rows import row_has, shorter_first
from antifaz.kernels.numba.steering import Stream, below, new_stream

Integers = NDArray[np.int64]

STAMP, SLOTS, LIVE, WORK, FULL, EXTRA, CEILING, SOUGHT = 0, 1, 2, 3, 4, 5, 6, 7
"""Cells of ``EditState.counts``: marks made, pairs ever touched, edits in force, elementary steps that the search is
charged for, table overflow, steps that are only few on most graphs, how many steps of both kinds end a trial, and where
a walk found its last far end."""
LOOKUP = 8
"""Steps charged for looking up a pair."""
MOST_TOIL = 20_000_000
"""Steps, plus a few for each edge, after which a trial is abandoned: on a star it would take quadratic time."""
HABITS = 6
MOST_ASKED = 8192
"""Number of consecutive sides that are tried as absorbers of a unit."""
MOST_MISSED = 8
"""Number of consecutive pairs of sides that may find no chain or walk before the step is abandoned."""
MOST_TRIED = 64
"""Number of partners tried for one side in a chain or in a rotation with a person of a large class."""


class EditState(NamedTuple):
    """A graph, the edits in force, and what each side still needs."""

    people: int
    sides: int
    k: int
    offsets: Integers
    neighbors: NDArray[np.int32]
    residual: Integers
    """What each side still has to gain (above zero) or to lose."""
    standing: Integers
    """The class of each person."""
    held: Integers
    """How many persons each class holds."""
    step: NDArray[np.int64]
    """The class next to a class by +1 out, -1 out, +1 in, -1 in (undirected: the first two), or -1."""
    mark: Integers
    other_mark: Integers
    slot_of: Integers
    """Open addressing: place → slot, or -1."""
    place: Integers
    """Slot → its place in ``slot_of``."""
    left: Integers
    right: Integers
    alive: NDArray[np.uint8]
    """Whether the slot's pair is toggled now."""
    original: NDArray[np.uint8]
    """Whether the slot's pair is an edge of the graph."""
    first: Integers
    """Side → its first half-slot, or -1; half-slot 2s belongs to ``left[s]``, 2s+1 to ``right[s]``."""
    following: Integers
    counts: Integers
    stream: Stream
    """It breaks ties."""
    needy: Integers
    rank: Integers


@compiled()
def new_state(
    people: int,
    sides: int,
    k: int,
    offsets: Integers,
    neighbors: NDArray[np.int32],
    classes: int,
    capacity: int,
    seed: int,
) -> EditState:
    """A state without edits, with room for ``capacity`` touched pairs."""
    places = 16
    # A power of two at least twice as large: half of the places stay free, and a search meets one after a step or two.
    while places < 2 * capacity:
        places *= 2
    return EditState(
        people,
        sides,
        k,
        offsets,
        neighbors,
        np.zeros(sides, np.int64),
        np.zeros(people, np.int64),
        np.zeros(classes, np.int64),
        np.full((classes, 4), np.int64(-1)),
        np.zeros(sides, np.int64),
        np.zeros(sides, np.int64),
        np.full(places, np.int64(-1)),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.uint8),
        np.zeros(capacity, np.uint8),
        np.full(sides, np.int64(-1)),
        np.full(2 * capacity, np.int64(-1)),
        np.zeros(8, np.int64),
        new_stream(seed),
        np.zeros(sides, np.int64),
        np.zeros(sides, np.int64),
    )


@compiled()
def begin_trial(state: EditState) -> None:
    """Reset the step limit for the next trial."""
    toil = MOST_TOIL + 4 * len(state.neighbors)
    state.counts[CEILING] = state.counts[WORK] + state.counts[EXTRA] + toil


@compiled()
def is_tired(state: EditState) -> bool:
    """Whether the trial has reached its step limit or has no room for another pair: the rest stays unsettled, and the
    trial fails.

    Every loop that waits for a residual to fall asks this: in a full table an edit changes nothing.
    """
    return bool(state.counts[FULL] or state.counts[WORK] + state.counts[EXTRA] > state.counts[CEILING])


@compiled()
def forget_edits(state: EditState) -> None:
    """Take all edits back and empty the table."""
    # Only touched entries are reset: the cost of a trial depends on its edits, not on the size of the graph.
    for slot in range(state.counts[SLOTS]):
        state.slot_of[state.place[slot]] = -1
        state.alive[slot] = 0
        state.first[state.left[slot]] = -1
        state.first[state.right[slot]] = -1
    state.counts[SLOTS] = 0
    state.counts[LIVE] = 0
    state.counts[FULL] = 0


@compiled()
def _person(state: EditState, side: int) -> int:
    return side if side < state.people else side - state.people


@compiled()
def may_join(state: EditState, a: int, b: int) -> bool:
    """Whether an edge between the two sides makes sense: no loops, and from a sender to a receiver."""
    if state.sides == state.people:
        return a != b
    return (a < state.people) != (b < state.people) and abs(a - b) != state.people


@compiled()
def _place_of(state: EditState, a: int, b: int) -> int:
    """The place of the pair (a < b) in the table, or the empty place where it belongs."""
    mask = np.uint64(len(state.slot_of) - 1)
    # Two odd factors, one for each end: pairs (a, b) and (a + 1, b - 1) must not meet, as they would in a sum. The last
    # product carries the high bits down to those that the mask takes.
    word = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(b) * np.uint64(0xC2B2AE3D27D4EB4F)
    word ^= word >> np.uint64(29)
    place = np.int64((word * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(20)) & mask)
    while True:
        slot = state.slot_of[place]
        if slot < 0 or (state.left[slot] == a and state.right[slot] == b):
            return int(place)
        place = (place + 1) & np.int64(mask)


@compiled()
def _originally_joined(state: EditState, a: int, b: int) -> bool:
    few, many = shorter_first(state.offsets, a, b)
    return row_has(state.offsets, state.neighbors, few, many)


@compiled()
def joined(state: EditState, a: int, b: int) -> bool:
    """Whether the two sides are joined in the edited graph."""
    if a > b:
        a, b = b, a
    state.counts[EXTRA] += LOOKUP
    slot = state.slot_of[_place_of(state, a, b)]
    # A pair that was touched before is joined if it was an edge or is toggled, but not both.
    if slot >= 0:
        return bool((state.original[slot] ^ state.alive[slot]) == 1)
    return _originally_joined(state, a, b)


@compiled()
def toggle(state: EditState, a: int, b: int) -> None:
    """Add the edge if it is absent, remove it if it is present; an overflow of the table is only flagged."""
    if a > b:
        a, b = b, a
    place = _place_of(state, a, b)
    slot = state.slot_of[place]
    if slot < 0:
        # A slot is never given back: a pair that is toggled twice keeps it, dead, and may come alive again. So a list
        # of slots can be walked while it changes.
        slot = state.counts[SLOTS]
        if slot >= len(state.left):
            state.counts[FULL] = 1
            return
        state.counts[SLOTS] += 1
        state.slot_of[place] = slot
        state.place[slot] = place
        state.left[slot], state.right[slot] = a, b
        state.alive[slot] = 0
        state.original[slot] = 1 if _originally_joined(state, a, b) else 0
        state.following[2 * slot] = state.first[a]
        state.first[a] = 2 * slot
        state.following[2 * slot + 1] = state.first[b]
        state.first[b] = 2 * slot + 1
    state.alive[slot] ^= 1
    state.counts[LIVE] += 1 if state.alive[slot] else -1
    gain = 1 if (state.original[slot] ^ state.alive[slot]) == 1 else -1
    state.residual[a] -= gain
    state.residual[b] -= gain


@compiled()
def neighbor(state: EditState, at: int) -> int:
    """The original neighbor at a place of the rows."""
    return int(np.int64(state.neighbors[at]))


@compiled()
def far_end(state: EditState, half: int) -> int:
    """The other side of a half-slot's pair."""
    return int(state.right[half >> 1] if half & 1 == 0 else state.left[half >> 1])


@compiled()
def mark_joined(state: EditState, mark: Integers, side: int) -> int:
    """Mark the side, its neighbors and the sides it may not join; return the mark."""
    state.counts[STAMP] += 1
    stamp = state.counts[STAMP]
    start, stop = state.offsets[side], state.offsets[side + 1]
    for i in range(start, stop):
        mark[state.neighbors[i]] = stamp
    half = state.first[side]
    while half >= 0:
        state.counts[EXTRA] += 1
        if state.alive[half >> 1]:
            # Stamps begin at 1: an edge that was removed is unmarked by 0, which no stamp is.
            mark[far_end(state, half)] = 0 if state.original[half >> 1] else stamp
        half = state.following[half]
    mark[side] = stamp
    if state.sides != state.people:
        mark[side + state.people if side < state.people else side - state.people] = stamp
    state.counts[WORK] += stop - start + 1
    return int(stamp)


@compiled()
def _opposite(state: EditState, a: int, b: int) -> bool:
    """Whether an edge could run between the two sides as far as their kinds go."""
    return state.sides == state.people or (a < state.people) != (b < state.people)


@compiled()
def _list_needy(state: EditState, sign: int) -> int:
    """List the sides with residuals of this sign; return how many."""
    count = 0
    for side in range(state.sides):
        if state.residual[side] * sign > 0:
            state.needy[count] = side
            count += 1
    state.counts[WORK] += state.sides >> 3
    return count


@compiled()
def _order_needy(state: EditState, keys: Integers, count: int) -> None:
    """Sort the list of needy sides by rising keys."""
    order = np.argsort(keys[:count])
    sorted_sides = state.needy[:count][order]
    state.needy[:count] = sorted_sides
    state.counts[WORK] += 8 * count


@compiled()
def pair_raises(state: EditState, by_slack: bool) -> None:
    """Join needy sides: the largest residual first, to those with the largest residuals or the fewest choices."""
    count = _list_needy(state, 1)
    keys = np.empty(count, np.int64)
    for i in range(count):
        # The residual decides and random low digits break ties, so that one sort does both and trials differ.
        keys[i] = -state.residual[state.needy[i]] * 1024 + below(state.stream, 1024)
    _order_needy(state, keys, count)
    if by_slack:
        _rank_by_choices(state, count)
    for i in range(count):
        side = state.needy[i]
        if state.residual[side] <= 0:
            continue
        if is_tired(state):
            return
        stamp = mark_joined(state, state.mark, side)
        if by_slack:
            _raise_scarcest(state, side, stamp, i + 1, count)
            continue
        j = i + 1
        while j < count and state.residual[side] > 0:
            partner = state.needy[j]
            if state.residual[partner] > 0 and state.mark[partner] != stamp and _opposite(state, side, partner):
                toggle(state, side, partner)
            j += 1
        state.counts[WORK] += j - i


@compiled()
def _rank_by_choices(state: EditState, count: int) -> None:
    """Rank every listed side by how many listed partners it may still get."""
    for i in range(count):
        side = state.needy[i]
        choices = count
        for j in range(state.offsets[side], state.offsets[side + 1]):
            if state.residual[state.neighbors[j]] > 0:
                choices -= 1
        state.counts[WORK] += state.offsets[side + 1] - state.offsets[side]
        # Available partners minus needed ones: the side that can least afford to lose choices is served first.
        state.rank[side] = choices - state.residual[side]


@compiled()
def _raise_scarcest(state: EditState, side: int, stamp: int, start: int, count: int) -> None:
    """Join the side to the listed partners with the fewest choices of their own."""
    partners = np.empty(count - start, np.int64)
    keys = np.empty(count - start, np.int64)
    found = 0
    for j in range(start, count):
        partner = state.needy[j]
        if state.residual[partner] > 0 and state.mark[partner] != stamp and _opposite(state, side, partner):
            partners[found] = partner
            keys[found] = state.rank[partner] * 64 + below(state.stream, 64)
            found += 1
    state.counts[WORK] += count - start + 8 * found
    order = np.argsort(keys[:found])
    for j in range(min(found, state.residual[side])):
        toggle(state, side, partners[order[j]])


@compiled()
def pair_lowers(state: EditState) -> None:
    """Cut edges between sides that have too many: the largest first, from those with the fewest choices."""
    count = _list_needy(state, -1)
    keys = np.empty(count, np.int64)
    for i in range(count):
        side = state.needy[i]
        keys[i] = state.residual[side] * 1024 + below(state.stream, 1024)
        choices = 0
        for j in range(state.offsets[side], state.offsets[side + 1]):
            if state.residual[state.neighbors[j]] < 0:
                choices += 1
        state.counts[WORK] += state.offsets[side + 1] - state.offsets[side]
        state.rank[side] = choices + state.residual[side]
    _order_needy(state, keys, count)
    for i in range(count):
        if state.residual[state.needy[i]] < 0 and not is_tired(state):
            _lower_scarcest(state, state.needy[i])


@compiled()
def _lower_scarcest(state: EditState, side: int) -> None:
    """Cut the side's edges to needy neighbors, those with the fewest choices first."""
    start, stop = state.offsets[side], state.offsets[side + 1]
    partners = np.empty(stop - start, np.int64)
    keys = np.empty(stop - start, np.int64)
    found = 0
    for j in range(start, stop):
        partner = neighbor(state, j)
        if state.residual[partner] < 0 and joined(state, side, partner):
            partners[found] = partner
            keys[found] = state.rank[partner] * 64 + below(state.stream, 64)
            found += 1
    state.counts[WORK] += stop - start + 12 * found
    order = np.argsort(keys[:found])
    for j in range(min(found, -state.residual[side])):
        toggle(state, side, partners[order[j]])


@compiled()
def left_over(state: EditState) -> int:
    """Units that no pair has settled yet."""
    total = 0
    for side in range(state.sides):
        total += abs(state.residual[side])
    state.counts[WORK] += state.sides >> 3
    return total


@compiled()
def _direction(state: EditState, side: int, sign: int) -> int:
    """The column of ``step`` that moves this side's degree by the sign."""
    return (0 if sign > 0 else 1) + (2 if side >= state.people else 0)


@compiled()
def _may_leave(state: EditState, origin: int, goal: int) -> bool:
    """Whether one person may go from one class to another with both still large enough."""
    return bool(goal >= 0 and state.held[origin] > state.k and state.held[goal] >= state.k)


@compiled()
def _stand(state: EditState, person: int, goal: int) -> None:
    state.held[state.standing[person]] -= 1
    state.held[goal] += 1
    state.standing[person] = goal


@compiled()
def reclass(state: EditState, side: int) -> None:
    """Lower the target of a side: if its class can spare it, moving to a nearer class of k or more costs no edit."""
    person = _person(state, side)
    while state.residual[side] != 0:
        sign = 1 if state.residual[side] > 0 else -1
        origin = state.standing[person]
        goal = origin
        moved = 0
        # Back towards the degree that the side has now, to the first class that holds k or more; the outer loop
        # continues from there.
        for units in range(1, abs(state.residual[side]) + 1):
            goal = state.step[goal, _direction(state, side, -sign)]
            if goal < 0:
                break
            if _may_leave(state, origin, goal):
                moved = units
                break
        if moved == 0:
            return
        _stand(state, person, goal)
        state.residual[side] -= sign * moved


@compiled()
def chain_through_edits(state: EditState, sign: int) -> None:
    """Settle two needy sides by one more edit: an edit x-y made before gives way to u-x and v-y."""
    count = _list_needy(state, sign)
    misses = 0
    for i in range(count):
        u = state.needy[i]
        shift = below(state.stream, count - i)
        j = 0
        while j < min(count - i, MOST_TRIED) and state.residual[u] * sign > 0:
            v = state.needy[i + (j + shift) % (count - i)]
            j += 1
            if not _make_two(state, u, v, sign):
                continue
            if _replace_edit(state, u, v, sign):
                misses = 0
                j -= 1
            else:
                misses += 1
            if misses >= MOST_MISSED or is_tired(state):
                return


@compiled()
def _make_two(state: EditState, u: int, v: int, sign: int) -> bool:
    """Whether the two sides (or one of them alone) need two units that a chain or a walk between them settles."""
    if state.residual[v] * sign < (2 if u == v else 1):
        return False
    return state.sides == state.people or (u < state.people) != (v < state.people)


@compiled()
def _replace_edit(state: EditState, u: int, v: int, sign: int) -> bool:
    """Find an edit of the sign whose ends can be joined to (or cut from) u and v instead."""
    u_stamp = mark_joined(state, state.mark, u)
    v_stamp = mark_joined(state, state.other_mark, v)
    slots = state.counts[SLOTS]
    start = below(state.stream, slots) if slots > 0 else 0
    state.counts[WORK] += 4 * slots
    for offset in range(slots):
        slot = start + offset
        if slot >= slots:
            slot -= slots
        if not state.alive[slot] or (state.original[slot] == 1) != (sign < 0):
            continue
        x, y = state.left[slot], state.right[slot]
        # Either end of the edit may be the one that u takes.
        for _ in range(2):
            if (
                x != u
                and y != u
                and x != v
                and y != v
                and _fits(state, state.mark, u_stamp, u, x, sign)
                and _fits(state, state.other_mark, v_stamp, v, y, sign)
            ):
                toggle(state, x, y)
                toggle(state, u, x)
                toggle(state, v, y)
                return True
            x, y = y, x
    return False


@compiled()
def _fits(state: EditState, mark: Integers, stamp: int, side: int, partner: int, sign: int) -> bool:
    """Whether the pair can be added (sign +) or removed (sign -), given the marks of ``side``."""
    if not _opposite(state, side, partner):
        return False
    if sign > 0:
        return bool(mark[partner] != stamp)
    return bool(mark[partner] == stamp) and may_join(state, side, partner)


@compiled()
def rotate(state: EditState, loser: int, winner: int) -> bool:
    """Hand one edge of the loser over to the winner; an edge that is an edit already is handed over for less."""
    stamp = mark_joined(state, state.mark, winner)
    # First an edge that was added before: to move it takes back one edit and makes one, so that the rotation costs
    # nothing.
    half = state.first[loser]
    while half >= 0:
        state.counts[EXTRA] += 1
        partner = far_end(state, half)
        if state.alive[half >> 1] and not state.original[half >> 1] and state.mark[partner] != stamp:
            toggle(state, loser, partner)
            toggle(state, winner, partner)
            return True
        half = state.following[half]
    # Then an edge of the winner that was removed before: to restore it takes back an edit too.
    half = state.first[winner]
    while half >= 0:
        state.counts[EXTRA] += 1
        partner = far_end(state, half)
        removed = state.alive[half >> 1] and state.original[half >> 1]
        if removed and partner != loser and joined(state, loser, partner):
            toggle(state, loser, partner)
            toggle(state, winner, partner)
            return True
        half = state.following[half]
    # Else any original edge of the loser, for two edits.
    start, stop = state.offsets[loser], state.offsets[loser + 1]
    shift = below(state.stream, stop - start) if stop > start else 0
    for i in range(stop - start):
        at = start + i + shift
        if at >= stop:
            at -= stop - start
        partner = neighbor(state, at)
        state.counts[WORK] += 1
        if state.mark[partner] != stamp and joined(state, loser, partner):
            toggle(state, loser, partner)
            toggle(state, winner, partner)
            return True
    return False


@compiled()
def _rotate_all(state: EditState) -> None:
    """Rotate between the sides that have too many and those that have too few."""
    losers = np.empty(state.sides, np.int64)
    for kind in range(0, state.sides, state.people):
        found = 0
        for side in range(kind, kind + state.people):
            if state.residual[side] < 0:
                losers[found] = side
                found += 1
        first = 0
        for winner in range(kind, kind + state.people):
            if state.residual[winner] <= 0:
                continue
            # Losers are settled from the front: later winners begin behind those.
            while first < found and state.residual[losers[first]] >= 0:
                first += 1
            _rotate_to(state, winner, losers[first:found])
    state.counts[WORK] += state.sides >> 2


@compiled()
def _rotate_to(state: EditState, winner: int, losers: Integers) -> None:
    """Hand edges of the losers over to the winner until it has enough."""
    for loser in losers:
        state.counts[EXTRA] += 1
        if is_tired(state):
            return
        while state.residual[winner] > 0 and state.residual[loser] < 0 and not is_tired(state):
            if not rotate(state, loser, winner):
                break
        if state.residual[winner] <= 0:
            return


@compiled()
def _absorb_at(state: EditState, side: int, absorber: int, sign: int) -> bool:
    """Settle one unit with this absorber if its class and the next one allow it."""
    person = _person(state, absorber)
    if state.residual[absorber] != 0:
        return False
    goal = state.step[state.standing[person], _direction(state, absorber, sign)]
    if not _may_leave(state, state.standing[person], goal):
        return False
    _stand(state, person, goal)
    # Its class now asks for the unit that the toggle gives it: it ends settled.
    state.residual[absorber] += sign
    toggle(state, side, absorber)
    return True


@compiled()
def _absorb_losses(state: EditState, side: int) -> None:
    """Cut the side from persons of large classes, each of whom moves to the class below."""
    half = state.first[side]
    while half >= 0 and state.residual[side] < 0:
        state.counts[EXTRA] += 1
        # To cut an added edge takes an edit back.
        if state.alive[half >> 1] and not state.original[half >> 1]:
            _absorb_at(state, side, far_end(state, half), -1)
        half = state.following[half]
    start, length = state.offsets[side], state.offsets[side + 1] - state.offsets[side]
    shift = below(state.stream, length) if length > 0 else 0
    for i in range(length):
        if state.residual[side] == 0 or is_tired(state):
            return
        state.counts[WORK] += 1
        partner = neighbor(state, start + (i + shift) % length)
        if joined(state, side, partner):
            _absorb_at(state, side, partner, -1)


@compiled()
def _absorb_gains(state: EditState, side: int) -> None:
    """Join the side to persons of large classes, each of whom moves to the class above."""
    stamp = mark_joined(state, state.mark, side)
    start = below(state.stream, state.sides)
    misses = 0
    for i in range(state.sides):
        absorber = (start + i) % state.sides
        state.counts[WORK] += 1
        if state.mark[absorber] != stamp and _opposite(state, side, absorber):
            misses = 0 if _absorb_at(state, side, absorber, 1) else misses + 1
        if state.residual[side] == 0 or misses > MOST_ASKED:
            return


@compiled()
def walk(state: EditState, u: int, v: int, sign: int) -> bool:
    """Settle two needy sides of one sign through pairs x-y in the way: u-x, x-y and v-y are toggled.

    The marks of both sides are made once, and kept up to date while they still need two units: otherwise a hub of a
    star would be marked again for every neighbor that it loses.
    """
    u_stamp = mark_joined(state, state.mark, u)
    v_stamp = mark_joined(state, state.other_mark, v)
    origin = 0 if sign > 0 else state.offsets[u]
    length = state.sides if sign > 0 else state.offsets[u + 1] - state.offsets[u]
    start = below(state.stream, length) if length > 0 else 0
    far_length = state.offsets[v + 1] - state.offsets[v]
    state.counts[SOUGHT] = below(state.stream, far_length) if far_length > 0 else 0
    settled = False
    for i in range(length):
        at = origin + (i + start) % length
        x = at if sign > 0 else neighbor(state, at)
        state.counts[EXTRA] += 1
        if is_tired(state):
            return settled
        if x in (u, v) or not _fits(state, state.mark, u_stamp, u, x, sign):
            continue
        y = _middle(state, u, v, x, v_stamp, sign)
        state.counts[WORK] += 2
        if y >= 0:
            toggle(state, u, x)
            toggle(state, x, y)
            toggle(state, v, y)
            settled = True
            if state.residual[u] * sign <= 0 or not _make_two(state, u, v, sign):
                return True
            state.mark[x] = u_stamp if sign > 0 else 0
            state.other_mark[y] = v_stamp if sign > 0 else 0
            if u == v:
                state.mark[y] = u_stamp if sign > 0 else 0
                state.other_mark[x] = v_stamp if sign > 0 else 0
    return settled


@compiled()
def _middle(state: EditState, u: int, v: int, x: int, v_stamp: int, sign: int) -> int:
    """The far end of a pair x-y that can give way, or -1."""
    if sign > 0:
        for i in range(state.offsets[x], state.offsets[x + 1]):
            y = neighbor(state, i)
            state.counts[WORK] += 1
            if y != u and y != v and _fits(state, state.other_mark, v_stamp, v, y, sign) and joined(state, x, y):
                return y
        half = state.first[x]
        while half >= 0:
            state.counts[EXTRA] += 1
            y = far_end(state, half)
            added = state.alive[half >> 1] and not state.original[half >> 1]
            if added and y != u and y != v and _fits(state, state.other_mark, v_stamp, v, y, sign):
                return y
            half = state.following[half]
        return -1
    # Sides that were skipped before are already cut off or rarely fit: the search continues from the last one found.
    start, length, shift = state.offsets[v], state.offsets[v + 1] - state.offsets[v], state.counts[SOUGHT]
    for i in range(length):
        at = (i + shift) % length
        y = neighbor(state, start + at)
        state.counts[WORK] += 1
        fits = y != u and y != x and _fits(state, state.other_mark, v_stamp, v, y, sign)
        if fits and may_join(state, x, y) and not joined(state, x, y):
            state.counts[SOUGHT] = at
            return y
    return -1


@compiled()
def _walk_all(state: EditState) -> None:
    """Settle the remaining units in twos by alternating walks of three pairs."""
    for sign in (1, -1):
        count = _list_needy(state, sign)
        misses = 0
        for i in range(count):
            u = state.needy[i]
            j = i
            while j < count and state.residual[u] * sign > 0 and misses < MOST_MISSED:
                state.counts[EXTRA] += 1
                if is_tired(state):
                    return
                v = state.needy[j]
                if _make_two(state, u, v, sign) and walk(state, u, v, sign):
                    misses = 0
                    continue
                misses += _make_two(state, u, v, sign)
                j += 1


@compiled()
def _absorb_all(state: EditState, sign: int) -> None:
    """Give every unit of the sign that is left to absorbers, as far as there are any."""
    count = _list_needy(state, sign)
    for i in range(count):
        if is_tired(state):
            return
        if sign > 0:
            _absorb_gains(state, state.needy[i])
        else:
            _absorb_losses(state, state.needy[i])


@compiled()
def _absorb_by_rotation(state: EditState, side: int) -> bool:
    """Settle one unit by a rotation with a person of a large class, who moves to the next class."""
    sign = 1 if state.residual[side] > 0 else -1
    start = below(state.stream, state.sides)
    tries = 0
    for i in range(state.sides):
        other = start + i
        if other >= state.sides:
            other -= state.sides
        state.counts[EXTRA] += 1
        if other == side or (other < state.people) != (side < state.people) or state.residual[other] != 0:
            continue
        person = _person(state, other)
        goal = state.step[state.standing[person], _direction(state, other, -sign)]
        if not _may_leave(state, state.standing[person], goal):
            continue
        tries += 1
        if rotate(state, side, other) if sign < 0 else rotate(state, other, side):
            _stand(state, person, goal)
            # The rotation moved its degree by the unit that separates the two classes.
            state.residual[other] = 0
            return True
        if tries >= MOST_TRIED:
            return False
    state.counts[WORK] += state.sides
    return False


@compiled()
def _absorb_rest(state: EditState) -> None:
    """Settle the remaining units one by one."""
    for side in range(state.sides):
        while state.residual[side] != 0:
            if is_tired(state) or not _absorb_by_rotation(state, side):
                return


@compiled()
def settle(state: EditState, best: int, habits: int) -> int:
    """Edit until no side needs anything; return the number of edits, or -1 if it failed or cannot beat ``best``.

    ``habits`` in [0, HABITS) choose how partners are ranked and whether rotations or absorbers come first.
    """
    # One edit settles two units: the cheapest step comes first, and whatever is left costs more for each unit.
    pair_raises(state, habits & 1 == 1)
    pair_lowers(state)
    remaining = left_over(state)
    # A chain settles two units by one more edit, so half of what is left is the least that it will cost.
    if state.counts[LIVE] + (remaining + 1) // 2 > best or state.counts[FULL]:
        return -1
    if remaining > 0:
        for side in range(state.sides):
            if state.residual[side] != 0:
                reclass(state, side)
        chain_through_edits(state, 1)
        chain_through_edits(state, -1)
        _settle_rest(state, habits >> 1)
    if state.counts[FULL] or left_over(state) > 0:
        return -1
    undo_needless(state)
    return int(state.counts[LIVE])


@compiled()
def _settle_rest(state: EditState, habit: int) -> None:
    """Rotations and absorbers cost one edit for one unit, in an order by habit; walks and the rest cost more."""
    if habit == 1:
        _absorb_all(state, -1)
    elif habit == 2:
        _absorb_all(state, 1)
    _rotate_all(state)
    _absorb_all(state, 1)
    _absorb_all(state, -1)
    if left_over(state) > 0:
        _rotate_all(state)
        _walk_all(state)
        _rotate_all(state)
        _absorb_rest(state)


@compiled()
def _shift_both(state: EditState, a: int, b: int, a_goal: int, b_goal: int) -> bool:
    """Move two persons to other classes if every class touched ends empty or large enough."""
    if a_goal < 0 or b_goal < 0:
        return False
    a_origin, b_origin = state.standing[a], state.standing[b]
    _stand(state, a, a_goal)
    _stand(state, b, b_goal)
    for touched in (a_origin, b_origin, a_goal, b_goal):
        # All four are checked after both moves: one class may be left by the first person and reached by the second.
        if 0 < state.held[touched] < state.k:
            _stand(state, a, a_origin)
            _stand(state, b, b_origin)
            return False
    return True


@compiled()
def undo_needless(state: EditState) -> None:
    """Take back every single edit without which all classes are still empty or large enough."""
    # To take an edit back may fill or empty a class and make another one needless: until nothing changes.
    changed = True
    while changed and not is_tired(state):
        changed = False
        for slot in range(state.counts[SLOTS]):
            if not state.alive[slot]:
                continue
            a, b = state.left[slot], state.right[slot]
            sign = 1 if state.original[slot] else -1
            p, q = _person(state, a), _person(state, b)
            a_goal = state.step[state.standing[p], _direction(state, a, sign)]
            b_goal = state.step[state.standing[q], _direction(state, b, sign)]
            if _shift_both(state, p, q, a_goal, b_goal):
                toggle(state, a, b)
                state.residual[a] = 0
                state.residual[b] = 0
                changed = True
        state.counts[WORK] += 4 * state.counts[SLOTS]
