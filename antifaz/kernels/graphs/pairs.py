"""Search for groups of persons with similar (out, in) degrees that need the fewest edits (directed graphs).

Pairs of degrees that k persons or more have already are centers from the start. The others are taken from the largest
down: a person joins the nearest center, or founds a group with the k-1 nearest persons who still have none, whichever
is cheaper. A group's target is the median of its members. The weights of persons are varied like prices.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.graphs.balance import MOST_ITEMS, balance
from antifaz.kernels.graphs.edit import (
    EXTRA,
    FULL,
    HABITS,
    MOST_TOIL,
    WORK,
    EditState,
    begin_trial,
    forget_edits,
    new_state,
    settle,
)
from antifaz.kernels.graphs.groups import keep_nearest
from antifaz.kernels.graphs.search import LINKS, NO_BAR, TRIAL_WORK, Links, keep_edits
from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import below, fraction
from antifaz.kernels.numba.types import float64, int64, named

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

FINENESS = 64
"""Weighted distances are compared as integers, this many to a unit of degree."""
KNOBS = 4
"""Cells of ``knobs``: price of a unit in relative to one out, preference for joining a center, ranks of out and in
target."""


class Rare(NamedTuple):
    """The persons whose pair of degrees fewer than k have, from the largest degrees down."""

    degrees: Integers
    """Out and in."""
    persons: Integers


RARE = named(Rare, int64[:, ::1], int64[::1])


class Common(NamedTuple):
    """The pairs of degrees that k persons or more have, and who has them."""

    degrees: Integers
    """Out and in, of each pair."""
    persons: Integers
    pair_of: Integers
    """For each of the persons the place of the pair."""


COMMON = named(Common, int64[:, ::1], int64[::1], int64[::1])


class Limits(NamedTuple):
    """When a slice of the search ends."""

    least_trials: int
    work: int
    floor: int
    """Lower bound of the edits: the search stops when it is reached."""


LIMITS = named(Limits, int64, int64, int64)


class BestWeights(NamedTuple):
    """The best result so far, passed from one slice of the search to the next."""

    weights: Reals
    """Cost of a unit for each rare person."""
    knobs: Reals
    outcome: Integers
    """The fewest edits, or -1; the work done; the habits; all steps taken; whether a trial ran out of room."""
    pairs: Integers
    """The edits; as many pairs as there is room for."""


BEST_WEIGHTS = named(BestWeights, float64[::1], float64[::1], int64[::1], int64[:, ::1])


@compiled()
def _vary_weights(state: EditState, weights: Reals, varied: Reals, knobs: Reals, varied_knobs: Reals) -> None:
    """Other weights and knobs near the given ones."""
    varied[:] = weights
    varied_knobs[:] = knobs
    kind = below(state.stream, 8)
    if kind <= 1:
        # Factors are powers of two around one, so that raising and lowering are equally likely.
        knob = below(state.stream, KNOBS)
        factor = 2.0 ** (fraction(state.stream) - 0.5)
        varied_knobs[knob] = varied_knobs[knob] * factor
        # A rank far from the median would move most members of a group.
        varied_knobs[2] = min(max(varied_knobs[2], 0.2), 0.8)
        varied_knobs[3] = min(max(varied_knobs[3], 0.2), 0.8)
    elif kind <= 5:
        # The square of a fraction favors the largest degrees, which stand first and cost most.
        center = int(len(weights) * fraction(state.stream) ** 2)
        width = 1 + below(state.stream, 1 + min(len(weights), 1 << below(state.stream, 10)))
        factor = 4.0 ** (2.0 * fraction(state.stream) - 1.0)
        for i in range(max(0, center - width // 2), min(len(weights), center + (width + 1) // 2)):
            varied[i] = min(max(varied[i] * factor, 0.05), 20.0)
    else:
        strength = 0.5 ** below(state.stream, 4)
        for i in range(len(weights)):
            factor = 2.0 ** (strength * (2.0 * fraction(state.stream) - 1.0))
            varied[i] = min(max(varied[i] * factor, 0.05), 20.0)


@compiled()
def _rank_centers(centers: Integers, count: int, ranking: Integers) -> None:
    """List the centers by falling sum of their degrees."""
    ranking[:count] = np.argsort(-(centers[0, :count] + centers[1, :count]), kind="mergesort")


@compiled()
def _rank_last(centers: Integers, count: int, ranking: Integers) -> None:
    """Put the last center into the ranking, near its end: groups are founded from the largest degrees down."""
    own = centers[0, count - 1] + centers[1, count - 1]
    at = count - 1
    while at > 0 and centers[0, ranking[at - 1]] + centers[1, ranking[at - 1]] < own:
        ranking[at] = ranking[at - 1]
        at -= 1
    ranking[at] = count - 1


@compiled()
def _nearest_center(
    state: EditState, out: int, into: int, in_price: float, centers: Integers, ranking: Integers, count: int
) -> tuple[int, float]:
    """The nearest center and its distance; only those are compared whose sum of degrees is near enough."""
    own = out + into
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        if centers[0, ranking[middle]] + centers[1, ranking[middle]] > own:
            low = middle + 1
        else:
            high = middle
    before, after = low - 1, low
    best, distance = -1, np.inf
    # The distance of two pairs is at least the difference of their sums, at the price of the cheaper unit.
    least = min(1.0, in_price)
    while before >= 0 or after < count:
        above = np.inf if before < 0 else float(centers[0, ranking[before]] + centers[1, ranking[before]] - own)
        below_it = np.inf if after >= count else float(own - centers[0, ranking[after]] - centers[1, ranking[after]])
        if min(above, below_it) * least >= distance:
            break
        if above < below_it:
            c = ranking[before]
            before -= 1
        else:
            c = ranking[after]
            after += 1
        state.counts[WORK] += 1
        d = abs(centers[0, c] - out) + in_price * abs(centers[1, c] - into)
        if d < distance:
            best, distance = c, d
    return best, distance


@compiled()
def _nearest_free(
    rare: Integers,
    weights: Reals,
    free: NDArray[np.uint8],
    place: int,
    in_price: float,
    seen: Integers,
    near: Integers,
) -> float:
    """List the nearest persons without a group, the one at ``place`` first; return the mean distance, or infinity."""
    near[0] = place
    found = 0
    for i in range(place + 1, rare.shape[1]):
        if not free[i]:
            continue
        gap = abs(rare[0, i] - rare[0, place]) + in_price * abs(rare[1, i] - rare[1, place])
        seen[0, found] = np.int64(gap * weights[i] * FINENESS)
        seen[1, found] = i
        found += 1
        if found == seen.shape[1]:
            break
    if found < len(near) - 1:
        return np.inf
    return keep_nearest(seen[0], seen[1], found, seen[2], near) / (FINENESS * len(near))


@compiled()
def _group(
    state: EditState,
    rare: Integers,
    weights: Reals,
    knobs: Reals,
    window: int,
    centers: Integers,
    ranking: Integers,
    fixed: int,
    group: Integers,
) -> int:
    """Put every rare person into a group of k or more (or one of the first ``fixed`` centers); return the centers."""
    persons = rare.shape[1]
    free = np.ones(persons, np.uint8)
    near = np.empty(state.k, np.int64)
    # In windows of thousands, the next persons have nearly the same spread: it is computed once for some of them.
    alike, ready = state.k // window, 0
    window = max(window, 2 * state.k)
    seen = np.empty((3, window), np.int64)
    count, spread = fixed, np.inf
    _rank_centers(centers, count, ranking)
    for place in range(persons):
        if not free[place]:
            continue
        out, into = rare[0, place], rare[1, place]
        center, distance = _nearest_center(state, out, into, knobs[0], centers, ranking, count)
        if ready > 0 and center >= 0 and weights[place] * distance <= knobs[1] * spread:
            ready -= 1
            group[place] = center
            free[place] = 0
            continue
        ready = alike
        spread = _nearest_free(rare, weights, free, place, knobs[0], seen, near)
        state.counts[WORK] += 2 * min(window, persons - place)
        if center >= 0 and (spread == np.inf or weights[place] * distance <= knobs[1] * spread):
            group[place] = center
            free[place] = 0
            continue
        if spread == np.inf:  # Fewer than k are left and there is no center: this trial has no grouping.
            return -1
        for member in near:
            group[member] = count
            free[member] = 0
        _set_center(rare, near, knobs, centers, count)
        count += 1
        _rank_last(centers, count, ranking)
    return count


@compiled()
def _set_center(rare: Integers, members: Integers, knobs: Reals, centers: Integers, c: int) -> None:
    """The center of a group is a rank (about the median) of its members' degrees."""
    for side in range(2):
        values = np.sort(rare[side][members])
        centers[side, c] = values[min(len(values) - 1, int(knobs[2 + side] * len(values)))]


