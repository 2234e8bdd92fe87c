"""Arrays: operations that are too slow in numpy on long arrays."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """The distinct values in ascending order, like `np.unique`, but found by sorting.

    Without `return_index`, `return_inverse` or `return_counts`, `np.unique` puts integers into a hash table, which
    takes many times as long as sorting once the table is larger than the processor's caches. With one of these
    options it sorts as well.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    if ordered.dtype.kind == "f":  # the last values may be NaN, which does not equal itself
        new[1 + np.searchsorted(ordered, np.nan) :] = False
    return ordered[new]
