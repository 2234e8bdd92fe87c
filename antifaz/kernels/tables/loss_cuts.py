"""Loss cuts: divide records into classes by the cuts that lower the information loss most.

One pass over a part counts, for every column and every value, its records and computes their span on all columns.
Unions from both ends of an order of the values then price each cut of that column without reading the records again.
Three families are priced: values in their own order, values by falling frequency, and one value (or one subtree of a
hierarchy) against the rest. With an ejection price, a side too small to be a class may be set aside at that price per
record; the caller divides what was set aside in a further round.

A call returns when its budget of work is used up, if need be in the middle of a part: rules about sensitive values read
all its records for each of hundreds of cuts. Their answers and the costs of sides are noted, and the next call goes the
same way from note to note until it comes to what is not known yet.

Guarantees: every class that is written satisfies the conditions; records set aside are marked -1.
Cost: O(n q (q + words) log(n / k)) for n records and q columns.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.spans import (
    BUCKETS,
    SPACE,
    Space,
    add_record,
    copy_record,
    copy_span,
    find_losses,
    joined_loss,
    span_width,
    unite,
)
from antifaz.kernels.numba.types import float64, int32, int64, named, void
from antifaz.kernels.tables.conditions import CONDITIONS, Conditions, Tally, make_tally, part_holds

CANDIDATES = 3
"""Number of cuts that the look-ahead compares."""
SAMPLE = 8_192
"""A part that is priced by sample is priced on about this number of its records, evenly spaced."""
CARVE_LIMIT = 4_000_000
"""Carving is not tried if records times class size exceed this."""
SMALLEST_GAIN = 1e-9
NOTED_COSTS = 2 * CANDIDATES
"""The first notes about a part: the costs of both sides of each candidate cut, NaN if not known yet."""
MOST_NOTES = 1 << 18
"""Room for notes; a part with more questions than this is finished in one call."""
BUDGET, KNOWN, CURSOR, STOPPED, MADE = 3, 4, 5, 6, 7
"""Places of a division's state: work left in this call, answers noted about the part, how many of them were read again,
whether the call must return, and notes made in it."""


class Bench(NamedTuple):
    """Scratch memory of one run; a slot stands for one value (or stretch of values) of one column."""

    bases: NDArray[np.int64]
    """The first slot of each column."""
    lows: NDArray[np.int64]
    """Lowest code of the part in each column that is tabulated in stretches."""
    lengths: NDArray[np.int64]
    """How many codes the part covers in such a column; 0 where the slots are the codes themselves."""
    counts: NDArray[np.int64]
    spans: NDArray[np.int64]
    touched: NDArray[np.int64]
    """For every column, from its base on, the slots in use, in the order that is being priced."""
    used: NDArray[np.int64]
    ranks: NDArray[np.int64]
    """Shape (2, slots): the rank of each slot by value and by frequency."""
    unions: NDArray[np.int64]
    """Shape (3, slots + 1, words): the slots before each rank, those from it on, and all but the one of that rank."""
    losses: NDArray[np.float64]
    """Shape (4, slots + 1): the losses of the unions, and of the slots alone."""
    few: NDArray[np.int64]
    """Room for a record (0), a subtree or carved class (1) and the rest (2)."""
    sides: NDArray[np.uint8]
    """Shape (CANDIDATES + 2, records): on which side of each candidate cut every record of the part lies; the last
    row is for cuts under trial."""
    gains: NDArray[np.float64]
    """The gain of each candidate cut, or `SMALLEST_GAIN`."""
    tally: Tally
    state: NDArray[np.int64]
    notes: NDArray[np.float64]
    """What is known about the part that is being divided: costs, then answers."""


class Settings(NamedTuple):
    """How thoroughly to divide, and how far in one call."""

    candidates: int
    """Cuts that the look-ahead compares; 1: no look-ahead."""
    sample_above: int
    """Size above which parts are priced by sample."""
    budget: int
    """Approximate number of records to process before the call returns."""
    largest: int
    """Records of the largest part."""


SETTINGS = named(Settings, int64, int64, int64, int64)


class Part(NamedTuple):
    """The records ``start`` to ``stop`` of the matrix, or those of them that a cut put on one side."""

    start: int
    stop: int
    row: int
    """The row of ``Bench.sides`` that marks the records of the part."""
    side: int
    """The part has the records with this mark, or all if -1."""
    stride: int
    """One of this number of records is tabulated."""


class Cut(NamedTuple):
    """The records whose slot in ``column`` has a rank in [first, last) against the others."""

    gain: float
    column: int
    order: int
    first: int
    last: int


@compiled()
def make_bench(space: Space, conditions: Conditions, records: int, state: Any, notes: Any) -> Bench:
    """Memory enough for parts of up to ``largest`` records."""
    columns = len(space.capacities)
    bases = np.zeros(columns + 1, np.int64)
    lengths = np.zeros(columns, np.int64)
    for column in range(columns):
        capacity = space.capacities[column]
        # A column with very many codes would need more memory and time for its slots than the records themselves: it is
        # tabulated in stretches, and cut only between two of them; in smaller parts the stretches are shorter.
        if column < len(space.scales) and capacity > BUCKETS:
            capacity = np.int64(BUCKETS)
            lengths[column] = 1
        bases[column + 1] = bases[column] + capacity
    slots = bases[columns]
    width = span_width(space)
    return Bench(
        bases,
        np.zeros(columns, np.int64),
        lengths,
        np.zeros(slots, np.int64),
        np.zeros((slots, width), np.int64),
        np.zeros(slots, np.int64),
        np.zeros(columns, np.int64),
        np.zeros((2, slots), np.int64),
        np.zeros((3, slots + 1, width), np.int64),
        np.zeros((4, slots + 1), np.float64),
        np.zeros((3, width), np.int64),
        np.zeros((CANDIDATES + 2, records), np.uint8),
        np.zeros(CANDIDATES, np.float64),
        make_tally(conditions),
        state,
        notes,
    )


@compiled(inlined=True)
def slot_of(code: Any, base: int, low: int, length: int) -> Any:
    """The slot of a code in a column whose part starts at ``low`` and has ``length`` codes (0: slots are codes)."""
    if length == 0:
        return base + code
    # A sample may have missed the lowest and the highest codes: they go to the stretches at the ends.
    offset = min(max(code - low, 0), length - 1)
    return base + (offset * BUCKETS // length if length > BUCKETS else offset)


@compiled(inlined=True)
def measure_wide_columns(matrix: Any, part: Part, marks: Any, lows: Any, lengths: Any) -> None:
    """Note the lowest code and the length of the part in every column that is tabulated in stretches."""
    for column in range(len(lengths)):
        if lengths[column] > 0:
            low, high = np.int64(matrix[part.start, column]), np.int64(-1)
            for record in range(part.start, part.stop, part.stride):
                if part.side < 0 or marks[record - part.start] == part.side:
                    code = np.int64(matrix[record, column])
                    low = code if high < 0 else min(low, code)
                    high = max(high, code)
            lows[column] = low
            lengths[column] = max(high - low + 1, 1)


@compiled(inlined=True)
def tabulate_records(space: Space, bench: Bench, matrix: Any, part: Part, marks: Any) -> int:
    """Count the records of each slot and compute their span; return how many records were seen."""
    # Read before the loop: an array that is taken out of a tuple inside it counts a reference every time.
    words, shifts, one, touched, used = space.words, space.shifts, bench.few, bench.touched, bench.used
    bases, lows, lengths, counts, spans = bench.bases, bench.lows, bench.lengths, bench.counts, bench.spans
    columns = matrix.shape[1]
    intervals = columns - len(shifts)
    width = spans.shape[1]
    seen = 0
    for record in range(part.start, part.stop, part.stride):
        if part.side >= 0 and marks[record - part.start] != part.side:
            continue
        seen += 1
        copy_record(one, 0, matrix, record, words, shifts)
        for column in range(columns):
            slot = slot_of(np.int64(matrix[record, column]), bases[column], lows[column], lengths[column])
            if counts[slot] == 0:
                touched[bases[column] + used[column]] = slot
                used[column] += 1
                for word in range(width):
                    spans[slot, word] = one[0, word]
            else:
                for word in range(intervals):
                    spans[slot, word] = min(spans[slot, word], one[0, word])
                for word in range(intervals, 2 * intervals):
                    spans[slot, word] = max(spans[slot, word], one[0, word])
                for word in range(2 * intervals, width):
                    spans[slot, word] |= one[0, word]
            counts[slot] += 1
    return seen


@compiled()
def tabulate(space: Space, bench: Bench, matrix: Any, part: Part) -> int:
    """Fill the slots from the records of a part; return how many records were seen."""
    for column in range(matrix.shape[1]):
        # Only slots that the last part used are reset.
        for index in range(bench.used[column]):
            bench.counts[bench.touched[bench.bases[column] + index]] = 0
        bench.used[column] = 0
    marks = bench.sides[part.row]
    measure_wide_columns(matrix, part, marks, bench.lows, bench.lengths)
    return tabulate_records(space, bench, matrix, part, marks)


@compiled(inlined=True)
def loss_of_tabulated(space: Space, bench: Bench) -> Any:
    """The loss per record of the part that was last tabulated."""
    few, losses, intervals = bench.few, bench.losses[0], len(space.scales)
    # Every record has a slot in each column, so that the slots of one column together cover the whole part.
    copy_span(few, 2, bench.spans, bench.touched[0])
    for index in range(1, bench.used[0]):
        unite(few, 2, few, 2, bench.spans, bench.touched[index], intervals)
    find_losses(space, few, 2, 3, losses)
    return losses[2]


@compiled(inlined=True)
def sort_slots(slots: Any, counts: Any, order: int) -> None:
    """Put slots in the order of values (0) or of falling frequency (1), by Shell's sort: most lists are short."""
    gap = 1
    while gap < len(slots) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for index in range(gap, len(slots)):
            slot = slots[index]
            place = index
            while place >= gap and precedes(slot, slots[place - gap], counts, order):
                slots[place] = slots[place - gap]
                place -= gap
            slots[place] = slot
        gap //= 3


