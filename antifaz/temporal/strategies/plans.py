"""Plans: one degree for all members of a class, such that a graph with these degrees exists.

A slot is a node, or a rank among the degrees of a snapshot. In a directed graph it has two sides; all sending sides
come first, then all receiving sides. All sides of a class get the same degree. The degrees of an undirected graph have
an even sum and pass the test of Erdős and Gallai; in a directed graph the out-degrees and the in-degrees have the same
sum.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.temporal.strategies.realizable import is_digraphical, is_graphical
from antifaz.watch import Watch

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

MOST_ROUNDS = 64
"""How often the highest degrees are lowered before the empty plan is used."""


@dataclass(frozen=True)
class Plan:
    """The class of every side, the target degree of every class, and the current degrees of the sides."""

    degrees: Integers
    """Current degrees, by snapshot and side."""
    weights: Numbers
    """Weight of a unit of change in each snapshot."""
    classes: Integers
    targets: Integers
    directed: bool

    @property
    def slots(self) -> int:
        return len(self.classes) // (2 if self.directed else 1)

    @property
    def sizes(self) -> Integers:
        return np.bincount(self.classes, minlength=len(self.targets)).astype(np.int64)

    @property
    def row(self) -> Integers:
        """The target of every side."""
        return np.asarray(self.targets[self.classes], dtype=np.int64)

    def realizable(self) -> "Plan":
        """Return this plan or a similar one that a graph can have; if none is found, the plan without edges."""
        plan = self
        for number in range(MOST_ROUNDS):
            settled = plan._balanced() if plan.directed else plan._even()
            if settled is not None and settled._has_graph():  # noqa: SLF001 - a plan of the same class
                return settled
            plan = plan._lowered(1 << (number // 16))
        return replace(self, targets=np.zeros_like(self.targets))

    def _has_graph(self) -> bool:
        row = self.row
        if not self.directed:
            return is_graphical(row)
        return is_digraphical(row[: self.slots], row[self.slots :])

    def _even(self) -> "Plan | None":
        """Return the plan with an even sum: if it is odd, shift the cheapest class of odd size by one."""
        odd = self.sizes % 2 == 1
        if not int((self.sizes * self.targets).sum()) % 2:
            return self
        prices = self._shift_prices()
        prices[:, ~odd] = np.inf
        return self._shifted(prices)

    def _shift_prices(self) -> Numbers:
        """Return the cost of moving each class up by one (first row) and down by one; infinite if out of bounds."""
        row = self.row
        weights = self.weights[:, None]
        above = (np.where(self.degrees > row, -1.0, 1.0) * weights).sum(axis=0)
        below = (np.where(self.degrees < row, -1.0, 1.0) * weights).sum(axis=0)
        sums = [np.bincount(self.classes, each, len(self.targets)) for each in (above, below)]
        prices = np.stack(sums).astype(np.float64)
        prices[0, self.targets >= self.slots - 1] = np.inf
        prices[1, self.targets <= 0] = np.inf
        return prices

    def _shifted(self, prices: Numbers) -> "Plan | None":
        down, chosen = np.unravel_index(int(prices.argmin()), prices.shape)
        if not np.isfinite(prices[down, chosen]):
            return None
        targets = self.targets.copy()
        targets[chosen] += -1 if down else 1
        return replace(self, targets=targets)

    def _balanced(self) -> "Plan | None":
        """Return the plan with equal sums of both directions, by the cheapest shifts of one, larger classes first."""
        plan = self
        sends = np.bincount(plan.classes[: plan.slots], minlength=len(plan.targets)) > 0
        signs = np.where(sends, 1, -1)
        for _ in range(MOST_ROUNDS):
            excess = int((plan.sizes * plan.targets * signs).sum())
            if excess == 0:
                return plan
            following = plan._nearer_balance(excess, signs)
            if following is None:
                return plan._exactly_balanced(excess, signs)
            plan = following
        return None

    def _nearer_balance(self, excess: int, signs: Integers) -> "Plan | None":
        """Shift the cheapest classes that do not overshoot; None if there is none."""
        prices = self._shift_prices()
        # If too much is sent, senders move down or receivers up.
        ways = np.where(signs * np.sign(excess) > 0, 1, 0)
        price = prices[ways, np.arange(len(self.targets))] / np.maximum(self.sizes, 1)
        order = np.argsort(price, kind="stable")
        order = order[np.isfinite(price[order]) & (self.sizes[order] > 0)]
        taken = order[np.cumsum(self.sizes[order]) <= abs(excess)]
        if not len(taken):
            fitting = order[self.sizes[order] <= abs(excess)]
            taken = fitting[:1]
        if not len(taken):
            return None
        targets = self.targets.copy()
        targets[taken] += np.where(ways[taken] == 1, -1, 1)
        return replace(self, targets=targets)

    def _exactly_balanced(self, excess: int, signs: Integers) -> "Plan | None":
        """Balance an excess below the smallest class by two classes whose sizes differ by it."""
        prices = self._shift_prices()
        # Moving a sending class up adds its size to the excess; moving it down subtracts it.
        changes = np.stack([self.sizes * signs, -self.sizes * signs]).ravel()
        flat = prices.ravel()
        usable = np.flatnonzero(np.isfinite(flat) & (changes != 0))
        usable = usable[np.argsort(flat[usable], kind="stable")]
        # Of the moves that change the sum by the same number, only the cheapest two can be in the best pair.
        cheapest = _first_of_each(changes[usable], usable)
        rest = usable[~np.isin(usable, list(cheapest.values()))]
        seconds = _first_of_each(changes[rest], rest)
        best, chosen = np.inf, None
        for change, one in cheapest.items():
            other = (seconds if 2 * change == -excess else cheapest).get(-excess - change)
            if other is not None and flat[one] + flat[other] < best:
                best, chosen = flat[one] + flat[other], (one, other)
        if chosen is None:
            return None
        targets = self.targets.copy()
        for each in chosen:
            down, which = divmod(int(each), len(targets))
            targets[which] += -1 if down else 1
        return replace(self, targets=targets) if (targets >= 0).all() else None

    def _lowered(self, step: int) -> "Plan":
        """Return the plan with the highest degrees lowered."""
        ceiling = max(0, int(self.targets.max(initial=0)) - step)
        return replace(self, targets=np.minimum(self.targets, ceiling))


def _first_of_each(kinds: Integers, items: Integers) -> dict[int, int]:
    """Return the first item of every kind."""
    found, places = np.unique(kinds, return_index=True)
    return dict(zip(found.tolist(), items[places].tolist(), strict=True))


@dataclass(frozen=True)
class Task:
    """Snapshots that will have the same degrees, and how these are chosen."""

    members: Sequence[int]
    plans: Callable[[Watch], Iterable[Plan]]
    """Plans to choose from; building one may be slow, so it gets the watch."""
    by_node: Callable[[int, Integers], Integers]
    """For a snapshot and a row of targets by slot, the targets by node."""
    growth: float
    """Weight of keeping the number of edges constant, relative to the edge Jaccard."""