@compiled()
def _refine(
    state: EditState,
    rare: Integers,
    knobs: Reals,
    centers: Integers,
    ranking: Integers,
    fixed: int,
    count: int,
    group: Integers,
    sizes: Integers,
) -> None:
    """Move persons to nearer centers if their group can spare them, then set the centers again."""
    persons = rare.shape[1]
    # The first centers have k persons in addition to the rare ones, who may all leave again.
    _rank_centers(centers, count, ranking)
    sizes[:count] = 0
    sizes[:fixed] = state.k
    for i in range(persons):
        sizes[group[i]] += 1
    for i in range(persons):
        if group[i] >= fixed and sizes[group[i]] <= state.k:
            continue
        center, distance = _nearest_center(state, rare[0, i], rare[1, i], knobs[0], centers, ranking, count)
        own = abs(centers[0, group[i]] - rare[0, i]) + knobs[0] * abs(centers[1, group[i]] - rare[1, i])
        if distance < own:
            sizes[group[i]] -= 1
            sizes[center] += 1
            group[i] = center
    order = np.argsort(group, kind="mergesort")
    start = 0
    while start < persons:
        stop = start
        while stop < persons and group[order[stop]] == group[order[start]]:
            stop += 1
        if group[order[start]] >= fixed:
            _set_center(rare, order[start:stop], knobs, centers, group[order[start]])
        start = stop