@compiled(inlined=True)
def precedes(first: int, second: int, counts: Any, order: int) -> Any:
    """Whether a slot comes before another; equal frequencies keep the order of values."""
    if order == 1 and counts[first] != counts[second]:
        return counts[first] > counts[second]
    return first < second


@compiled()
def rank_slots(slots: Any, counts: Any, ranks: Any, order: int, base: int, stop: int, sampled: bool) -> None:
    """Rank sorted slots. After a sample an unseen slot ranks by value as the seen one below it, and has no rank by
    frequency."""
    for index in range(len(slots)):
        ranks[slots[index]] = index
    if sampled:
        rank = 0 if order == 0 else -1
        for slot in range(base, stop):
            if counts[slot] == 0:
                ranks[slot] = rank
            elif order == 0:
                rank = ranks[slot]


@compiled()
def unite_slots(spans: Any, slots: Any, unions: Any, intervals: int) -> None:
    """Unite sorted slots: row 0 those before each rank, row 1 those from it on."""
    used = len(slots)
    # Unions from both ends: the unions before and behind each boundary follow from its neighbor, so no boundary reads
    # the records again.
    before, after = unions[0], unions[1]
    copy_span(before, 1, spans, slots[0])
    for index in range(1, used - 1):
        unite(before, index + 1, before, index, spans, slots[index], intervals)
    copy_span(after, used - 1, spans, slots[used - 1])
    for index in range(used - 2, 0, -1):
        unite(after, index, after, index + 1, spans, slots[index], intervals)


