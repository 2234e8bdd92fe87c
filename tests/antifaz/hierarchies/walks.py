"""Helpers for tests of hierarchies: the labels of some values level by level, and that levels nest."""

from typing import Any

import numpy as np

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy


def walk(hierarchy: Hierarchy, *values: str, numbers: Any = None) -> list[list[str]]:
    """For each value its label at every level."""
    placed = hierarchy.resolve("c", np.array(values, dtype=object), numbers)
    return placed.paths()


def nests(placed: Generalization) -> bool:
    """Whether values are apart at the bottom, together at the top, and never part on the way up."""
    apart = len(np.unique(placed.groups[0])) == placed.groups.shape[1]
    together = len(np.unique(placed.groups[-1])) == 1
    rising = all(
        len(np.unique(np.stack([lower, upper]), axis=1).T) == len(np.unique(lower))
        for lower, upper in zip(placed.groups, placed.groups[1:], strict=False)
    )
    return apart and together and rising