@compiled()
def _link_classes(state: EditState, centers: Integers, count: int, class_of: Integers) -> None:
    """Number the distinct centers as classes and list which classes are one degree apart."""
    # A pair of degrees as one number: a degree is at most the number of people, so no two pairs share one.
    width = np.int64(state.people + 1)
    keys = centers[0, :count] * width + centers[1, :count]
    distinct = np.unique(keys)
    state.counts[WORK] += 8 * count
    for c in range(count):
        class_of[c] = np.searchsorted(distinct, keys[c])
    # Two groups may have come to the same center: they are one class, which makes it only easier to keep k in it.
    moves = (width, -width, np.int64(1), np.int64(-1))
    for c in range(len(distinct)):
        for direction in range(4):
            state.step[c, direction] = -1
            goal = distinct[c] + moves[direction]
            at = np.searchsorted(distinct, goal)
            if at < len(distinct) and distinct[at] == goal:
                state.step[c, direction] = at


@compiled()
def _keep_common(state: EditState, common: Common, centers: Integers, class_of: Integers) -> None:
    """Leave the persons with common degrees in their classes: they need nothing, unless the whole class has moved."""
    people = state.people
    state.held[:] = 0
    for i in range(len(common.persons)):
        person, pair = common.persons[i], common.pair_of[i]
        state.standing[person] = class_of[pair]
        state.held[class_of[pair]] += 1
        state.residual[person] = centers[0, pair] - common.degrees[0, pair]
        state.residual[person + people] = centers[1, pair] - common.degrees[1, pair]


