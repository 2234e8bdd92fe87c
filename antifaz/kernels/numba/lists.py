"""Lists: the distinct codes of each class, and the classes that share them."""

from typing import Any

import numpy as np

from antifaz.kernels.numba.compiled import compiled


@compiled("Tuple((int64[::1], int32[::1]))(int32[::1], int64[::1], int64)")
def distinct_by_class(codes: Any, bounds: Any, domain: int) -> Any:
    """The sorted distinct codes of every class ``codes[bounds[c]:bounds[c + 1]]``, as bounds and one flat list."""
    last_seen = np.full(domain, -1, np.int64)
    list_bounds = np.zeros(len(bounds), np.int64)
    flat = np.empty(len(codes), np.int32)
    size = 0
    for number in range(len(bounds) - 1):
        first = size
        for index in range(bounds[number], bounds[number + 1]):
            code = codes[index]
            # The mark is the number of the class, so it need not be reset between two classes.
            if last_seen[code] != number:
                last_seen[code] = number
                place = size
                # Short lists are kept in order as they grow, which is faster than a call to sort; a long one is sorted
                # once at its end.
                if size - first < 64:
                    while place > first and flat[place - 1] > code:
                        flat[place] = flat[place - 1]
                        place -= 1
                flat[place] = code
                size += 1
        if size - first > 64:
            flat[first:size] = np.sort(flat[first:size])
        list_bounds[number + 1] = size
    return list_bounds, flat[:size].copy()


@compiled(inlined=True)
def lists_equal(bounds: Any, flat: Any, first: int, second: int) -> bool:
    length = bounds[first + 1] - bounds[first]
    if bounds[second + 1] - bounds[second] != length:
        return False
    for offset in range(length):  # noqa: SIM110 (compiled code has no generators)
        if flat[bounds[first] + offset] != flat[bounds[second] + offset]:
            return False
    return True


@compiled("Tuple((int64[::1], int64[::1]))(int64[::1], int32[::1])")
def number_lists(bounds: Any, flat: Any) -> Any:
    """For every list the number of its content (by first appearance), and for every number one list that has it."""
    lists = len(bounds) - 1
    places = 16
    while places < 2 * lists:
        places *= 2
    table = np.full(places, -1, np.int64)
    numbers = np.empty(lists, np.int64)
    examples = np.empty(lists, np.int64)
    found = 0
    for current in range(lists):
        key = np.uint64(0x9E3779B97F4A7C15)
        for index in range(bounds[current], bounds[current + 1]):
            # As for rows of codes: the constant keeps a code of 0 from leaving the key unchanged.
            key ^= np.uint64(flat[index]) + np.uint64(0x7F4A7C15)
            key *= np.uint64(0xBF58476D1CE4E5B9)
            key ^= key >> np.uint64(29)
        place = np.int64(key & np.uint64(places - 1))
        # Equal keys are only a hint: whole lists are compared.
        while table[place] >= 0 and not lists_equal(bounds, flat, table[place], current):
            place = (place + 1) & (places - 1)
        if table[place] < 0:
            table[place] = current
            numbers[current] = found
            examples[found] = current
            found += 1
        else:
            numbers[current] = numbers[table[place]]
    return numbers, examples[:found].copy()
