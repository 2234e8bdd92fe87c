"""Full domain: every value of a quasi-identifier generalized to the same level of its hierarchy.

Methods that choose levels for whole attributes need the same three things: a hierarchy for every quasi-identifier (if
the policy gives none, the one of its type); the distinct combinations of values with their counts, which are far fewer
than the records and shrink as levels rise; and the release that results from a choice of levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.hierarchies.auto import Auto
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.kernels.tables.classes import number_rows
from antifaz.kernels.tables.conditions import BOUNDED, NESTED, ORDERED, Conditions
from antifaz.tables.classes.rules import classes_satisfy
from antifaz.tables.labels.recode import SUPPRESSED
from antifaz.tables.labels.space import group_losses
from antifaz.tables.masking.masking import keep_records, refuse_bounds, why_left_out, write_column
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch, unwatched


@dataclass(frozen=True)
class Domain:
    """A quasi-identifier and the hierarchy that generalizes it."""

    attribute: Attribute
    hierarchy: Generalization
    stated: bool
    """Whether the policy gives the hierarchy; else it is the one of the type."""

    @classmethod
    def of(cls, attribute: Attribute) -> "Domain":
        """The attribute's own hierarchy, or the one of its type."""
        if attribute.generalization is not None:
            return cls(attribute, attribute.generalization, True)
        column = attribute.column
        return cls(attribute, Auto().resolve(column.name, column.values, column.numbers), False)

    @property
    def top(self) -> int:
        """The level of the root."""
        return self.hierarchy.levels - 1

    @cached_property
    def losses(self) -> tuple[NDArray[np.float64], ...]:
        """For each level, the loss of each group; a root that shows nothing loses everything."""
        losses = group_losses(self.hierarchy)
        if len(self.hierarchy.labels[-1]) == 1 and self.hierarchy.labels[-1][0] == SUPPRESSED:
            losses[-1][:] = 1.0
        return losses

    @cached_property
    def _examples(self) -> tuple[NDArray[np.int64], ...]:
        """For each level, one value of each group."""
        found = []
        for groups, labels in zip(self.hierarchy.groups, self.hierarchy.labels, strict=True):
            example = np.zeros(len(labels), dtype=np.int64)
            example[groups] = np.arange(len(groups))
            found.append(example)
        return tuple(found)

    def lift(self, low: int, high: int) -> NDArray[np.int32]:
        """For every group of one level, the group of a higher level that contains it."""
        return np.asarray(self.hierarchy.groups[high][self._examples[low]], dtype=np.int32)


def domains_of(table: Table, method: str, watch: Watch = unwatched) -> tuple[Domain, ...]:
    """The domains of all quasi-identifiers; `InvalidPolicy` if one is to be written as bounds."""
    refuse_bounds(table.quasi_identifiers, method)
    domains = []
    for attribute in table.quasi_identifiers:
        watch(0.0)
        domains.append(Domain.of(attribute))
    return tuple(domains)


@dataclass(frozen=True)
class Tuples:
    """The distinct combinations of quasi-identifiers at some levels, and the number of records with each."""

    levels: tuple[int, ...]
    codes: NDArray[np.int32]
    """Shape (combinations, attributes): groups of the levels."""
    counts: NDArray[np.int64]
    homes: NDArray[np.int64]
    """For every combination that these were made from (at first, for every record), its combination here."""

    @classmethod
    def of(cls, table: Table, domains: Sequence[Domain]) -> "Tuples":
        """The combinations of the original values."""
        if not domains:
            levels: tuple[int, ...] = ()
            homes = np.zeros(table.n, dtype=np.int64)
            return cls(levels, np.zeros((1, 0), dtype=np.int32), np.array([table.n], dtype=np.int64), homes)
        stacked = np.stack([domain.attribute.column.codes for domain in domains], axis=1)
        return _gather((0,) * len(domains), stacked, np.ones(table.n, dtype=np.int64))

    def raised(self, domains: Sequence[Domain], levels: Sequence[int]) -> "Tuples":
        """The combinations at levels none of which is lower; homes refer to this object's combinations."""
        codes = self.codes.copy()
        for index, (low, high) in enumerate(zip(self.levels, levels, strict=True)):
            if low != high:
                codes[:, index] = domains[index].lift(low, high)[codes[:, index]]
        return _gather(tuple(levels), codes, self.counts)