@compiled()
def _send_rare(state: EditState, rare: Rare, group: Integers, centers: Integers, class_of: Integers) -> None:
    """Put every rare person into the class of its group, with a need equal to the distance to its center."""
    for i in range(len(rare.persons)):
        person, center = rare.persons[i], group[i]
        state.standing[person] = class_of[center]
        state.held[class_of[center]] += 1
        # A person's two sides: the one that sends, and ``people`` further on the one that receives.
        state.residual[person] = centers[0, center] - rare.degrees[0, i]
        state.residual[person + state.people] = centers[1, center] - rare.degrees[1, i]


@compiled(int64(LINKS, RARE, COMMON, int64, int64, int64, LIMITS, BEST_WEIGHTS))
def search_groups(
    links: Links, rare: Rare, common: Common, k: int, window: int, seed: int, limits: Limits, best: BestWeights
) -> int:
    """Group and edit under varied weights until the work is spent; return the trials made.

    A group is founded among the next ``window`` rare persons without one.
    """
    weights, knobs, outcome, pairs = best.weights, best.knobs, best.outcome, best.pairs
    people = (len(links.offsets) - 1) // 2
    persons, fixed = len(rare.persons), common.degrees.shape[1]
    most = fixed + persons // k + 1
    state = new_state(people, 2 * people, k, links.offsets, links.neighbors, most, pairs.shape[1], seed)
    centers = np.empty((2, most), np.int64)
    class_of = np.empty(most, np.int64)
    sizes = np.empty(most, np.int64)
    ranking = np.empty(most, np.int64)
    group = np.empty(persons, np.int64)
    trial_weights, trial_knobs = np.empty_like(weights), np.empty_like(knobs)
    common_sizes = np.zeros(fixed, np.int64)
    for pair in common.pair_of:
        common_sizes[pair] += 1
    trials = 0
    while trials < limits.least_trials or (outcome[0] >= 0 and state.counts[WORK] < limits.work):
        if outcome[0] >= 0 and (outcome[0] <= limits.floor or (state.counts[WORK] >= limits.work and trials >= 2)):
            break
        if trials > 0 and state.counts[WORK] + state.counts[EXTRA] > MOST_TOIL:
            break
        habits = below(state.stream, 2 * HABITS) if below(state.stream, 4) == 0 else outcome[2]
        if outcome[0] < 0:
            habits = habits % HABITS + (HABITS if trials & 1 == 0 else 0)
        _vary_weights(state, weights, trial_weights, knobs, trial_knobs)
        centers[:, :fixed] = common.degrees
        state.counts[WORK] += (people >> 1) + TRIAL_WORK
        trials += 1
        count = _group(state, rare.degrees, trial_weights, trial_knobs, window, centers, ranking, fixed, group)
        if count < 0:
            continue
        # As in k-means: persons move to the nearest center and centers to their persons; later rounds change little.
        for _ in range(2):
            _refine(state, rare.degrees, trial_knobs, centers, ranking, fixed, count, group, sizes)
        # Persons of large classes who move to the next one can settle what unequal sums leave open, for fewer edits;
        # where no two classes are one degree apart, there are none. So it is tried both ways.
        if habits >= HABITS:
            balance(rare.degrees, group, common.degrees, common_sizes, centers, count, 0, people - 1)
            state.counts[WORK] += persons + count + MOST_ITEMS * k
        _link_classes(state, centers, count, class_of)
        forget_edits(state)
        begin_trial(state)
        _keep_common(state, common, centers, class_of)
        _send_rare(state, rare, group, centers, class_of)
        bar = int(outcome[0]) if outcome[0] >= 0 else NO_BAR
        edits = settle(state, bar, habits % HABITS)
        # Equally good weights are kept too: the search drifts along a plateau instead of staying at its first point.
        if edits >= 0 and edits <= bar:
            weights[:] = trial_weights
            knobs[:] = trial_knobs
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
