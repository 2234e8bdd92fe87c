"""Mu-Argus: make every small combination of quasi-identifiers frequent enough.

Hundepool and Willenborg, "mu- and tau-ARGUS: Software for Statistical Disclosure Control", 3rd International Seminar on
Statistical Confidentiality, 1996; Sweeney, "Guaranteeing Anonymity when Sharing Medical Data, the Datafly System",
Proc. AMIA, 1997, shows its limits.

A combination of up to two or three quasi-identifiers is unsafe if fewer records than the threshold have its values.
While too many records have an unsafe combination, the attribute that is part of most of them rises one level of its
hierarchy. Then single cells are suppressed, in every record the cells that are part of most of its unsafe combinations,
until none is left. A combination with a suppressed cell no longer counts for the others, so this is done in rounds.

Guarantees: none of the models of this catalogue. Every combination of that size of shown values occurs at least as
often as the threshold states; larger combinations may be unique, so it is not k-anonymity.
Cost: O(n c) for each round over the c combinations of attributes.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Examples
from antifaz.tables.lattice.full_domain import Domain, domains_of, write_level
from antifaz.tables.masking.masking import Masking, release_changed
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch, within

LARGEST_KEY = 1 << 20
"""Largest packed key by which combinations are counted; above it they are renumbered."""
SLICE = 1 << 20
"""Most cells (a record and a combination of attributes) that are looked at between two calls of the watch."""

Subset = tuple[int, ...]


class MuArgus(Masking):
    """Generalize and suppress cells until small combinations of quasi-identifiers are frequent enough."""

    gives: ClassVar[tuple[str, ...]] = ()

    examples: ClassVar[Examples] = ({}, {"combination": 2})
    name: Literal["mu_argus"] = "mu_argus"
    threshold: int = Field(default=3, ge=2)
    """Number of records that must share a combination."""
    combination: Literal[2, 3] = 3
    """Largest number of quasi-identifiers in a combination that is checked."""
    unsafe: float = Field(default=0.1, ge=0, le=1)
    """Attributes are generalized while a larger share of the records than this has an unsafe combination; in the
    remaining ones, cells are suppressed."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Generalize attributes, then suppress cells."""
        domains = domains_of(table, self.name, watch)
        levels, codes = self._climb(table, domains, watch)
        hidden = _suppress(codes, self.combination, self.threshold, within(watch, 0.8, 0.8))
        everyone = np.arange(table.n, dtype=np.int64)
        changed = {}
        for index, (domain, level) in enumerate(zip(domains, levels, strict=True)):
            watch(0.9)
            changed[domain.attribute.name] = write_level(domain, level, everyone, hidden[:, index])
        names = [domain.attribute.name for domain in domains]
        account = {
            "method": self.name,
            "levels": dict(zip(names, levels, strict=True)),
            "cells_suppressed": dict(zip(names, hidden.sum(axis=0).tolist(), strict=True)),
        }
        return release_changed(table, changed, None, account)

    def _climb(self, table: Table, domains: Sequence[Domain], watch: Watch) -> tuple[list[int], NDArray[np.int64]]:
        """Levels at which few enough records have an unsafe combination, and the codes of the records there."""
        levels = [0] * len(domains)
        steps = sum(domain.top for domain in domains)
        while True:
            done = 0.8 * sum(levels) / max(steps, 1)
            codes = _codes(domains, levels, table.n, within(watch, done, done))
            unsafe, takes_part = np.zeros(table.n, dtype=np.bool_), np.zeros(len(domains), dtype=np.int64)
            for subset, rare in _rare(codes, None, self.combination, self.threshold, within(watch, done, done)):
                unsafe |= rare
                takes_part[list(subset)] += np.count_nonzero(rare)
            open_ = [index for index, domain in enumerate(domains) if levels[index] < domain.top]
            if not open_ or unsafe.mean() <= self.unsafe:
                return levels, codes
            levels[max(open_, key=lambda index: takes_part[index])] += 1


def _subsets(attributes: int, largest: int) -> Iterator[Subset]:
    """All combinations of up to the given number of attributes, one at a time: there may be millions."""
    return chain.from_iterable(combinations(range(attributes), size) for size in range(1, largest + 1))