def _gather(levels: tuple[int, ...], codes: NDArray[np.int32], counts: NDArray[np.int64]) -> Tuples:
    homes, size = number_rows(np.ascontiguousarray(codes, dtype=np.int32))
    examples = np.empty(size, dtype=np.int64)
    examples[homes[::-1]] = np.arange(len(homes) - 1, -1, -1)
    total = np.bincount(homes, weights=counts, minlength=size).astype(np.int64)
    return Tuples(levels, codes[examples], total, homes)


def may_leave_out(conditions: Conditions, records: int) -> int:
    """The number of records that a method may leave out.

    Zero if a guarantee compares classes with all released records: each record that is left out would change the
    distribution that the others are compared with.
    """
    return 0 if np.isin(conditions.kinds, (BOUNDED, NESTED, ORDERED)).any() else records


def combinations_satisfy(
    conditions: Conditions, tuples: Tuples, records: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """For every combination, whether its records satisfy the conditions; ``records`` gives each one's combination."""
    if len(conditions.kinds) == 0:
        return np.asarray(tuples.counts >= conditions.least)
    if records is None:
        raise TypeError("conditions on sensitive values need the records")
    return classes_satisfy(conditions, records, len(tuples.counts))


def release_levels(
    table: Table,
    domains: Sequence[Domain],
    levels: Sequence[int],
    records: NDArray[np.int64],
    account: dict[str, Any],
    guarantees: Sequence[TableGuarantee] = (),
) -> ProtectedTable:
    """Some records of the table with every quasi-identifier at its level, other columns unchanged.

    The account states which guarantees the classes of the other records break.
    """
    by_name = {domain.attribute.name: (domain, level) for domain, level in zip(domains, levels, strict=True)}
    columns: list[ReleasedColumn] = []
    for attribute in table.attributes:
        if attribute.role is Role.QUASI_IDENTIFIER:
            columns.append(write_level(*by_name[attribute.name], records))
        elif attribute.role is not Role.IDENTIFIER:
            columns.append(keep_records(attribute, records))
    stated = {domain.attribute.name: int(level) for domain, level in zip(domains, levels, strict=True)}
    account = {**account, "levels": stated}
    if len(records) < table.n and guarantees:
        kept = np.zeros(table.n, dtype=np.bool_)
        kept[records] = True
        base = Tuples.of(table, domains)
        homes = base.raised(domains, levels).homes[base.homes]
        everyone = np.arange(table.n, dtype=np.int64)
        whole = ProtectedTable(tuple(keep_records(a, everyone) for a in table.having(Role.SENSITIVE)), everyone)
        account["suppressed_because"] = why_left_out(table, whole, guarantees, homes, kept)
    return ProtectedTable(tuple(columns), records, account)


def write_level(
    domain: Domain, level: int, records: NDArray[np.int64], hidden: NDArray[np.bool_] | None = None
) -> ReleasedColumn:
    """The column of one quasi-identifier at a level; cells that are ``hidden`` show a star."""
    groups = domain.hierarchy.groups[level][domain.attribute.column.codes[records]]
    labels, losses = domain.hierarchy.labels[level], domain.losses[level]
    if hidden is not None and hidden.any():
        groups = np.where(hidden, len(labels), groups).astype(np.int32)
        labels, losses = np.append(labels, SUPPRESSED), np.append(losses, 1.0)
    source = "the policy's hierarchy" if domain.stated else "the hierarchy of its type"
    meaning = "the original value" if level == 0 else f"level {level} of {source}"
    return write_column(domain.attribute, groups, labels, meaning, losses)
