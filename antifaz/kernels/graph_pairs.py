"""Search for groups of persons with similar (out, in) degrees that need the fewest edits (directed graphs).

Pairs of degrees that k persons or more have already are centers from the start. The others are taken from the largest
down: a person joins the nearest center, or founds a group with the k-1 nearest persons who still have none, whichever
is cheaper. A group's target is the median of its members. The weights of persons are varied like prices.
"""

from typing import NamedTuple

import numpy as np
from numba import float64, int64
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled, named
from antifaz.kernels.graph_edit import (
    EXTRA,
    HABITS,
    MOST_TOIL,
    WORK,
    EditState,
    begin_trial,
    forget_edits,
    new_state,
    settle,
)
from antifaz.kernels.graph_search import LINKS, NO_BAR, TRIAL_WORK, Links, keep_edits
from antifaz.kernels.steering import below, fraction

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

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
    """The fewest edits, or -1; the work done; the habits; all steps taken."""
    pairs: Integers
    """The edits."""


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
def _nearest_center(out: int, into: int, in_price: float, centers: Integers, count: int) -> tuple[int, float]:
    best, distance = -1, np.inf
    for c in range(count):
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
    k: int,
    window: int,
    in_price: float,
    near: Integers,
) -> float:
    """List the k nearest persons without a group, the one at ``place`` first; return the mean distance, or infinity."""
    # Insertion into a sorted list: k is small, and most candidates are refused by the first comparison.
    distances = np.full(k, np.inf)
    distances[0] = 0.0
    near[0] = place
    found, seen = 1, 0
    for i in range(place + 1, rare.shape[1]):
        if not free[i]:
            continue
        seen += 1
        if seen > window:
            break
        gap = abs(rare[0, i] - rare[0, place]) + in_price * abs(rare[1, i] - rare[1, place])
        d = gap * weights[i]
        if found == k and d >= distances[k - 1]:
            continue
        at = found if found < k else k - 1
        while at > 1 and distances[at - 1] > d:
            distances[at] = distances[at - 1]
            near[at] = near[at - 1]
            at -= 1
        distances[at] = d
        near[at] = i
        if found < k:
            found += 1
    return distances.sum() / k if found == k else np.inf


@compiled()
def _group(
    state: EditState,
    rare: Integers,
    weights: Reals,
    knobs: Reals,
    window: int,
    centers: Integers,
    fixed: int,
    group: Integers,
) -> int:
    """Put every rare person into a group of k or more (or one of the first ``fixed`` centers); return the centers."""
    persons = rare.shape[1]
    free = np.ones(persons, np.uint8)
    near = np.empty(state.k, np.int64)
    count = fixed
    for place in range(persons):
        if not free[place]:
            continue
        out, into = rare[0, place], rare[1, place]
        center, distance = _nearest_center(out, into, knobs[0], centers, count)
        spread = _nearest_free(rare, weights, free, place, state.k, window, knobs[0], near)
        state.counts[WORK] += count + min(window, persons - place) * (1 + state.k // 16)
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
    fixed: int,
    count: int,
    group: Integers,
    sizes: Integers,
) -> None:
    """Move persons to nearer centers if their group can spare them, then set the centers again."""
    persons = rare.shape[1]
    # The first centers have k persons in addition to the rare ones, who may all leave again.
    sizes[:count] = 0
    sizes[:fixed] = state.k
    for i in range(persons):
        sizes[group[i]] += 1
    for i in range(persons):
        if group[i] >= fixed and sizes[group[i]] <= state.k:
            continue
        center, distance = _nearest_center(rare[0, i], rare[1, i], knobs[0], centers, count)
        own = abs(centers[0, group[i]] - rare[0, i]) + knobs[0] * abs(centers[1, group[i]] - rare[1, i])
        state.counts[WORK] += count
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
def _keep_common(state: EditState, common: Common, class_of: Integers) -> None:
    """Leave the persons with common degrees in their classes: they need nothing."""
    people = state.people
    state.held[:] = 0
    for i in range(len(common.persons)):
        person, own = common.persons[i], class_of[common.pair_of[i]]
        state.standing[person] = own
        state.held[own] += 1
        state.residual[person] = 0
        state.residual[person + people] = 0


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
    group = np.empty(persons, np.int64)
    trial_weights, trial_knobs = np.empty_like(weights), np.empty_like(knobs)
    trials = 0
    while trials < limits.least_trials or (outcome[0] >= 0 and state.counts[WORK] < limits.work):
        if outcome[0] >= 0 and (outcome[0] <= limits.floor or (state.counts[WORK] >= limits.work and trials >= 2)):
            break
        if trials > 0 and state.counts[WORK] + state.counts[EXTRA] > MOST_TOIL:
            break
        habits = below(state.stream, HABITS) if below(state.stream, 4) == 0 else outcome[2]
        _vary_weights(state, weights, trial_weights, knobs, trial_knobs)
        centers[:, :fixed] = common.degrees
        state.counts[WORK] += (people >> 1) + TRIAL_WORK
        trials += 1
        count = _group(state, rare.degrees, trial_weights, trial_knobs, window, centers, fixed, group)
        if count < 0:
            continue
        # As in k-means: persons move to the nearest center and centers to their persons; later rounds change little.
        for _ in range(2):
            _refine(state, rare.degrees, trial_knobs, centers, fixed, count, group, sizes)
        _link_classes(state, centers, count, class_of)
        forget_edits(state)
        begin_trial(state)
        _keep_common(state, common, class_of)
        _send_rare(state, rare, group, centers, class_of)
        bar = int(outcome[0]) if outcome[0] >= 0 else NO_BAR
        edits = settle(state, bar, habits)
        # Equally good weights are kept too: the search drifts along a plateau instead of staying at its first point.
        if edits >= 0 and edits <= bar:
            weights[:] = trial_weights
            knobs[:] = trial_knobs
            outcome[2] = habits
            if edits < bar:
                outcome[0] = edits
                keep_edits(state, pairs)
    outcome[1] += state.counts[WORK]
    outcome[3] += state.counts[WORK] + state.counts[EXTRA]
    return trials
