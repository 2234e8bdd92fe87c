"""Look up a neighbor in sorted CSR rows."""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled


@compiled()
def row_has(offsets: NDArray[np.int64], neighbors: NDArray[np.int32], row: int, wanted: int) -> bool:
    """Whether a node's row lists another node, by bisection."""
    low, stop = offsets[row], offsets[row + 1]
    high = stop
    while low < high:
        middle = (low + high) >> 1
        if neighbors[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return bool(low < stop and neighbors[low] == wanted)


@compiled()
def shorter_first(offsets: NDArray[np.int64], one: int, other: int) -> tuple[int, int]:
    """Two nodes, the one with fewer neighbors first, so that a caller that reads one row reads the shorter one."""
    if offsets[one + 1] - offsets[one] > offsets[other + 1] - offsets[other]:
        return other, one
    return one, other
