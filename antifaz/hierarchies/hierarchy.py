"""Hierarchy: how the values of one attribute generalize, level by level.

A hierarchy as stated in a policy is a part. Resolved against the sorted domain of a column, it becomes a
`Generalization`: for every level, an array that maps each value to a group, and the groups' labels. Levels nest (two
values that share a group share every higher one); roll-up and pruning rely on it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.part import Part


@dataclass(frozen=True)
class Generalization:
    """A hierarchy resolved over the values of one column."""

    groups: NDArray[np.int32]
    """The group of each value at each level, shape (levels, values); level 0 is the values themselves, and the last
    level is one group, the root."""
    labels: tuple[NDArray[np.object_], ...]
    """For each level, the label of each group."""
    leaves: tuple[NDArray[np.int64], ...]
    """For each level, the number of leaves of the *whole* hierarchy (including those that the column lacks) that each
    group covers."""

    @property
    def levels(self) -> int:
        return int(self.groups.shape[0])

    def paths(self) -> list[list[str]]:
        """One row for each value: its label at every level, up to the root."""
        columns = [labels[groups] for labels, groups in zip(self.labels, self.groups, strict=True)]
        return [[str(label) for label in row] for row in zip(*columns, strict=True)]

    def cut(self, chosen: NDArray[np.int64]) -> "Generalization":
        """The hierarchy over some of the values."""
        used = [np.unique(groups[chosen], return_inverse=True) for groups in self.groups]
        return Generalization(
            np.stack([places for _, places in used]).astype(np.int32),
            tuple(labels[kept] for labels, (kept, _) in zip(self.labels, used, strict=True)),
            tuple(leaves[kept] for leaves, (kept, _) in zip(self.leaves, used, strict=True)),
        )


class Hierarchy(Part):
    """A hierarchy as a policy states it."""

    kinds: ClassVar[tuple[str, ...]] = ("table", "graph", "temporal_graph")

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every value, or raise `InvalidDataset` with the column and the number of values that have no place."""
        raise NotImplementedError
