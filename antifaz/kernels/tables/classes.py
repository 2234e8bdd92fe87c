"""Classes: number the equivalence classes of coded records.

Records with equal codes in every column are one class. An open-addressing table keeps one record per class and compares
whole rows, so the numbering is exact whatever the number of columns; classes are numbered by first appearance.
"""

from typing import Any

import numpy as np

from antifaz.kernels.numba.compiled import compiled


@compiled(inlined=True)
def mix_row(matrix: Any, record: int) -> Any:
    """A well-spread 64-bit number that depends on every code of a row."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for column in range(matrix.shape[1]):
        # The constant keeps a code of 0 from leaving the key unchanged; product and shift carry every bit of it to the
        # low ones, which are the place in the table.
        key ^= np.uint64(matrix[record, column]) + np.uint64(0x7F4A7C15)
        key *= np.uint64(0xBF58476D1CE4E5B9)
        key ^= key >> np.uint64(29)
    return key


@compiled(inlined=True)
def rows_equal(matrix: Any, first: int, second: int) -> bool:
    for column in range(matrix.shape[1]):  # noqa: SIM110 (compiled code has no generators)
        if matrix[first, column] != matrix[second, column]:
            return False
    return True


@compiled("Tuple((int64[::1], int64))(int32[:,::1])")
def number_rows(matrix: Any) -> Any:
    """The class of every row, and how many classes there are."""
    records = matrix.shape[0]
    places = 16
    # Half of the places stay free: a search meets a free one, or its own class, after a step or two.
    while places < 2 * records:
        places *= 2
    table = np.full(places, -1, np.int64)
    numbers = np.empty(records, np.int64)
    classes = 0
    for record in range(records):
        place = np.int64(mix_row(matrix, record) & np.uint64(places - 1))
        # Equal keys are only a hint: whole rows are compared, so that two classes are never taken for one.
        while table[place] >= 0 and not rows_equal(matrix, table[place], record):
            place = (place + 1) & (places - 1)
        if table[place] < 0:
            table[place] = record
            numbers[record] = classes
            classes += 1
        else:
            numbers[record] = numbers[table[place]]
    return numbers, classes