@compiled()
def price_boundaries(
    space: Space, counts: Any, slots: Any, seen: int, least: int, ejecting: bool, unions: Any, losses: Any
) -> None:
    """Find the losses on both sides of each boundary, as far as the side is large enough to be a class."""
    used = len(slots)
    # Sides that are too small to be a class cost their price of ejection or rule the cut out: their losses are not
    # needed.
    first, last, before = used, 0, 0
    for index in range(1, used):
        before += counts[slots[index - 1]]
        if before >= least and first == used:
            first = index
        if seen - before >= least:
            last = index
    find_losses(space, unions[0], first, used if ejecting else last + 1, losses[0])
    find_losses(space, unions[1], 1 if ejecting else first, last + 1, losses[1])


@compiled()
def price_singles(
    space: Space,
    spans: Any,
    counts: Any,
    slots: Any,
    seen: int,
    least: int,
    ejecting: bool,
    unions: Any,
    losses: Any,
    intervals: int,
) -> None:
    """Find the losses of each slot alone (row 3) and of all others (row 2), as far as they may be classes."""
    before, after, rest = unions[0], unions[1], unions[2]
    kept = 0
    for index in range(1, len(slots) - 1):
        count = counts[slots[index]]
        if seen - count >= least and (count >= least or ejecting):
            # All but one slot are those before it and those behind it. They are written side by side, so that losses
            # are found in one call, and moved to their ranks afterwards.
            unite(rest, kept, before, index, after, index + 1, intervals)
            kept += 1
    find_losses(space, rest, 0, kept, losses[3])
    kept = 0
    for index in range(1, len(slots) - 1):
        count = counts[slots[index]]
        if seen - count >= least and (count >= least or ejecting):
            losses[2, index] = losses[3, kept]
            kept += 1
    for index in range(1, len(slots) - 1):
        copy_span(rest, index, spans, slots[index])
    last = 1
    # Slots are sorted by descending frequency: after the first that is too small, all are.
    while last < len(slots) - 1 and counts[slots[last]] >= least:
        last += 1
    find_losses(space, rest, 1, last, losses[3])