def _members(attributes: int, largest: int, watch: Watch) -> NDArray[np.int32]:
    """The attributes of each subset, shape (subsets, largest); where it has fewer, the number of attributes."""
    subsets, padding = _subsets(attributes, largest), (attributes,) * largest
    slices = [np.empty((0, largest), dtype=np.int32)]
    while taken := list(islice(subsets, SLICE >> 4)):
        watch(0.0)
        slices.append(np.array([(*subset, *padding)[:largest] for subset in taken], dtype=np.int32))
    return np.concatenate(slices)


def _codes(domains: Sequence[Domain], levels: Sequence[int], records: int, watch: Watch) -> NDArray[np.int64]:
    """The groups of all records; groups with the same label are the same to a reader."""
    codes = np.zeros((records, len(domains)), dtype=np.int64)
    for index, (domain, level) in enumerate(zip(domains, levels, strict=True)):
        watch(0.0)
        merged = np.unique(domain.hierarchy.labels[level], return_inverse=True)[1]
        codes[:, index] = merged[domain.hierarchy.groups[level][domain.attribute.column.codes]]
    return codes


def _rare(
    codes: NDArray[np.int64], hidden: NDArray[np.bool_] | None, largest: int, threshold: int, watch: Watch
) -> Iterator[tuple[Subset, NDArray[np.bool_]]]:
    """For each subset of attributes, whether a record's shown values there are too rare."""
    sizes = codes.max(axis=0, initial=0) + 1
    for subset in _subsets(codes.shape[1], largest):
        watch(0.0)
        columns = list(subset)
        keys = _pack(codes[:, columns], sizes[columns])
        if hidden is None:
            yield subset, np.asarray(np.bincount(keys) < threshold)[keys]
        else:
            shown = ~hidden[:, columns].any(axis=1)
            counts = np.bincount(keys, weights=shown)
            yield subset, shown & np.asarray(counts < threshold)[keys]


def _pack(codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """One small number for every combination of codes."""
    keys, bound = np.zeros(len(codes), dtype=np.int64), 1
    for column, size in zip(codes.T, sizes.tolist(), strict=True):
        keys, bound = keys * size + column, bound * size
        if bound > LARGEST_KEY:
            distinct, numbers = np.unique(keys, return_inverse=True)
            keys, bound = numbers.astype(np.int64), len(distinct)
    return keys


def _suppress(codes: NDArray[np.int64], largest: int, threshold: int, watch: Watch) -> NDArray[np.bool_]:
    """The cells to hide so that no unsafe combination is shown, shape (records, attributes)."""
    hidden = np.zeros(codes.shape, dtype=np.bool_)
    members = _members(codes.shape[1], largest, watch)
    # A bit for each subset and record: millions of subsets and thousands of records are possible.
    width = max(1, SLICE // max(len(members), 1))
    unsafe = np.empty((len(members), -(-len(codes) // 8)), dtype=np.uint8)
    while True:
        for index, (_, rare) in enumerate(_rare(codes, hidden, largest, threshold, watch)):
            unsafe[index] = np.packbits(rare)
        found = False
        for start in range(0, len(codes), width):
            watch(0.0)
            first, stop = start // 8, min(start + width, len(codes))
            bits = np.unpackbits(unsafe[:, first : -(-stop // 8)], axis=1)[:, start - 8 * first : stop - 8 * first]
            subsets, records = np.nonzero(bits)
            found |= len(records) > 0
            _hide(hidden[start:stop], records, members[subsets], watch)
        if not found:
            return hidden


def _hide(hidden: NDArray[np.bool_], records: NDArray[np.int64], members: NDArray[np.int32], watch: Watch) -> None:
    """Hide cells, in every record those that are part of most of its unsafe subsets, until each has one."""
    attributes = hidden.shape[1]
    while len(records):
        watch(0.0)
        cells = (records[:, None] * (attributes + 1) + members).ravel()
        parts = np.bincount(cells, minlength=len(hidden) * (attributes + 1)).reshape(len(hidden), attributes + 1)
        worst = np.argmax(parts[:, :attributes], axis=1)
        hidden[records, worst[records]] = True
        left = ~(members == worst[records, None]).any(axis=1)
        records, members = records[left], members[left]
