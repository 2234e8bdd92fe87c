"""Arrays: what numpy does too slowly on long arrays."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """The distinct values, sorted: `np.unique` by sorting.

    Without a second result, `np.unique` puts integers into a hash table first, which takes many times as long as
    sorting once the table outgrows the processor's caches. With `return_index`, `return_inverse` or `return_counts` it
    sorts as well.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    if ordered.dtype.kind == "f":  # the last values may be NaN, which differ from themselves
        new[1 + np.searchsorted(ordered, np.nan) :] = False
    return ordered[new]


def ranked(values: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct values, sorted, and for each value its place among them, of values from 0 up to below ``size``.

    Without sorting, as long as there are not many more numbers than values.
    """
    if size > 4 * len(values) + 1024:
        found, places = np.unique(values, return_inverse=True)
        return found, places.astype(np.int64)
    occurs = np.bincount(values, minlength=size) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]
