"""Attribute loss: information lost about the nodes' quasi-identifiers when nodes become one cluster.

Campan and Truta, "Data and Structural k-Anonymity in Social Networks", PinKDD 2008.

For a numeric attribute, the width of the cluster's range as a share of that of all nodes; with a hierarchy, the height
of the lowest group that holds the cluster as a share of the root's; for any other, 0 if all values are the same and
otherwise 1. A missing number widens its range to all. The loss of a cluster is the mean over the quasi-identifiers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import NodeAttribute

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


class GrowingLoss(Protocol):
    """The loss of one attribute while a cluster grows."""

    codes: Integers

    def begin(self, code: int) -> None:
        """Begin a cluster of one node."""

    def with_each(self) -> Reals:
        """For every code, the loss of the cluster with one more node that has it."""

    def add(self, code: int) -> None:
        """Add a node."""

    def of_clusters(self, codes: Integers, starts: Integers) -> Reals:
        """The loss of many clusters; ``codes`` lists the codes of their nodes one cluster after the other."""


@dataclass
class RangeLoss:
    """The cluster's range as a share of the whole range."""

    codes: Integers
    numbers: Reals
    lowest: float = 0.0
    highest: float = 0.0
    width: float = field(init=False)

    def __post_init__(self) -> None:
        known = self.numbers[distinct(self.codes)]
        known = known[~np.isnan(known)]
        self.width = float(known.max() - known.min()) if len(known) else 0.0

    def begin(self, code: int) -> None:
        self.lowest = self.highest = float(self.numbers[code])

    def with_each(self) -> Reals:
        span = np.maximum(self.numbers, self.highest) - np.minimum(self.numbers, self.lowest)
        return self._share(span)

    def add(self, code: int) -> None:
        number = float(self.numbers[code])
        # Unlike Python's own functions, these keep a missing number.
        self.lowest = float(np.minimum(self.lowest, number))
        self.highest = float(np.maximum(self.highest, number))

    def of_clusters(self, codes: Integers, starts: Integers) -> Reals:
        numbers = self.numbers[codes]
        return self._share(np.maximum.reduceat(numbers, starts) - np.minimum.reduceat(numbers, starts))

    def _share(self, span: Reals) -> Reals:
        share = span / self.width if self.width > 0 else np.zeros_like(span)
        return np.where(np.isnan(span), 1.0, share)


@dataclass
class LevelLoss:
    """The height of the lowest group that holds the cluster, as a share of the root's."""

    codes: Integers
    ancestors: Integers
    level: int = 0
    meeting: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """For every code, the lowest level at which it shares a group with the cluster's first node."""

    def begin(self, code: int) -> None:
        together = self.ancestors == self.ancestors[:, code, None]
        together[-1] = True
        self.level, self.meeting = 0, np.argmax(together, axis=0)

    def with_each(self) -> Reals:
        return np.maximum(self.meeting, self.level) / max(1, len(self.ancestors) - 1)

    def add(self, code: int) -> None:
        self.level = max(self.level, int(self.meeting[code]))

    def of_clusters(self, codes: Integers, starts: Integers) -> Reals:
        groups = self.ancestors[:, codes]
        differ = np.minimum.reduceat(groups, starts, axis=1) != np.maximum.reduceat(groups, starts, axis=1)
        differ[-1] = False
        return np.asarray(differ.sum(axis=0) / max(1, len(self.ancestors) - 1))


def growing_losses(attributes: Sequence[NodeAttribute]) -> list[GrowingLoss]:
    """The growing loss of each quasi-identifier."""
    losses: list[GrowingLoss] = []
    for attribute in attributes:
        if attribute.role != "quasi_identifier":
            continue
        if attribute.ancestors is not None:
            losses.append(LevelLoss(attribute.codes, attribute.ancestors))
        elif attribute.numbers is not None:
            losses.append(RangeLoss(attribute.codes, attribute.numbers))
        else:
            flat = np.stack([np.arange(attribute.size), np.zeros(attribute.size, dtype=np.int64)])
            losses.append(LevelLoss(attribute.codes, flat))
    return losses


def cluster_losses(losses: Sequence[GrowingLoss], members: Integers, clusters: int, codes: Sequence[Integers]) -> Reals:
    """The mean loss of every cluster over at least one attribute.

    ``members`` is the cluster of every node, -1 for none, and ``codes`` are the values of the nodes, by attribute.
    """
    inside = np.flatnonzero(members >= 0)
    order = inside[np.argsort(members[inside], kind="stable")]
    starts = np.searchsorted(members[order], np.arange(clusters))
    lost = [loss.of_clusters(own[order], starts) for loss, own in zip(losses, codes, strict=True)]
    return np.asarray(np.mean(lost, axis=0))