@compiled(inlined=True)
def side_cost(size: int, loss: float, least: int, price: float) -> float:
    """The cost of a side: its loss as a class, or the price of setting it aside if it is too small."""
    if size >= least:
        return size * loss
    return size * price if price > 0.0 else np.inf


@compiled(inlined=True)
def mark_sides(
    matrix: Any, part: Part, marks: Any, cut: Cut, base: int, low: int, length: int, ranks: Any, sides: Any
) -> tuple[int, int]:
    """Mark the records inside a cut by 1, outside by 0, and those not of the part by 2; count the first two."""
    inner, outer = 0, 0
    for record in range(part.start, part.stop):
        if part.side >= 0 and marks[record - part.start] != part.side:
            sides[record - part.start] = 2
            continue
        rank = ranks[slot_of(np.int64(matrix[record, cut.column]), base, low, length)]
        inside = cut.first <= rank < cut.last
        sides[record - part.start] = 1 if inside else 0
        inner += 1 if inside else 0
        outer += 0 if inside else 1
    return inner, outer


@compiled()
def mark_cut(bench: Bench, matrix: Any, part: Part, cut: Cut, row: int) -> tuple[int, int]:
    """Mark the sides of a cut in a row of ``bench.sides`` and count them."""
    return mark_sides(
        matrix,
        part,
        bench.sides[part.row],
        cut,
        bench.bases[cut.column],
        bench.lows[cut.column],
        bench.lengths[cut.column],
        bench.ranks[cut.order],
        bench.sides[row],
    )


@compiled()
def sides_hold(bench: Bench, conditions: Conditions, order: Any, part: Part, row: int, inner: int, outer: int) -> bool:
    """Whether each side that is large enough to be a class satisfies the rules about sensitive values."""
    least, tally, marks = conditions.least, bench.tally, bench.sides[row]
    if inner >= least and not part_holds(conditions, tally, order, part.start, part.stop, marks, 1):
        return False
    return outer < least or part_holds(conditions, tally, order, part.start, part.stop, marks, 0)


@compiled(inlined=True)
def runs_out(state: Any, notes: Any) -> Any:
    """Whether the call must return before more work is done; it never does without having made progress."""
    if state[BUDGET] <= 0 and state[MADE] > 0 and NOTED_COSTS + state[KNOWN] < len(notes):
        state[STOPPED] = 1
    return state[STOPPED] == 1


@compiled()
def cut_allowed(bench: Bench, conditions: Conditions, matrix: Any, order: Any, part: Part, cut: Cut) -> Any:
    """Whether a cut that has the sizes it needs satisfies the other rules too; False once the call must return."""
    state, notes = bench.state, bench.notes
    place = NOTED_COSTS + state[CURSOR]
    if state[STOPPED] == 0 and state[CURSOR] < state[KNOWN]:
        state[CURSOR] += 1
        return notes[place] > 0.0
    if runs_out(state, notes):
        return False
    # A rule reads the records of both sides; this is less work than to tabulate them.
    state[BUDGET] -= 1 + (part.stop - part.start) * (1 + 2 * len(conditions.kinds)) // 8
    inner, outer = mark_cut(bench, matrix, part, cut, CANDIDATES + 1)
    answer = sides_hold(bench, conditions, order, part, CANDIDATES + 1, inner, outer)
    if place < len(notes):
        notes[place] = 1.0 if answer else 0.0
        state[KNOWN] += 1
        state[CURSOR] += 1
        state[MADE] += 1
    return answer


