"""Choose pairs of nodes, each independently with the same small probability, without visiting the other pairs.

The number of pairs between two chosen pairs is geometric. It is drawn exactly, from words of random bits and in whole
numbers, as in Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020 (algorithms 1
and 2): a probability stated as 1 - exp(-rate / 2^56) is exactly that number, not an approximation. Skipping along the
pairs is after Batagelj and Brandes, "Efficient generation of large random networks", Physical Review E, 2005.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]

BITS = 56
POSITION, ROW, BEGIN, WORDS_USED, FOUND = range(5)
"""The state of `skip_pairs` between calls: the next pair, its row and the first pair of that row; and the result of the
last call: how many words it took and how many pairs it found."""

_UNIT = np.uint64(1 << BITS)
_LOW = np.uint64((1 << BITS) - 1)
_SHIFT = np.uint64(BITS)
_BYTE = np.uint64(256)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_MOST = np.uint64(255)


@compiled()
def _says_yes(words: Words, at: int, part: np.uint64) -> tuple[int, bool]:
    """True with probability exp(-part / 2^56), part at most 2^56, from words that begin at a place.

    Also returns the place of the next unused word; -1 if there were too few.
    """
    count = _ONE
    while count < _MOST:
        if at >= len(words):
            return -1, False
        word = words[at]
        at += 1
        # One word is two draws: eight bits decide by the count, which is a chance of 1 / count, and 56 by the part.
        high = word >> _SHIFT
        if high >= _BYTE - _BYTE % count:
            continue  # such a byte would favor small numbers
        # Algorithm 1: how often in a row events of the chances part / 1, part / 2, part / 3 … all happen. That the
        # number of the first that does not is odd has the chance 1 - part + part² / 2! - …, which is exp(-part).
        if high % count != _ZERO or (word & _LOW) >= part:
            break
        count += _ONE
    return at, count % np.uint64(2) == _ONE


@compiled()
def _draw_gap(words: Words, at: int, rate: np.uint64) -> tuple[int, np.uint64]:
    """Number of pairs to skip before the next one; the place is -1 if there were too few words."""
    while True:
        if at >= len(words):
            return -1, _ZERO
        part = words[at] >> np.uint64(64 - BITS)
        at, yes = _says_yes(words, at + 1, part)
        if at < 0:
            return -1, _ZERO
        if yes:
            break
    # Algorithm 2: a geometric number is a whole part, from as many yeses of chance 1 / e, and a fraction that was
    # accepted with chance exp(-fraction); divided by the rate without a remainder it is geometric again.
    whole = _ZERO
    while whole < _MOST:
        at, yes = _says_yes(words, at, _UNIT)
        if at < 0:
            return -1, _ZERO
        if not yes:
            break
        whole += _ONE
    return at, (whole * _UNIT + part) // rate


@compiled("void(uint64[::1], uint64, int64, boolean, int64[::1], int64[::1])")
def skip_pairs(words: Words, rate: np.uint64, n: int, directed: bool, state: Integers, keys: Integers) -> None:
    """Choose pairs one after the other, until they, the words or the room for their keys are used up.

    A draw that runs out of words is not counted: it is made again from its first word when there are more.
    """
    total = n * (n - 1) if directed else n * (n - 1) // 2
    position, row, begin = state[POSITION], state[ROW], state[BEGIN]
    used = found = 0
    while found < len(keys) and position < total:
        at, gap = _draw_gap(words, used, rate)
        if at < 0:
            break
        used = at
        # Compared before it is added: the sum of a long gap and the position would not fit into 64 bits.
        if gap >= np.uint64(total - position):
            position = total
            break
        position += np.int64(gap)
        # Rows are passed one by one and never again: all calls together take n steps, and no square root has to be
        # rounded.
        while position - begin >= (n - 1 if directed else n - 1 - row):
            begin += n - 1 if directed else n - 1 - row
            row += 1
        column = position - begin
        if directed:
            column += 1 if column >= row else 0
        else:
            column += row + 1
        keys[found] = row * n + column
        found += 1
        position += 1
    state[POSITION], state[ROW], state[BEGIN] = position, row, begin
    state[WORDS_USED], state[FOUND] = used, found


@compiled("int64(int64[::1], boolean[::1], int64[::1], int64[::1])")
def join_kept_and_added(keys: Integers, kept: NDArray[np.bool_], added: Integers, joined: Integers) -> int:
    """Write the kept keys and the added ones that are not among them, all sorted; return how many there are."""
    i = j = count = 0
    while i < len(keys) or j < len(added):
        if j == len(added) or (i < len(keys) and keys[i] <= added[j]):
            if j < len(added) and keys[i] == added[j]:
                j += 1
            if kept[i]:
                joined[count] = keys[i]
                count += 1
            i += 1
        else:
            joined[count] = added[j]
            count += 1
            j += 1
    return count
