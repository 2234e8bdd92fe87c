"""Optimal: the choice of levels with the least loss of all that satisfy the guarantees.

Kohlmayer, Prasser, Eckert, Kemper and Kuhn, "Flash: Efficient, Stable and Optimal K-Anonymity", PASSAT 2012; LeFevre,
DeWitt and Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005.

Every quasi-identifier is generalized to one level in all records, and a bounded share of records may be left out. The
loss of a choice without suppression is a lower bound of its loss with suppression, and is known without reading the
records: choices are tried in that order until the bound exceeds the best loss found. Whole regions are ruled out by
monotonicity if that is sound: for k-anonymity and distinct values with suppression, and for all guarantees without it.
Shares of values with suppression are not monotone; there only class sizes rule out regions. If a guarantee compares
classes with all released records, none is left out, and the account states that a better choice may exist.

The best choice comes with a lower bound on the loss of any choice. If the search was not exact, the bound comes from
pairs of attributes: a pair that fails at some levels with all others at their roots fails at these levels everywhere.

`incognito` settles every choice and lists the minimal ones, which satisfy while nothing below them does, as Incognito
does; the one with the least loss is released. A lattice that is too large to list is searched from the top, best loss
first, with a bounded number of evaluations; the account then states that the search was not exact.

Guarantees: every class-wise guarantee of the policy, on every remaining class.
Cost: one grouping of distinct combinations for each evaluation; their number depends on the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Examples
from antifaz.tables.classes.rules import feasible_conditions
from antifaz.tables.lattice.classwise import CLASSWISE
from antifaz.tables.lattice.full_domain import (
    Domain,
    Tuples,
    combinations_satisfy,
    domains_of,
    may_leave_out,
    release_levels,
)
from antifaz.tables.lattice.lattice import FAILED, Lattice, Looker, Node, predecessors
from antifaz.tables.masking.masking import require
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch

LARGEST_LATTICE = 2_000_000
"""Largest number of nodes of a lattice that is listed; larger ones are searched from the top."""
MOST_LISTED = 1000
"""Largest number of minimal nodes that the account lists."""


@dataclass(frozen=True)
class Choice:
    """A node, and how it was found."""

    node: Node
    loss: float
    """Sum over all records and attributes."""
    bound: float
    """Lower bound of the loss of any choice that satisfies the guarantees."""
    exact: bool
    details: dict[str, Any]


class Optimal(TableMethod):
    """Generalize whole attributes to the levels that lose least, with a bounded share of records left out."""

    gives: ClassVar[tuple[str, ...]] = CLASSWISE
    keeps_every_record: ClassVar[bool] = False

    examples: ClassVar[Examples] = (
        {"suppression": 0.1},
        {"suppression": 0.1, "search": "incognito"},
        {"measure": "precision"},
    )
    name: Literal["optimal"] = "optimal"
    search: Literal["best", "incognito"] = "best"
    """Whether to search only for the choice with the least loss, or to list all minimal choices."""
    measure: Literal["ncp", "precision"] = "ncp"
    """Loss that is minimized: the share of the domain that a label covers, or its level as a share of the hierarchy's
    height (Sweeney's precision)."""
    suppression: float = Field(default=0.0, ge=0, lt=1)
    """Largest share of records that may be left out."""
    looks: int = Field(default=20_000, ge=1, le=1_000_000)
    """Largest number of choices that are evaluated if the lattice is too large to list."""

    def apply(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Search the lattice, and publish the best choice."""
        watch(0.0)
        conditions = feasible_conditions(table, guarantees, watch)
        domains = domains_of(table, self.name, watch)
        prices = [_price(domain, self.measure) for domain in domains]
        watch(0.0)
        base = Tuples.of(table, domains)
        wanted = int(self.suppression * table.n)
        allowed = may_leave_out(conditions, wanted)
        looker = Looker(domains, base, conditions, allowed, prices, watch)
        choice = self._search(looker, _marginals(base, domains, prices), watch)
        watch(0.95)
        chosen = base.raised(domains, choice.node)
        homes = chosen.homes[base.homes]
        kept = combinations_satisfy(conditions, chosen, homes)[homes]
        account = {
            "method": self.name,
            "exact": choice.exact and allowed == wanted,
            "loss": _per_cell(choice.loss, table),
            "bound": _per_cell(choice.bound if allowed == wanted else 0.0, table),
            "looks": looker.looks,
            # As floats: with many attributes the product exceeds 64 bits.
            "lattice": int(np.prod([domain.top + 1.0 for domain in domains])),
            **choice.details,
        }
        released = release_levels(table, domains, choice.node, np.flatnonzero(kept), account, guarantees)
        require(table, released, guarantees)
        watch(1.0)
        return released

    def _search(self, looker: Looker, marginals: list[NDArray[np.float64]], watch: Watch) -> Choice:
        size = np.prod([float(len(losses)) for losses in marginals])
        if size > LARGEST_LATTICE:
            return _descend(looker, marginals, self.looks, watch)
        lattice = Lattice.of(looker, marginals)
        if self.search == "incognito":
            return _list_minimal(lattice, watch)
        return _find_best(lattice, watch)


def _per_cell(loss: float, table: Table) -> float:
    return loss / max(table.n * len(table.quasi_identifiers), 1)


def _price(domain: Domain, measure: str) -> tuple[NDArray[np.float64], ...]:
    """The loss of a record in each group of each level."""
    if measure == "ncp":
        return domain.losses
    height = max(domain.top, 1)
    return tuple(np.full(len(labels), level / height) for level, labels in enumerate(domain.hierarchy.labels))


def _marginals(
    base: Tuples, domains: Sequence[Domain], prices: Sequence[Sequence[NDArray[np.float64]]]
) -> list[NDArray[np.float64]]:
    """For every attribute, the loss of each level, summed over the records."""
    found = []
    for index, (domain, losses) in enumerate(zip(domains, prices, strict=True)):
        values = np.bincount(base.codes[:, index], weights=base.counts, minlength=domain.hierarchy.groups.shape[1])
        levels = zip(losses, domain.hierarchy.groups, strict=True)
        found.append(np.array([float(loss[groups] @ values) for loss, groups in levels]))
    return found


def _top(lattice: Lattice) -> Node:
    return tuple(size - 1 for size in lattice.shape)


def _find_best(lattice: Lattice, watch: Watch) -> Choice:
    """Try nodes by rising bound until it exceeds the best loss."""
    best, least = _top(lattice), lattice.look(_top(lattice)).loss
    order = np.argsort(lattice.bounds, axis=None, kind="stable")
    bounds = lattice.bounds.ravel()[order]
    states = lattice.states.ravel()
    for place, (number, bound) in enumerate(zip(order.tolist(), bounds.tolist(), strict=True)):
        # The bound without suppression is known for all nodes, and those that follow have no smaller one: none can be
        # better.
        if bound >= least:
            break
        if states[number] == FAILED:
            continue
        lattice.looker.done = 0.95 * place / len(order)
        if watch(lattice.looker.done):
            return Choice(best, least, min(bound, least), False, {"stopped_early": True})
        node = tuple(int(level) for level in np.unravel_index(number, lattice.shape))
        if lattice.decide(node):
            look = lattice.look(node)
            if look.satisfied and look.loss < least:
                best, least = node, look.loss
    return Choice(best, least, least, True, {})


def _list_minimal(lattice: Lattice, watch: Watch) -> Choice:
    """Settle every node, and choose among the minimal ones."""
    satisfied = np.zeros(lattice.shape, dtype=np.bool_)
    for place, node in enumerate(np.ndindex(*lattice.shape)):
        lattice.looker.done = 0.95 * place / satisfied.size
        if place % 64 == 0 and watch(lattice.looker.done):
            return Choice(_top(lattice), lattice.look(_top(lattice)).loss, 0.0, False, {"stopped_early": True})
        satisfied[node] = lattice.decide(node) and (lattice.looker.monotone or lattice.look(node).satisfied)
    minimal = []
    for place, levels in enumerate(zip(*np.nonzero(satisfied), strict=True)):
        if place % 4096 == 0:
            watch(0.95)
        node = _plain(levels)
        if not any(satisfied[lower] for lower in predecessors(node)):
            minimal.append(node)
    best = min(minimal, key=lambda node: lattice.look(node).loss)
    listed = [list(node) for node in minimal[:MOST_LISTED]]
    least = lattice.look(best).loss
    return Choice(best, least, least, True, {"minimal": len(minimal), "minimal_levels": listed})


def _plain(levels: Sequence[Any]) -> Node:
    return tuple(int(level) for level in levels)


def _descend(looker: Looker, marginals: list[NDArray[np.float64]], looks: int, watch: Watch) -> Choice:
    """Search from the top down through satisfying nodes, least loss first, while evaluations are left."""
    top = tuple(len(losses) - 1 for losses in marginals)
    first = looker.look(top)
    best, least = top, first.loss
    bound = _bound(looker, marginals)
    heap = [(first.loss, top)]
    seen = {top}
    while heap and looker.looks < looks:
        _, node = heappop(heap)
        for lower in predecessors(node):
            looker.done = 0.95 * min(looker.looks / looks, 1.0)
            if watch(looker.done):
                return Choice(best, least, min(bound, least), False, {"stopped_early": True})
            if lower in seen:
                continue
            seen.add(lower)
            look = looker.look(lower)
            if look.satisfied:
                heappush(heap, (look.loss, lower))
                if look.loss < least:
                    best, least = lower, look.loss
    # If conditions are monotone, whatever satisfies them lies below nodes that do: an empty heap has seen them all.
    exact = not heap and looker.monotone
    return Choice(best, least, least if exact else min(bound, least), exact, {})


def _bound(looker: Looker, marginals: Sequence[NDArray[np.float64]]) -> float:
    """A lower bound of the loss of every satisfying choice, from pairs of attributes, the widest together."""
    order = sorted(range(len(marginals)), key=lambda index: -len(looker.domains[index].attribute.column.values))
    pairs = [order[start : start + 2] for start in range(0, len(order), 2)]
    return sum(_least_of(looker, marginals, pair) for pair in pairs)


def _least_of(looker: Looker, marginals: Sequence[NDArray[np.float64]], pair: Sequence[int]) -> float:
    """The least loss of one or two attributes at levels that satisfy while all others are at their roots.

    Follows the staircase between failing and satisfying levels: as the first attribute rises, the second need not.
    """
    top = [len(losses) - 1 for losses in marginals]
    first, second = pair[0], pair[-1]
    least = np.inf
    high = top[second] if len(pair) == 2 else 0
    for level in range(top[first] + 1):
        while high >= 0 and _can_hold(looker, top, {second: high, first: level}):
            least = min(least, marginals[first][level] + (marginals[second][high] if len(pair) == 2 else 0.0))
            high -= 1
        if high < 0:
            break
    return float(least) if np.isfinite(least) else 0.0


def _can_hold(looker: Looker, top: Sequence[int], levels: dict[int, int]) -> bool:
    look = looker.look(tuple(levels.get(index, level) for index, level in enumerate(top)))
    # With suppression, shares of values may hold lower down although they fail here; class sizes cannot.
    return look.satisfied if looker.monotone else look.sized
