"""Datafly: generalize the attribute with most values, level by level, then leave out the records that still fall short.

Sweeney, "Datafly: A System for Providing Anonymity in Medical Data", Database Security XI, 1998.

While too many records fall short of the guarantees, the quasi-identifier with the most distinct values rises one level
of its hierarchy (if the policy gives none, the one of its type) in all records. The records that fall short in the end
are left out. Too many means more than k, as in the paper, or more than the share that the policy states; no record may
be left out if a guarantee compares classes with all released records. The method works on the distinct combinations of
values and their counts, which shrink from round to round.

Guarantees: every class-wise guarantee of the policy, on every remaining class.
Cost: O(n q) to find the combinations, then O(m q) for each round over the m remaining combinations.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.kernels.tables.conditions import Conditions
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
from antifaz.tables.masking.masking import require
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Datafly(TableMethod):
    """Generalize whole attributes, the one with most values first, and leave out the few records that fall short."""

    gives: ClassVar[tuple[str, ...]] = CLASSWISE
    keeps_every_record: ClassVar[bool] = False

    name: Literal["datafly"] = "datafly"
    suppression: float | None = Field(default=None, ge=0, lt=1)
    """Largest share of records that may be left out in the end; by default up to k records, as in the paper."""

    def apply(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Raise attributes until few enough records fall short."""
        watch(0.0)
        conditions = feasible_conditions(table, guarantees, watch)
        domains = domains_of(table, self.name, watch)
        wanted = conditions.least if self.suppression is None else int(self.suppression * table.n)
        levels, kept = _climb(table, domains, conditions, may_leave_out(conditions, wanted), watch)
        watch(0.9)
        released = release_levels(table, domains, levels, np.flatnonzero(kept), {"method": self.name}, guarantees)
        require(table, released, guarantees)
        watch(1.0)
        return released


def _climb(
    table: Table, domains: Sequence[Domain], conditions: Conditions, allowed: int, watch: Watch
) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
    """The levels at which few enough records fall short, and for each record, whether it satisfies the conditions."""
    tuples = Tuples.of(table, domains)
    homes = tuples.homes
    steps = sum(domain.top for domain in domains)
    while True:
        watch(0.9 * sum(tuples.levels) / max(steps, 1))
        satisfied = combinations_satisfy(conditions, tuples, homes)
        short = int(tuples.counts[~satisfied].sum())
        widest = _widest(domains, tuples)
        if (short <= allowed and short < table.n) or widest is None:
            return tuples.levels, satisfied[homes]
        levels = [level + (index == widest) for index, level in enumerate(tuples.levels)]
        tuples = tuples.raised(domains, levels)
        homes = tuples.homes[homes]


def _widest(domains: Sequence[Domain], tuples: Tuples) -> int | None:
    """The attribute with the most distinct values among those that can rise; the first one on a tie."""
    best, most = None, 0
    for index, (domain, level) in enumerate(zip(domains, tuples.levels, strict=True)):
        if level < domain.top:
            values = int(np.count_nonzero(np.bincount(tuples.codes[:, index])))
            if values > most:
                best, most = index, values
    return best
