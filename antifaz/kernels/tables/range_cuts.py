"""Range cuts: divide records into classes at the median of the column with the widest normalized range.

LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006. The median is element ⌈n/2⌉ of the
part's sorted values, and values up to it go to the first side. A column with a hierarchy is cut between the children of
the part's lowest common ancestor, as near to half of the records as they allow. Missing values are separated from
numbers first.

Guarantees: every class satisfies the conditions.
Cost: O(n q log(n / k)) for n records and q columns.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.spans import SPACE, Space, interval_loss
from antifaz.kernels.numba.types import boolean, int32, int64, void
from antifaz.kernels.tables.conditions import CONDITIONS, Conditions, Tally, make_tally, part_holds
from antifaz.kernels.tables.loss_cuts import move_marked

MOST_READ = 16
"""Times that quickselect may read as many values as there are; random orders take three or four."""


class Scratch(NamedTuple):
    """Scratch memory of one run."""

    marks: NDArray[np.uint8]
    histogram: NDArray[np.int64]
    values: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    tally: Tally


@compiled()
def measure_columns(matrix: Any, start: int, stop: int, lows: Any, highs: Any) -> None:
    """The lowest and highest code of the part in every column."""
    for column in range(matrix.shape[1]):
        lows[column] = matrix[start, column]
        highs[column] = matrix[start, column]
    for record in range(start + 1, stop):
        for column in range(matrix.shape[1]):
            code = np.int64(matrix[record, column])
            lows[column] = min(lows[column], code)
            highs[column] = max(highs[column], code)


@compiled()
def bisect_codes(values: Any, first: int, last: int, rank: int) -> Any:
    """The element of a rank if those before ``first`` are lower and those behind ``last`` higher, by halving the range
    of codes: as many passes as a code has bits."""
    low, high = np.int64(values[first]), np.int64(values[first])
    for index in range(first + 1, last + 1):
        low = min(low, np.int64(values[index]))
        high = max(high, np.int64(values[index]))
    while low < high:
        middle = (low + high) // 2
        below = first
        for index in range(first, last + 1):
            below += 1 if values[index] <= middle else 0
        if below > rank:
            high = middle
        else:
            low = middle + 1
    return low


@compiled()
def select(values: Any, size: int, rank: int) -> Any:
    """The element of a rank (from 0) among the first ``size`` values, which are reordered (Hoare's quickselect)."""
    low, high, read = 0, size - 1, 0
    while low < high:
        # An order of the values that makes every pivot a bad one would take the square of their number.
        read += high - low + 1
        if read > MOST_READ * size:
            return bisect_codes(values, low, high, rank)
        # The middle element: parts that are sorted already, which is common after cuts on the same column, would make
        # the first one the worst pivot.
        pivot = values[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    return np.int64(values[rank])


@compiled()
def median_code(matrix: Any, start: int, stop: int, column: int, low: int, high: int, scratch: Scratch) -> Any:
    """Element ⌈n/2⌉ of the part's sorted codes in a column."""
    size = stop - start
    half = (size + 1) // 2
    # Few records spread over many codes: selecting is cheaper than resetting and summing a histogram of all codes
    # between.
    if high - low >= 4 * size:
        for record in range(start, stop):
            scratch.values[record - start] = matrix[record, column]
        return select(scratch.values, size, half - 1)
    histogram = scratch.histogram
    for code in range(low, high + 1):
        histogram[code] = 0
    for record in range(start, stop):
        histogram[matrix[record, column]] += 1
    code, below = low, histogram[low]
    while below < half:
        code += 1
        below += histogram[code]
    return code


@compiled()
def middle_of_hierarchy(
    space: Space, matrix: Any, start: int, stop: int, column: int, low: int, high: int, scratch: Scratch
) -> int:
    """The last code of the first side for the most even cut between children of the lowest common ancestor."""
    groups = space.groups[column]
    # The lowest common ancestor of all is that of the lowest and the highest leaf, because leaves are numbered
    # depth-first.
    level = 1
    while groups[level, low] != groups[level, high]:
        level += 1
    histogram = scratch.histogram
    for code in range(low, high + 1):
        histogram[code] = 0
    for record in range(start, stop):
        histogram[matrix[record, column]] += 1
    best, distance, below = low, np.int64(2 * (stop - start)), np.int64(0)
    for code in range(low, high):
        below += histogram[code]
        # Cuts are only allowed between two children: a cut inside one would publish a part of a subtree, which has no
        # label.
        if groups[level - 1, code] != groups[level - 1, code + 1]:
            # Twice the difference from one half, in whole numbers.
            away = abs(2 * below - (stop - start))
            if away < distance:
                best, distance = code, away
    return best


@compiled()
def mark_up_to(matrix: Any, start: int, stop: int, column: int, threshold: int, marks: Any) -> int:
    """Mark by 1 the records whose code is at most ``threshold``; count them."""
    inner = 0
    for record in range(start, stop):
        inside = matrix[record, column] <= threshold
        marks[record - start] = 1 if inside else 0
        inner += 1 if inside else 0
    return inner


@compiled()
def share_out_median(matrix: Any, start: int, stop: int, column: int, median: int, inner: int, marks: Any) -> int:
    """Move records equal to the median to the second side until the first has ⌈n/2⌉; count the first."""
    half = (stop - start + 1) // 2
    for record in range(stop - 1, start - 1, -1):
        if inner <= half:
            break
        if matrix[record, column] == median:
            marks[record - start] = 0
            inner -= 1
    return inner


@compiled()
def sides_hold(conditions: Conditions, scratch: Scratch, order: Any, start: int, stop: int, inner: int) -> bool:
    """Whether both sides satisfy every rule."""
    if inner < conditions.least or stop - start - inner < conditions.least:
        return False
    if len(conditions.kinds) == 0:
        return True
    marks, tally = scratch.marks, scratch.tally
    return part_holds(conditions, tally, order, start, stop, marks, 1) and part_holds(
        conditions, tally, order, start, stop, marks, 0
    )


@compiled()
def cut_column(
    space: Space,
    conditions: Conditions,
    scratch: Scratch,
    matrix: Any,
    order: Any,
    start: int,
    stop: int,
    column: int,
    relaxed: bool,
) -> bool:
    """Mark the sides of the column's cut; return whether it is allowed."""
    low, high = scratch.lows[column], scratch.highs[column]
    marks = scratch.marks
    if space.depths[column] > 0:
        last = middle_of_hierarchy(space, matrix, start, stop, column, low, high, scratch)
        inner = mark_up_to(matrix, start, stop, column, last, marks)
        return sides_hold(conditions, scratch, order, start, stop, inner)
    # The missing value has the lowest code. If it cannot be separated from the numbers, the median is tried as if it
    # were a number.
    if low == space.missing[column]:
        inner = mark_up_to(matrix, start, stop, column, low, marks)
        if sides_hold(conditions, scratch, order, start, stop, inner):
            return True
    median = median_code(matrix, start, stop, column, low, high, scratch)
    inner = mark_up_to(matrix, start, stop, column, median, marks)
    # Relaxed partitioning of the paper: records with the median itself may go to either side, so that both sides are
    # halves.
    if relaxed:
        inner = share_out_median(matrix, start, stop, column, median, inner, marks)
    return sides_hold(conditions, scratch, order, start, stop, inner)


@compiled()
def divide_part(
    space: Space,
    conditions: Conditions,
    scratch: Scratch,
    matrix: Any,
    order: Any,
    start: int,
    stop: int,
    relaxed: bool,
) -> int:
    """Cut the records ``start`` to ``stop`` on the widest column that allows it; return where the second side begins,
    or -1."""
    if stop - start < 2 * conditions.least:
        return -1
    columns = matrix.shape[1]
    measure_columns(matrix, start, stop, scratch.lows, scratch.highs)
    ranges = np.empty(columns, np.float64)
    for column in range(columns):
        ranges[column] = interval_loss(space, column, scratch.lows[column], scratch.highs[column])
    for _ in range(columns):
        widest: Any = np.argmax(ranges)
        column = widest
        if scratch.lows[column] == scratch.highs[column]:
            return -1
        # A column whose cut the rules refuse is not tried again; the next widest is.
        ranges[column] = -1.0
        if cut_column(space, conditions, scratch, matrix, order, start, stop, column, relaxed):
            return move_marked(matrix, order, start, stop, scratch.marks)
    return -1


@compiled(void(boolean, int64, SPACE, CONDITIONS, int32[:, ::1], int64[::1], int64[::1], int64[:, ::1], int64[::1]))
def cut_by_range(
    relaxed: bool,
    budget: int,
    space: Space,
    conditions: Conditions,
    matrix: Any,
    order: Any,
    labels: Any,
    stack: Any,
    state: Any,
) -> None:
    """Divide records into classes, as far as a budget of records reaches; call again while ``state[0]`` is positive.

    Every column is an interval. ``matrix`` and ``order`` are reordered in place; ``labels`` receives the class of each
    row of the matrix. ``state``: parts on the stack, classes so far, records done.
    """
    scratch = Scratch(
        np.zeros(len(order), np.uint8),
        np.zeros(space.capacities.max(), np.int64),
        np.zeros(len(order), np.int32),
        np.zeros(matrix.shape[1], np.int64),
        np.zeros(matrix.shape[1], np.int64),
        make_tally(conditions),
    )
    while state[0] > 0 and budget > 0:
        state[0] -= 1
        start, stop = stack[state[0], 0], stack[state[0], 1]
        budget -= stop - start
        middle = divide_part(space, conditions, scratch, matrix, order, start, stop, relaxed)
        if middle < 0:
            labels[start:stop] = state[1]
            state[1] += 1
            state[2] += stop - start
        else:
            # A stack instead of recursion: it outlives the call, which returns when its budget is used up. The first
            # side is on top, so that classes are numbered from left to right.
            stack[state[0], 0], stack[state[0], 1] = middle, stop
            stack[state[0] + 1, 0], stack[state[0] + 1, 1] = start, middle
            state[0] += 2