@compiled()
def best_of_order(
    bench: Bench, conditions: Conditions, matrix: Any, order: Any, part: Part, whole: float, price: float, best: Cut
) -> Cut:
    """Price each boundary of the sorted slots and, by frequency, each slot against the rest.

    ``best.column`` and ``best.order`` state what is sorted; the result has the best gain and its ranks, with ``last`` 0
    if nothing is better than the given gain.
    """
    base, used = bench.bases[best.column], bench.used[best.column]
    slots, counts, losses = bench.touched[base : base + used], bench.counts, bench.losses
    # In a sample, the number of records that represents a class. Whether both sides really are classes is counted on
    # all records before the cut is made.
    least = max(1, (conditions.least + part.stride - 1) // part.stride)
    plain = len(conditions.kinds) == 0
    seen = 0
    for index in range(used):
        seen += counts[slots[index]]
    before = 0
    for index in range(1, used):
        before += counts[slots[index - 1]]
        gain = whole - side_cost(before, losses[0, index], least, price)
        gain -= side_cost(seen - before, losses[1, index], least, price)
        if gain > best.gain:
            cut = Cut(gain, best.column, best.order, 0, index)
            # Rules about sensitive values must read every record: only a cut that would be the best so far is worth it.
            if plain or cut_allowed(bench, conditions, matrix, order, part, cut):
                best = cut
        if best.order == 1 and index < used - 1:
            count = counts[slots[index]]
            gain = whole - side_cost(count, losses[3, index], least, price)
            gain -= side_cost(seen - count, losses[2, index], least, price)
            if gain > best.gain:
                cut = Cut(gain, best.column, best.order, index, index + 1)
                if plain or cut_allowed(bench, conditions, matrix, order, part, cut):
                    best = cut
    return best


@compiled()
def best_subtree(
    space: Space,
    bench: Bench,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    part: Part,
    whole: float,
    price: float,
    best: Cut,
    level: int,
) -> Cut:
    """Price each subtree at one level of a hierarchy against the rest; the slots are sorted by value."""
    base, used, intervals = bench.bases[best.column], bench.used[best.column], len(space.scales)
    slots, counts, few, pair = bench.touched[base : base + used], bench.counts, bench.few, bench.losses[2]
    least = max(1, (conditions.least + part.stride - 1) // part.stride)
    plain = len(conditions.kinds) == 0
    groups = space.groups[best.column, level]
    seen = 0
    for index in range(used):
        seen += counts[slots[index]]
    first = 0
    while first < used:
        copy_span(few, 1, bench.spans, slots[first])
        inside = counts[slots[first]]
        last = first + 1
        while last < used and groups[slots[last] - base] == groups[slots[first] - base]:
            unite(few, 1, few, 1, bench.spans, slots[last], intervals)
            inside += counts[slots[last]]
            last += 1
        # A subtree at an end of the order is a boundary, and a single value a slot: both were priced before.
        if first > 0 and last < used and last - first > 1:
            unite(few, 2, bench.unions[0], first, bench.unions[1], last, intervals)
            find_losses(space, few, 1, 3, pair)
            gain = whole - side_cost(inside, pair[1], least, price)
            gain -= side_cost(seen - inside, pair[2], least, price)
            if gain > best.gain:
                cut = Cut(gain, best.column, 0, first, last)
                if plain or cut_allowed(bench, conditions, matrix, order, part, cut):
                    best = cut
        first = last
    return best


@compiled()
def best_cut_of_column(
    space: Space,
    bench: Bench,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    part: Part,
    column: int,
    whole: float,
    price: float,
    floor: float,
) -> Cut:
    """The allowed cut of one column with the largest gain above ``floor``; its ``last`` is 0 if there is none."""
    base, used = bench.bases[column], bench.used[column]
    slots = bench.touched[base : base + used]
    intervals = len(space.scales)
    least = max(1, (conditions.least + part.stride - 1) // part.stride)
    seen = 0
    for index in range(used):
        seen += bench.counts[slots[index]]
    winner = Cut(floor, column, 0, 0, 0)
    for family in range(2):
        if used < 2 + family:
            break
        sort_slots(slots, bench.counts, family)
        rank_slots(slots, bench.counts, bench.ranks[family], family, base, bench.bases[column + 1], part.stride > 1)
        unite_slots(bench.spans, slots, bench.unions, intervals)
        price_boundaries(space, bench.counts, slots, seen, least, price > 0.0, bench.unions, bench.losses)
        if family == 1:
            price_singles(
                space,
                bench.spans,
                bench.counts,
                slots,
                seen,
                least,
                price > 0.0,
                bench.unions,
                bench.losses,
                intervals,
            )
        best = Cut(winner.gain, column, family, 0, 0)
        best = best_of_order(bench, conditions, matrix, order, part, whole, price, best)
        if family == 0 and column < len(space.scales) and bench.lengths[column] == 0:
            for level in range(1, space.depths[column] - 1):
                best = best_subtree(space, bench, conditions, matrix, order, part, whole, price, best, level)
        if best.last > 0:
            winner = best
    return winner


@compiled()
def cost_after_best_cut(
    space: Space, bench: Bench, conditions: Conditions, matrix: Any, order: Any, part: Part, price: float
) -> Any:
    """The cost of a part after its own best cut."""
    seen = tabulate(space, bench, matrix, part)
    if seen < conditions.least:
        return seen * price
    whole = seen * loss_of_tabulated(space, bench)
    # Two classes need twice the least size; with an ejection price one class and something to set aside are enough.
    if seen < (2 * conditions.least if price <= 0.0 else conditions.least + 1):
        return whole
    gain = 0.0
    for column in range(matrix.shape[1]):
        if bench.state[STOPPED] == 1:
            break
        gain = best_cut_of_column(space, bench, conditions, matrix, order, part, column, whole, price, gain).gain
    return whole - gain


@compiled()
def choose_cut(
    space: Space,
    bench: Bench,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    part: Part,
    price: float,
    candidates: int,
) -> int:
    """Mark the sides of the cut to make in one row of ``bench.sides`` and return which row, or -1.

    With more than one candidate the best cuts of different columns compete by the cost after each side's own best cut.
    """
    seen = tabulate(space, bench, matrix, part)
    whole = seen * loss_of_tabulated(space, bench)
    gains = bench.gains
    for row in range(candidates):
        gains[row] = SMALLEST_GAIN
    for column in range(matrix.shape[1]):
        # A candidate must beat the worst of those kept: the gain to exceed is passed down, and columns that cannot
        # exceed it are skipped early. Of one column only its best cut competes, because its others are mostly shifted
        # by one value.
        if bench.state[STOPPED] == 1:
            return -1
        row = lowest(gains, candidates)
        cut = best_cut_of_column(space, bench, conditions, matrix, order, part, column, whole, price, gains[row])
        if cut.last > 0:
            inner, outer = mark_cut(bench, matrix, part, cut, CANDIDATES + 1)
            if price > 0.0 or min(inner, outer) >= conditions.least:
                gains[row] = cut.gain
                for index in range(part.stop - part.start):
                    bench.sides[row, index] = bench.sides[CANDIDATES + 1, index]
    if bench.state[STOPPED] == 1:
        return -1
    return pick_candidate(space, bench, conditions, matrix, order, part, price, candidates)


@compiled()
def lowest(gains: Any, count: int) -> int:
    """The first of the lowest of some numbers."""
    found = 0
    for row in range(1, count):
        if gains[row] < gains[found]:
            found = row
    return found


@compiled()
def noted_cost(
    space: Space, bench: Bench, conditions: Conditions, matrix: Any, order: Any, part: Part, price: float
) -> Any:
    """The cost of one side of a candidate after its own best cut, read again if an earlier call found it."""
    state, notes = bench.state, bench.notes
    place = 2 * part.row + part.side
    if not np.isnan(notes[place]):
        return notes[place]
    before = state[CURSOR]
    # Answers from an earlier call mean that it has begun: it goes on.
    if state[KNOWN] == before and runs_out(state, notes):
        return 0.0
    state[BUDGET] -= part.stop - part.start
    cost = cost_after_best_cut(space, bench, conditions, matrix, order, part, price)
    if state[STOPPED] == 0:
        notes[place] = cost
        # The cost stands for the answers that led to it.
        state[KNOWN] = before
        state[CURSOR] = before
        state[MADE] += 1
    return cost


@compiled()
def pick_candidate(
    space: Space,
    bench: Bench,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    part: Part,
    price: float,
    candidates: int,
) -> int:
    """Among candidate cuts the one whose sides cost least once cut themselves."""
    gains, competing = bench.gains, 0
    for row in range(candidates):
        competing += 1 if gains[row] > SMALLEST_GAIN else 0
    chosen, least_cost = -1, np.inf
    for row in range(candidates):
        if gains[row] > SMALLEST_GAIN:
            cost = 0.0
            # A single candidate wins without evaluating its sides.
            if competing > 1:
                for side in range(2):
                    child = Part(part.start, part.stop, row, side, part.stride)
                    cost += noted_cost(space, bench, conditions, matrix, order, child, price)
                    if bench.state[STOPPED] == 1:
                        return -1
            if cost < least_cost:
                chosen, least_cost = row, cost
    return chosen


@compiled()
def carve(space: Space, bench: Bench, conditions: Conditions, matrix: Any, order: Any, part: Part) -> bool:
    """Mark the smallest class grown from the rarest record, cheapest record first, if that lowers the loss.

    The part was tabulated last. The marks are in row 0 of ``bench.sides``.
    """
    size, least = part.stop - part.start, conditions.least
    if size < 2 * least or size * least > CARVE_LIMIT:
        return False
    bench.state[BUDGET] -= size * least // 16
    marks, few, losses = bench.sides[0], bench.few, bench.losses[0]
    whole = size * loss_of_tabulated(space, bench)
    marks[:size] = 0
    # This record makes every class that contains it expensive: once it has its own class, the rest is often cheap to
    # cut.
    seed = rarest_record(bench, matrix, part)
    marks[seed - part.start] = 1
    copy_record(few, 1, matrix, seed, space.words, space.shifts)
    for _ in range(least - 1):
        nearest = nearest_record(space, few, matrix, part, marks)
        marks[nearest - part.start] = 1
        add_record(few, 1, matrix, nearest, space.words, space.shifts)
    first: Any = np.argmin(marks[:size])
    copy_record(few, 2, matrix, part.start + first, space.words, space.shifts)
    for index in range(first + 1, size):
        if marks[index] == 0:
            add_record(few, 2, matrix, part.start + index, space.words, space.shifts)
    find_losses(space, few, 1, 3, losses)
    gain = whole - least * losses[1] - (size - least) * losses[2]
    return gain > SMALLEST_GAIN and sides_hold(bench, conditions, order, part, 0, least, size - least)


@compiled()
def rarest_record(bench: Bench, matrix: Any, part: Part) -> int:
    """The record whose values are rarest in the part that was last tabulated."""
    rarest, score = part.start, -1.0
    bases, lows, lengths, counts = bench.bases, bench.lows, bench.lengths, bench.counts
    for record in range(part.start, part.stop):
        rarity = 0.0
        for column in range(matrix.shape[1]):
            code = np.int64(matrix[record, column])
            # The sum of one over the frequencies of its values: one unique value weighs more than several uncommon
            # ones.
            rarity += 1.0 / counts[slot_of(code, bases[column], lows[column], lengths[column])]
        if rarity > score:
            rarest, score = record, rarity
    return rarest


@compiled()
def nearest_record(space: Space, few: Any, matrix: Any, part: Part, marks: Any) -> int:
    """The unmarked record that enlarges the loss of span 1 least."""
    nearest, least = -1, np.inf
    for record in range(part.start, part.stop):
        if marks[record - part.start] == 0:
            loss = joined_loss(space, few, 1, matrix, record)
            if loss < least:
                nearest, least = record, loss
    return nearest


@compiled()
def move_marked(matrix: Any, order: Any, start: int, stop: int, marks: Any) -> int:
    """Move the records marked 1 to the front, in place, and return where the others begin."""
    left, right = start, stop - 1
    while True:
        while left <= right and marks[left - start] == 1:
            left += 1
        while left <= right and marks[right - start] != 1:
            right -= 1
        if left >= right:
            return left
        # Rows are swapped, not only their numbers: the records of a part lie side by side in memory for every later
        # pass.
        for column in range(matrix.shape[1]):
            matrix[left, column], matrix[right, column] = matrix[right, column], matrix[left, column]
        order[left], order[right] = order[right], order[left]
        marks[left - start], marks[right - start] = 1, 0


@compiled()
def divide_part(
    space: Space,
    bench: Bench,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    start: int,
    stop: int,
    price: float,
    candidates: int,
    sample_above: int,
) -> int:
    """Make the best cut of the records ``start`` to ``stop`` and return where its second side begins, or -1; -2 if the
    call must return before."""
    size = stop - start
    least = conditions.least
    if size < (2 * least if price <= 0.0 else least + 1):
        return -1
    # A large part is first priced by sample; only if that shows no cut, by all its records.
    sampling = size > sample_above
    while True:
        stride = max(1, size // SAMPLE) if sampling else 1
        part = Part(start, stop, CANDIDATES, -1, stride)
        limit = 1 if sampling else candidates
        chosen = choose_cut(space, bench, conditions, matrix, order, part, 0.0 if sampling else price, limit)
        if bench.state[STOPPED] == 1:
            return -2
        if chosen >= 0 or not sampling:
            break
        sampling = False
    if chosen < 0:
        if not carve(space, bench, conditions, matrix, order, part):
            return -1
        chosen = 0
    return move_marked(matrix, order, start, stop, bench.sides[chosen])


@compiled()
def divide_all(
    space: Space,
    bench: Bench,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    labels: Any,
    stack: Any,
    state: Any,
    price: float,
    settings: Settings,
) -> None:
    """Divide the parts on the stack until it is empty or the budget of records is used up."""
    candidates, sample_above, budget, _ = settings
    state[BUDGET], state[MADE], state[STOPPED] = budget, 0, 0
    while state[0] > 0 and state[BUDGET] > 0:
        start, stop = stack[state[0] - 1, 0], stack[state[0] - 1, 1]
        state[BUDGET] -= stop - start
        # To come back to a part costs as much as to begin it: at least as much again is then done for it.
        more = max(stop - start - state[BUDGET], 0)
        state[BUDGET] += more
        state[CURSOR] = 0
        middle = divide_part(space, bench, conditions, matrix, order, start, stop, price, candidates, sample_above)
        if middle == -2:
            return
        state[0] -= 1
        state[BUDGET] -= more
        state[KNOWN] = 0
        bench.notes[:NOTED_COSTS] = np.nan
        if middle < 0:
            labels[start:stop] = state[1]
            state[1] += 1
            state[2] += stop - start
            continue
        # A stack instead of recursion: it outlives the call, which returns when its budget is used up.
        for first, last in ((start, middle), (middle, stop)):
            if last - first < conditions.least:
                labels[first:last] = -1
                state[2] += last - first
            else:
                stack[state[0], 0], stack[state[0], 1] = first, last
                state[0] += 1


@compiled(
    void(
        SETTINGS,
        float64,
        SPACE,
        CONDITIONS,
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64[:, ::1],
        int64[::1],
        float64[::1],
    )
)
def cut_by_loss(
    settings: Settings,
    price: float,
    space: Space,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    labels: Any,
    stack: Any,
    state: Any,
    notes: Any,
) -> None:
    """Divide records into classes, as far as a budget reaches; call again while ``state[0]`` is positive.

    ``matrix`` and ``order`` are reordered in place; ``labels`` receives the class of each row of the matrix, -1 if it
    was set aside at ``price`` (0: never). ``state``: parts on the stack, classes so far, records done; the other places
    and ``notes`` are for this kernel, and hold for the same settings only.
    """
    bench = make_bench(space, conditions, settings.largest, state, notes)
    divide_all(space, bench, conditions, matrix, order, labels, stack, state, price, settings)
