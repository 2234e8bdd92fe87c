"""Exchange added edges for more plausible ones at the same price.

A published attack distinguishes added edges from real ones because their ends have little in common. If the end of an
added edge can be replaced by a person of the next class, or two added edges can swap ends, no degree class changes;
this is done if the new pairs share more neighbors of the original graph.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.graphs.edit import (
    EXTRA,
    SLOTS,
    STAMP,
    EditState,
    begin_trial,
    is_tired,
    joined,
    may_join,
    neighbor,
    new_state,
    toggle,
)
from antifaz.kernels.graphs.search import keep_edits
from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import below

Integers = NDArray[np.int64]

EXCHANGES = 4
"""Number of other added edges with which each one is compared for a swap of ends."""


@compiled()
def _person_of(state: EditState, side: int) -> int:
    return side if side < state.people else side - state.people


@compiled()
def _mark_persons(state: EditState, mark: Integers, side: int) -> int:
    """Mark the original neighbors of the side; return the mark."""
    state.counts[STAMP] += 1
    for i in range(state.offsets[side], state.offsets[side + 1]):
        mark[_person_of(state, neighbor(state, i))] = state.counts[STAMP]
    state.counts[EXTRA] += 1 + state.offsets[side + 1] - state.offsets[side]
    return int(state.counts[STAMP])


@compiled()
def _shared(state: EditState, mark: Integers, stamp: int, side: int) -> int:
    """How many original neighbors of the side are marked."""
    count = 0
    for i in range(state.offsets[side], state.offsets[side + 1]):
        if mark[_person_of(state, neighbor(state, i))] == stamp:
            count += 1
    state.counts[EXTRA] += 1 + state.offsets[side + 1] - state.offsets[side]
    return count


@compiled()
def _random_neighbor(state: EditState, side: int) -> int:
    start, stop = state.offsets[side], state.offsets[side + 1]
    if start == stop:
        return -1
    return neighbor(state, start + below(state.stream, stop - start))


@compiled()
def _two_steps_away(state: EditState, side: int) -> int:
    """A person two random steps away, as the side that could be joined to this one, or -1."""
    between = _random_neighbor(state, side)
    if between < 0:
        return -1
    if state.sides != state.people:
        # In the double cover a step leads from a sender to a receiver: the walk continues from the same person, on the
        # side that the first step did not use, so that it ends on a side that may be joined to this one.
        between = between - state.people if between >= state.people else between + state.people
    return _random_neighbor(state, between)


@compiled()
def _change_place(state: EditState, kept: int, left: int, other: int, degrees: Integers) -> bool:
    """Whether the person of ``other`` can take over from that of ``left``, each in the other's class."""
    if other in (left, kept) or not may_join(state, kept, other) or joined(state, kept, other):
        return False
    p, q = _person_of(state, left), _person_of(state, other)
    # The edge moves one unit of degree. If the two degrees differ by one and the first loses it, they exchange their
    # degrees, and every class keeps its size.
    if p == q or degrees[other] != degrees[left] - 1:
        return False
    if state.sides == state.people:
        return True
    # A directed class is a pair of degrees: the side that the edge does not touch must be equal for both.
    mirror = state.people if left < state.people else -state.people
    return bool(degrees[left + mirror] == degrees[other + mirror])


@compiled()
def _relocate(state: EditState, slot: int, degrees: Integers, tries: int) -> None:
    """Look among persons two steps away from one end for a better other end."""
    kept, left = state.left[slot], state.right[slot]
    # Either end may be the one that is exchanged.
    if below(state.stream, 2) == 1:
        kept, left = left, kept
    # Neighbors in the original graph count: otherwise added edges could make each other look plausible.
    stamp = _mark_persons(state, state.mark, kept)
    shared = _shared(state, state.mark, stamp, left)
    best = -1
    for _ in range(tries):
        other = _two_steps_away(state, kept)
        if other < 0 or not _change_place(state, kept, left, other, degrees):
            continue
        having = _shared(state, state.mark, stamp, other)
        if having > shared:
            best, shared = other, having
    if best >= 0:
        toggle(state, kept, left)
        toggle(state, kept, best)
        degrees[left] -= 1
        degrees[best] += 1


@compiled()
def _exchange(state: EditState, slot: int, other: int) -> None:
    """Let two added edges exchange their ends if the new pairs share more neighbors."""
    a, b = state.left[slot], state.right[slot]
    c, d = state.left[other], state.right[other]
    if state.sides == state.people and below(state.stream, 2) == 1:
        c, d = d, c
    if a in (c, d) or b in (c, d) or not may_join(state, a, d) or not may_join(state, c, b):
        return
    if joined(state, a, d) or joined(state, c, b):
        return
    a_stamp = _mark_persons(state, state.mark, a)
    c_stamp = _mark_persons(state, state.other_mark, c)
    now = _shared(state, state.mark, a_stamp, b) + _shared(state, state.other_mark, c_stamp, d)
    then = _shared(state, state.mark, a_stamp, d) + _shared(state, state.other_mark, c_stamp, b)
    # Strictly more: swaps without gain would run in circles.
    if then > now:
        toggle(state, a, b)
        toggle(state, c, d)
        toggle(state, a, d)
        toggle(state, c, b)


@compiled()
def _is_addition(state: EditState, slot: int) -> bool:
    return bool(state.alive[slot]) and not state.original[slot]


@compiled(
    "int64(int64[::1], int32[::1], int64, boolean, int64[::1], int64[:, ::1], int64, int64, int64[::1], int64, "
    "int64[:, ::1])"
)
def prefer_plausible(
    offsets: Integers,
    neighbors: NDArray[np.int32],
    people: int,
    directed: bool,
    degrees: Integers,
    edits: Integers,
    tries: int,
    begin: int,
    reached: Integers,
    seed: int,
    better: Integers,
) -> int:
    """Fill ``better`` with edits of the same effect on the degree classes and return how many there are.

    ``degrees`` are those after the edits, by side; they are kept up to date. There are never more edits than before.
    The edits from ``begin`` on are processed, as many as a slice of the work allows; ``reached`` is the end of the
    slice.
    """
    sides = 2 * people if directed else people
    state = new_state(people, sides, 2, offsets, neighbors, 1, better.shape[1], seed)
    for e in range(edits.shape[1]):
        # The table holds the edits first, so that slot numbers are their places in the list.
        toggle(state, edits[0, e], edits[1, e])
    begin_trial(state)
    reached[0] = edits.shape[1]
    for slot in range(begin, edits.shape[1]):
        if is_tired(state):
            reached[0] = slot
            break
        if _is_addition(state, slot) and state.counts[SLOTS] < len(state.left):
            _relocate(state, slot, degrees, tries)
        for _ in range(EXCHANGES):
            other = below(state.stream, state.counts[SLOTS])
            # A swap touches at most two pairs that have no slot yet.
            room = state.counts[SLOTS] + 2 <= len(state.left)
            if room and _is_addition(state, slot) and _is_addition(state, other):
                _exchange(state, slot, other)
    return keep_edits(state, better)
