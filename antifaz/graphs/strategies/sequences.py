"""Sequences: target degrees for every node, k-anonymous and with a sum that a graph can have.

Nodes are taken by falling degree, those of one degree in random order: which of them changes must not depend on their
numbers. A few groups are enough to represent a long run of equal degrees; the other nodes keep their degree.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.graphs.sequence import cheapest_sequence

Integers = NDArray[np.int64]

NEVER = 1_000_000
"""A price of lowering that no raise reaches."""
RUN = 8
"""Most nodes of one degree that a program considers, in multiples of k."""


@dataclass(frozen=True)
class Ranking:
    """The nodes by falling degree, and those that a program considers."""

    degrees: Integers
    nodes: Integers
    """Nodes that the program considers, by falling degree."""

    @classmethod
    def of(cls, degrees: Integers, k: int, rng: np.random.Generator) -> "Ranking":
        shuffled = rng.permutation(len(degrees))
        order = shuffled[np.argsort(-degrees[shuffled], kind="stable")]
        falling = degrees[order]
        starts = np.searchsorted(-falling, -falling)
        return cls(degrees, order[np.arange(len(order)) - starts < RUN * k])

    @property
    def values(self) -> Integers:
        """Degrees of the nodes that the program considers, falling."""
        return np.ascontiguousarray(self.degrees[self.nodes])

    def spread(self, targets: Integers) -> Integers:
        """The target of every node: those that the program did not consider keep their degree."""
        everyone = self.degrees.copy()
        everyone[self.nodes] = targets
        return everyone


def raised(degrees: Integers, k: int, even: bool, rng: np.random.Generator) -> Integers | None:
    """The cheapest targets by raises alone, by Liu and Terzi's program; None if some degree would have to fall.

    With ``even``, the raises add up to an even number, so that edges between the nodes can realize them.
    """
    ranking = Ranking.of(degrees, k, rng)
    values = ranking.values
    targets = np.empty_like(values)
    units = np.ones_like(values)
    price = cheapest_sequence(values, units, NEVER * units, k, len(degrees) - 1, even, targets)
    if price < 0 or (targets < values).any():
        return None
    return ranking.spread(targets)


def grouped(values: Integers, cuts: Integers, targets: Integers, ceiling: int) -> Integers:
    """The targets of groups, one for each node, with an even sum of changes if there is a group of odd size.

    ``cuts`` are the places where groups begin, and the number of values. If the sum of changes is odd, the target of
    the cheapest group of odd size is moved by one.
    """
    sizes = np.diff(cuts)
    if (int((sizes * targets).sum()) - int(values.sum())) % 2:
        targets = targets.copy()
        above = np.add.reduceat(values > np.repeat(targets, sizes), cuts[:-1])
        below = np.add.reduceat(values < np.repeat(targets, sizes), cuts[:-1])
        costs = np.stack([sizes - 2 * above, sizes - 2 * below]).astype(np.float64)
        costs[:, sizes % 2 == 0] = np.inf
        costs[0, targets >= ceiling] = np.inf
        costs[1, targets <= 0] = np.inf
        sign, group = np.unravel_index(int(costs.argmin()), costs.shape)
        if np.isfinite(costs[sign, group]):
            targets[group] += 1 if sign == 0 else -1
    return np.repeat(targets, sizes)
