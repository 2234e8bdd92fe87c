"""Edit a graph to fixed degrees with few edges added and removed.

The steps are those of `graph_edit`, with no node free to change its class: pairs of nodes in need, chains, rotations
and alternating walks of three pairs. The rest is settled by shortest alternating walks, found breadth-first over nodes
and signs. A directed graph is edited as its bipartite double cover.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.graphs.edit import (
    CEILING,
    EXTRA,
    FULL,
    HABITS,
    LIVE,
    WORK,
    EditState,
    forget_edits,
    is_tired,
    joined,
    left_over,
    mark_joined,
    may_join,
    new_state,
    settle,
    toggle,
)
from antifaz.kernels.graphs.search import NO_BAR, keep_edits
from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import below

Integers = NDArray[np.int64]

LEAST_TOIL, TOIL = 500_000, 40
"""Steps after which a trial is abandoned: a constant, plus some for each side and edge end. Then another choice of
degrees is tried, or the graph is built from scratch."""
MOST_FAILED = 4
"""Number of consecutive searches for a walk that may fail before a trial is abandoned."""


@compiled()
def _find_walk(state: EditState, start: int, came: Integers, queue: Integers) -> int:
    """The end of a shortest alternating walk from a side in need, as side · 2 + sign of the last step, or -1.

    ``came`` has for every side and sign of arrival the side and sign before it, or -1; sign 1 is an added pair.
    """
    first = 1 if state.residual[start] > 0 else 0
    came[:] = -1
    head, tail = 0, 1
    # The walk begins as if the pair before had the other sign.
    queue[0] = start * 2 + (1 - first)
    came[queue[0]] = queue[0]
    # Another order in every search: among walks of the same length, trials should not choose the same ones.
    shift = below(state.stream, state.sides)
    while head < tail:
        at = queue[head]
        head += 1
        side, adds = at >> 1, (at & 1) == 0
        stamp = mark_joined(state, state.mark, side)
        state.counts[EXTRA] += state.sides
        if is_tired(state):
            return -1
        for i in range(state.sides):
            other = (i + shift) % state.sides
            here = other * 2 + (1 if adds else 0)
            if came[here] >= 0 or not may_join(state, side, other):
                continue
            if adds == (state.mark[other] == stamp):
                continue
            came[here] = at
            need = state.residual[other] if adds else -state.residual[other]
            # A walk that returns to its start settles two units there, and so needs two.
            if need > (1 if other == start else 0):
                return int(here)
            queue[tail] = here
            tail += 1
    return -1


@compiled()
def _take_walk(state: EditState, start: int, end: int, came: Integers) -> bool:
    """Toggle the pairs of a walk; a walk that meets one of its own pairs again is taken back."""
    at, steps = end, 0
    fits = True
    while came[at] != at:
        before = came[at]
        side, other = before >> 1, at >> 1
        # The search used the graph before the walk: a pair that the walk has toggled already can no longer be toggled
        # as planned.
        if joined(state, side, other) == ((at & 1) == 1):
            fits = False
            break
        toggle(state, side, other)
        steps += 1
        at = before
    if fits:
        return True
    at = end
    for _ in range(steps):
        before = came[at]
        toggle(state, before >> 1, at >> 1)
        at = before
    return False


@compiled()
def _walk_far(state: EditState) -> None:
    """Settle the rest by shortest alternating walks."""
    came = np.empty(2 * state.sides, np.int64)
    queue = np.empty(2 * state.sides + 1, np.int64)
    failed = 0
    for side in range(state.sides):
        while state.residual[side] != 0:
            end = _find_walk(state, side, came, queue)
            if end >= 0 and _take_walk(state, side, end, came):
                failed = 0
                continue
            failed += 1
            if failed >= MOST_FAILED or end < 0 or state.counts[FULL]:
                return


@compiled("int64(int64, int64[::1], int32[::1], int64[::1], int64, int64, int64, int64, int64[:, ::1])")
def edit_to_targets(
    people: int,
    offsets: Integers,
    neighbors: NDArray[np.int32],
    residual: Integers,
    floor: int,
    trials: int,
    work: int,
    seed: int,
    pairs: Integers,
) -> int:
    """Fill ``pairs`` with the fewest edits found by which every side gains its residual; return how many, or -1.

    It ends after a limit of trials or steps of work, or when no fewer than ``floor`` edits are needed.
    """
    sides = len(offsets) - 1
    state = new_state(people, sides, 1, offsets, neighbors, 1, pairs.shape[1], seed)
    best = NO_BAR
    for trial in range(trials):
        if best <= floor or (trial > 0 and state.counts[WORK] + state.counts[EXTRA] > work):
            break
        forget_edits(state)
        state.counts[CEILING] = state.counts[WORK] + state.counts[EXTRA] + LEAST_TOIL + TOIL * (len(neighbors) + sides)
        state.residual[:] = residual
        settle(state, best, trial % HABITS)
        if left_over(state) > 0 and state.counts[LIVE] < best and state.counts[FULL] == 0:
            _walk_far(state)
        if left_over(state) == 0 and state.counts[FULL] == 0 and state.counts[LIVE] < best:
            best = int(state.counts[LIVE])
            keep_edits(state, pairs)
    return best if best < NO_BAR else -1


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1])")
def spend_edges(first: Integers, second: Integers, capacity: Integers, spent: Integers) -> None:
    """Give up edges both of whose ends may still lose one, in the given order, and count by side how many."""
    for edge in range(len(first)):
        a, b = first[edge], second[edge]
        if capacity[a] > spent[a] and capacity[b] > spent[b]:
            spent[a] += 1
            spent[b] += 1
