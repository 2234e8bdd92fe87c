"""Arrays: replacements for numpy functions that are slow on long arrays."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """Return the sorted distinct values, like `np.unique` but always by sorting.

    When only values are requested, `np.unique` hashes integers first. This is many times slower than sorting once the
    hash table no longer fits in the processor's caches. With `return_index`, `return_inverse` or `return_counts`,
    `np.unique` sorts too.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    if ordered.dtype.kind == "f":  # the last values may be NaN, which differ from themselves
        new[1 + np.searchsorted(ordered, np.nan) :] = False
    return ordered[new]


def ranked(values: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted distinct values and the index of each value among them; values are in ``[0, size)``.

    It does not sort unless ``size`` is much larger than the number of values.
    """
    if size > 4 * len(values) + 1024:
        found, places = np.unique(values, return_inverse=True)
        return found, places.astype(np.int64)
    occurs = np.bincount(values, minlength=size) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]
