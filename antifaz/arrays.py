"""Arrays: replacements for numpy functions that are slow on long arrays, and slices of work on them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

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


def ordered(keys: Sequence[NDArray[Any]], watch: Callable[[float], object]) -> NDArray[np.int64]:
    """Return the order by several keys, the last one first, like `np.lexsort`; the watch is called between keys."""
    order = np.argsort(keys[0], kind="stable")
    for number, key in enumerate(keys[1:], 1):
        watch(number / len(keys))
        order = order[np.argsort(key[order], kind="stable")]
    return order.astype(np.int64, copy=False)


def slices(costs: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Cut a row of tasks into slices that cost about ``most`` each; a slice has at least one task."""
    total = np.cumsum(costs)
    start = 0
    while start < len(costs):
        done = int(total[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(total, done + most, side="right")))
        yield slice(start, stop)
        start = stop
