"""Linkage: which released classes lie nearest to an original record.

A distance is the mean over columns of the distance of a value from the values that a label covers: 0 inside it. Targets
and labels are given as distances per column, so ranges, sets and ancestors are treated alike.
"""

from typing import Any

import numpy as np

from antifaz.kernels.numba.compiled import compiled

TIE = 1e-6
"""Distances closer than this are equal."""


@compiled(
    "Tuple((float64[::1], float64[::1]))(int32[:,::1], int64[::1], int32[:,::1], int64[::1], float32[::1], int64[::1])"
)
def link_targets(targets: Any, homes: Any, classes: Any, sizes: Any, distances: Any, places: Any) -> Any:
    """For every target the number of records in the nearest classes, and the chance to pick the right one among them.

    ``targets``: codes of each target per column; ``homes``: the class that holds its own record, or -1; ``classes``:
    label codes of each class per column; ``sizes``: records per class; ``distances[places[2 c] + code * places[2 c + 1]
    + label]``: how far a value lies from a label in column c.
    """
    columns = classes.shape[1]
    nearest = np.zeros(len(targets), np.float64)
    chances = np.zeros(len(targets), np.float64)
    for target in range(len(targets)):
        least, records, found = np.inf, 0, False
        for number in range(len(classes)):
            distance = 0.0
            for column in range(columns):
                start = places[2 * column] + targets[target, column] * places[2 * column + 1]
                distance += distances[start + classes[number, column]]
                # Columns only add to the distance: a class that is too far after some of them is skipped.
                if distance > least + TIE:
                    break
            if distance > least + TIE:
                continue
            # If nearer by more than rounding, the nearest so far is replaced. Otherwise the class is one more of the
            # nearest.
            if distance < least - TIE:
                least, records, found = distance, 0, False
            records += sizes[number]
            found = found or number == homes[target]
        nearest[target] = records
        # An attacker who cannot tell the nearest records apart picks one of them at random.
        chances[target] = 1.0 / records if found else 0.0
    return nearest, chances
