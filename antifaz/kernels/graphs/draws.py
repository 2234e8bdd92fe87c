"""Draw distinct numbers from many ranges together.

Bentley and Floyd, "Programming Pearls: A Sample of Brilliance", Communications of the ACM, 1987: of c numbers below N,
the i-th is drawn below N - c + i + 1; if it was drawn already, N - c + i is taken instead. All sets are equally likely.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]


@compiled()
def _spread(number: int) -> np.uint64:
    """A word in which near numbers are far apart."""
    # Fibonacci hashing: the numbers of a range follow one another, and the product spreads them over the whole word.
    # Its low bits depend on low bits alone, so that high ones are mixed in before the mask takes the lowest.
    word = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    return np.uint64(word ^ (word >> np.uint64(29)))


@compiled()
def _enter(table: Integers, number: int) -> bool:
    """Put a number into the table unless it is already there."""
    mask = np.uint64(len(table) - 1)
    place = _spread(number) & mask
    while table[place] >= 0:
        if table[place] == number:
            return False
        place = (place + np.uint64(1)) & mask
    table[place] = number
    return True


@compiled("int64[::1](int64[::1], int64[::1], int64[::1])")
def keep_distinct(starts: Integers, limits: Integers, drawn: Integers) -> Integers:
    """The drawn numbers, each counted from the start of its range, with repetitions replaced.

    The i-th was drawn from 0…``limits[i]``, both included, of the range that begins at ``starts[i]``.
    """
    # A power of two at least twice as large: half of the places stay free, and a search meets one after a step or two.
    places = 16
    while places < 2 * len(drawn):
        places *= 2
    table = np.full(places, np.int64(-1))
    numbers = np.empty(len(drawn), np.int64)
    for i in range(len(drawn)):
        numbers[i] = starts[i] + drawn[i]
        if not _enter(table, numbers[i]):
            # Floyd's step: the i-th limit was out of reach of every draw before it, so that it is certainly free, and
            # taking it makes all sets equally likely.
            numbers[i] = starts[i] + limits[i]
            _enter(table, numbers[i])
    return numbers
