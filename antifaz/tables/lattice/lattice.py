"""Lattice: which choices of levels satisfy the guarantees, found by evaluating as few of them as possible.

The choices form a lattice: one is above another if none of its levels is lower. A node is evaluated by grouping
distinct combinations, starting from the smallest table of combinations of a node below it (roll-up). If guarantees are
monotone, one evaluation settles all nodes above a satisfying one or all below a failing one; a path through undecided
nodes is settled by binary search (Kohlmayer, Prasser, Eckert, Kemper and Kuhn, "Flash: Efficient, Stable and Optimal
K-Anonymity", PASSAT 2012).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.tables.conditions import DISTINCT, Conditions
from antifaz.tables.lattice.full_domain import Domain, Tuples, combinations_satisfy
from antifaz.watch import Watch, unwatched

Node = tuple[int, ...]
"""A level for every quasi-identifier."""

UNKNOWN, SATISFIED, FAILED = 0, 1, 2
MOST_TABLES = 400
"""Largest number of tables of combinations that are kept for roll-up."""
MOST_CELLS = 30_000_000
"""Largest number of cells that these tables may have together."""


@dataclass(frozen=True)
class Look:
    """The evaluation of one node on the data."""

    satisfied: bool
    """Whether every guarantee holds when at most the allowed number of records is left out."""
    sized: bool
    """The same for the monotone conditions alone."""
    suppressed: int
    loss: float
    """Sum over all records and attributes; a record that is left out loses 1 on every attribute."""


@dataclass
class Looker:
    """Evaluates nodes and keeps tables of combinations for roll-up."""

    domains: Sequence[Domain]
    base: Tuples
    conditions: Conditions
    allowed: int
    """Number of records that may be left out."""
    prices: Sequence[Sequence[NDArray[np.float64]]]
    """For every attribute, level and group, the loss of a record in the group."""
    watch: Watch = unwatched
    done: float = 0.0
    """Fraction done, as the search last stated it: one step of a search may evaluate hundreds of nodes."""
    looks: int = 0
    _tables: list[tuple[Tuples, NDArray[np.int64] | None]] = field(default_factory=list)
    _heights: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    _sizes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _cells: int = 0

    def __post_init__(self) -> None:
        needs_records = len(self.conditions.kinds) > 0
        self._keep(self.base, self.base.homes if needs_records else None)

    @property
    def monotone(self) -> bool:
        """Whether a node above a satisfying one satisfies too.

        Without suppression, a union of satisfying classes satisfies every kind of condition. With suppression, a class
        may be united with one that was left out: minimum size and the number of distinct values still hold then, but
        limits on shares of values may not.
        """
        return self.allowed == 0 or bool(np.all(self.conditions.kinds == DISTINCT))

    def look(self, node: Node) -> Look:
        """Group the combinations at a node, judge the classes and price the release."""
        self.watch(self.done)
        self.looks += 1
        tuples, records = self._roll_up(node)
        total = int(tuples.counts.sum())
        large = tuples.counts >= self.conditions.least
        fulfilled = combinations_satisfy(self.conditions, tuples, records)
        short = int(tuples.counts[~fulfilled].sum())
        loss = self._price(node, tuples, fulfilled)
        sized = int(tuples.counts[~large].sum()) <= self.allowed
        return Look(short <= self.allowed and short < total, sized, short, loss)

    def _price(self, node: Node, tuples: Tuples, fulfilled: NDArray[np.bool_]) -> float:
        codes, counts = tuples.codes[fulfilled], tuples.counts[fulfilled]
        loss = float((tuples.counts.sum() - counts.sum()) * len(node))
        for index, level in enumerate(node):
            loss += float(self.prices[index][level][codes[:, index]] @ counts)
        return loss

    def _roll_up(self, node: Node) -> tuple[Tuples, NDArray[np.int64] | None]:
        """The combinations at a node, and the combination of every record if conditions need it."""
        below = np.flatnonzero((self._heights <= np.array(node)).all(axis=1))
        source, records = self._tables[below[np.argmin(self._sizes[below])]]
        if source.levels == node:
            return source, records
        rolled = source.raised(self.domains, node)
        homes = None if records is None else rolled.homes[records]
        self._keep(rolled, homes)
        return rolled, homes

    def _keep(self, tuples: Tuples, records: NDArray[np.int64] | None) -> None:
        cells = tuples.codes.size + (0 if records is None else len(records))
        if self._tables and (len(self._tables) >= MOST_TABLES or self._cells + cells > MOST_CELLS):
            return
        self._tables.append((tuples, records))
        self._heights = np.array([table.levels for table, _ in self._tables], dtype=np.int64).reshape(
            len(self._tables), len(self.domains)
        )
        self._sizes = np.array([len(table.counts) for table, _ in self._tables], dtype=np.int64)
        self._cells += cells


@dataclass
class Lattice:
    """The state of every node, for lattices that are small enough to list."""

    looker: Looker
    shape: tuple[int, ...]
    bounds: NDArray[np.float64]
    """For every node, the loss without suppression: a lower bound of the loss of any release at the node."""
    states: NDArray[np.int8]
    """Whether the monotone conditions hold at each node, if known."""
    seen: dict[Node, Look] = field(default_factory=dict)

    @classmethod
    def of(cls, looker: Looker, marginals: Sequence[NDArray[np.float64]]) -> "Lattice":
        """All nodes undecided; ``marginals`` gives the summed loss of each level of every attribute."""
        bounds = np.zeros(())
        for losses in marginals:
            bounds = np.add.outer(bounds, losses)
        return cls(looker, bounds.shape, bounds, np.zeros(bounds.shape, dtype=np.int8))

    def look(self, node: Node) -> Look:
        """Evaluate a node, at most once."""
        if node not in self.seen:
            self.seen[node] = self.looker.look(node)
        return self.seen[node]

    def decide(self, node: Node) -> bool:
        """Whether the monotone conditions hold at a node; settles as many other nodes as it can."""
        if self.states[node] == UNKNOWN:
            self._search(self._path(node))
        return bool(self.states[node] == SATISFIED)

    def _path(self, node: Node) -> list[Node]:
        """Undecided nodes from this one upwards, each step to the one with the least loss."""
        path = [node]
        while True:
            above = [higher for higher in _successors(path[-1], self.shape) if self.states[higher] == UNKNOWN]
            if not above:
                return path
            path.append(min(above, key=lambda higher: float(self.bounds[higher])))

    def _search(self, path: Sequence[Node]) -> None:
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._judge(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _judge(self, node: Node) -> bool:
        """Evaluate a node, and settle those above or below it."""
        look = self.look(node)
        satisfied = look.satisfied if self.looker.monotone else look.sized
        if satisfied:
            self._settle(tuple(slice(level, None) for level in node), SATISFIED)
        else:
            self._settle(tuple(slice(0, level + 1) for level in node), FAILED)
        return satisfied

    def _settle(self, region: tuple[slice, ...], state: int) -> None:
        self.states[region] = state


def _successors(node: Node, shape: Sequence[int]) -> list[Node]:
    return [
        (*node[:index], level + 1, *node[index + 1 :]) for index, level in enumerate(node) if level + 1 < shape[index]
    ]


def predecessors(node: Node) -> list[Node]:
    """The nodes directly below a node."""
    return [(*node[:index], level - 1, *node[index + 1 :]) for index, level in enumerate(node) if level > 0]
