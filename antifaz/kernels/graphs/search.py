"""Search for the prices whose k-anonymous degree sequence is realized with the fewest edits (undirected graphs)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.graphs.edit import (
    EXTRA,
    FULL,
    HABITS,
    MOST_TOIL,
    SLOTS,
    WORK,
    EditState,
    begin_trial,
    forget_edits,
    new_state,
    settle,
)
from antifaz.kernels.graphs.sequence import MOST_STEPS, choose_sequence
from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import below, fraction
from antifaz.kernels.numba.types import int32, int64, named

Integers = NDArray[np.int64]

LOWEST_PRICE, HIGHEST_PRICE = 50, 20000
"""Prices are integers around 1000."""
TRIAL_WORK = 400
"""Steps that a trial takes even on the smallest graph."""
NO_BAR = 1 << 40
"""More edits than any graph can need."""


class Links(NamedTuple):
    """The graph as CSR rows; of a directed graph the rows of its bipartite double cover."""

    offsets: Integers
    neighbors: NDArray[np.int32]


LINKS = named(Links, int64[::1], int32[::1])


class Degrees(NamedTuple):
    """Who has which degree."""

    order: Integers
    """The persons by descending degree."""
    starts: Integers
    """Where the persons of each distinct degree begin in ``order``."""
    distinct: Integers
    """The distinct degrees, falling."""
    most: int
    """Largest number of persons of one degree in the dynamic program: the others get the target of the majority."""


DEGREES = named(Degrees, int64[::1], int64[::1], int64[::1], int64)


class BestPrices(NamedTuple):
    """The best result so far, passed from one slice of the search to the next."""

    prices: Integers
    """Cost of a unit more and of a unit less, for every distinct degree."""
    outcome: Integers
    """The fewest edits, or -1; the work done; the habits; all steps taken; whether a trial ran out of room."""
    pairs: Integers
    """The edits; as many pairs as there is room for."""


BEST_PRICES = named(BestPrices, int64[:, ::1], int64[::1], int64[:, ::1])


@compiled()
def _vary(state: EditState, prices: Integers, varied: Integers) -> None:
    """Other prices near the given ones: all of one sign, a window of degrees, or every one a little."""
    classes = prices.shape[1]
    # One of eight draws leaves the prices unchanged: then only the order of the edits differs.
    varied[:] = prices
    kind = below(state.stream, 8)
    if kind == 0:
        varied[below(state.stream, 2)] = (varied[0] * (0.6 + fraction(state.stream))).astype(np.int64)
    elif kind <= 4:
        # The square of a fraction favors the highest degrees, which few have and which cost most to change.
        center = int(classes * fraction(state.stream) ** 2)
        width = 1 + below(state.stream, 1 + min(classes, 1 << below(state.stream, 8)))
        for sign in range(2):
            factor = 4.0 ** (2.0 * fraction(state.stream) - 1.0)
            for c in range(max(0, center - width // 2), min(classes, center + (width + 1) // 2)):
                varied[sign, c] = np.int64(varied[sign, c] * factor)
    elif kind <= 6:
        strength = 0.5 ** below(state.stream, 5)
        for sign in range(2):
            for c in range(classes):
                varied[sign, c] = np.int64(varied[sign, c] * 2.0 ** (strength * (2.0 * fraction(state.stream) - 1.0)))
    for sign in range(2):
        for c in range(classes):
            varied[sign, c] = min(max(varied[sign, c], LOWEST_PRICE), HIGHEST_PRICE)


@compiled()
def _nearest_target(targets: Integers, degree: int) -> int:
    nearest = targets[0]
    for target in targets:
        if abs(target - degree) < abs(nearest - degree):
            nearest = target
    return int(nearest)


@compiled()
def _assign(state: EditState, degrees: Degrees, targets: Integers) -> None:
    """Give every person the sequence's target: first each degree's commonest case, then the persons who differ."""
    order, starts, distinct = degrees.order, degrees.starts, degrees.distinct
    state.held[:] = 0
    place = 0
    for c in range(len(distinct)):
        size = starts[c + 1] - starts[c]
        taken = min(size, degrees.most)
        common = _nearest_target(targets[place : place + taken], distinct[c])
        state.held[common] += size
        for i in range(starts[c], starts[c + 1]):
            state.standing[order[i]] = common
            state.residual[order[i]] = common - distinct[c]
        place += taken
    state.counts[WORK] += len(order) >> 2
    # The persons who differ are chosen only now, because the choice depends on the needs of neighbors of every degree.
    place = 0
    for c in range(len(distinct)):
        taken = min(starts[c + 1] - starts[c], degrees.most)
        _assign_others(state, order[starts[c] : starts[c + 1]], distinct[c], targets[place : place + taken])
        place += taken


@compiled()
def _assign_others(state: EditState, members: Integers, degree: int, targets: Integers) -> None:
    """Within one degree: lower those with many needy neighbors, raise those with few."""
    common = state.standing[members[0]]
    others = 0
    for target in targets:
        if target != common:
            others += 1
    if others == 0:
        return
    # A sample is enough to find good ones, and keeps a degree that a million persons have from costing a million.
    asked = min(len(members), 4 * others + 64)
    keys = np.empty(asked, np.int64)
    # Noise of another size in every trial: from a tie-break up to an order that is nearly random.
    noise = 1 << below(state.stream, 10)
    for i in range(asked):
        j = i + below(state.stream, len(members) - i)
        members[i], members[j] = members[j], members[i]
        keys[i] = 256 * _needy_neighbors(state, members[i]) + below(state.stream, noise)
    ranking = np.argsort(keys)
    falling = np.sort(targets)
    low, high = 0, len(falling) - 1
    bottom, top = asked - 1, 0
    while high >= 0 and falling[high] > common:
        _give(state, members[ranking[top]], degree, falling[high])
        high -= 1
        top += 1
    while low < len(falling) and falling[low] < common:
        _give(state, members[ranking[bottom]], degree, falling[low])
        low += 1
        bottom -= 1


@compiled()
def _needy_neighbors(state: EditState, person: int) -> int:
    count = 0
    for i in range(state.offsets[person], state.offsets[person + 1]):
        if state.residual[state.neighbors[i]] != 0:
            count += 1
    state.counts[WORK] += state.offsets[person + 1] - state.offsets[person]
    return count


@compiled()
def _give(state: EditState, person: int, degree: int, target: int) -> None:
    state.held[state.standing[person]] -= 1
    state.held[target] += 1
    state.standing[person] = target
    state.residual[person] = target - degree


@compiled()
def keep_edits(state: EditState, pairs: Integers) -> int:
    """Copy the pairs of the edits in force; return how many."""
    kept = 0
    for slot in range(state.counts[SLOTS]):
        if state.alive[slot]:
            pairs[0, kept] = state.left[slot]
            pairs[1, kept] = state.right[slot]
            kept += 1
    return kept


@compiled(int64(LINKS, DEGREES, int64, int64, int64[:, :, ::1], int64, int64, BEST_PRICES))
def search_prices(
    links: Links,
    degrees: Degrees,
    k: int,
    seed: int,
    grid: Integers,
    work_limit: int,
    floor: int,
    best: BestPrices,
) -> int:
    """Try the prices of the grid, then vary the best ones until the work is spent; return the trials made.

    It also ends when no more than ``floor`` edits are needed. Without any result yet, it continues to the end of the
    grid, or until the slice is used up.
    """
    people = len(links.offsets) - 1
    starts, distinct, most = degrees.starts, degrees.distinct, degrees.most
    prices, outcome, pairs = best.prices, best.outcome, best.pairs
    state = new_state(people, people, k, links.offsets, links.neighbors, people + 1, pairs.shape[1], seed)
    # A class is a degree: next to it are the degrees one above and one below.
    for c in range(people + 1):
        state.step[c, 0] = c + 1 if c + 1 < people else -1
        state.step[c, 1] = c - 1
    places = 0
    for c in range(len(distinct)):
        places += min(starts[c + 1] - starts[c], most)
    values = np.empty(places, np.int64)
    cost = np.empty((2, places), np.int64)
    targets = np.empty(places, np.int64)
    trial_prices = np.empty_like(prices)
    trials = 0
    while outcome[0] < 0 or (outcome[0] > floor and state.counts[WORK] < work_limit):
        if (outcome[0] < 0 and trials >= len(grid)) or state.counts[WORK] + state.counts[EXTRA] > MOST_TOIL:
            break
        habits = outcome[2]
        if trials < HABITS or below(state.stream, 4) == 0:
            habits = below(state.stream, HABITS)
        if trials < len(grid):
            trial_prices[:] = grid[trials]
        else:
            _vary(state, prices, trial_prices)
        place = 0
        for c in range(len(distinct)):
            for _ in range(min(starts[c + 1] - starts[c], most)):
                values[place] = distinct[c]
                cost[0, place] = trial_prices[0, c]
                cost[1, place] = trial_prices[1, c]
                place += 1
        state.counts[WORK] += min(places * k, MOST_STEPS) + TRIAL_WORK
        trials += 1
        if choose_sequence(values, cost[0], cost[1], k, people - 1, True, targets) < 0:
            continue
        forget_edits(state)
        begin_trial(state)
        _assign(state, degrees, targets)
        bar = int(outcome[0]) if outcome[0] >= 0 else NO_BAR
        edits = settle(state, bar, habits)
        # Equally good prices are kept too: the search drifts along a plateau instead of staying at its first point.
        if edits >= 0 and edits <= bar:
            prices[:] = trial_prices
            outcome[2] = habits
            if edits < bar:
                outcome[0] = edits
                keep_edits(state, pairs)
        if state.counts[FULL]:
            # The caller makes more room: other trials would soon end the same way.
            outcome[4] = 1
            break
    outcome[1] += state.counts[WORK]
    outcome[3] += state.counts[WORK] + state.counts[EXTRA]
    return trials
