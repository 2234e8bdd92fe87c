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

from collections.abc import Sequence
from itertools import chain, combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Examples
from antifaz.tables.full_domain import Domain, domains_of, write_level
from antifaz.tables.masking import Masking, release_changed
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch, within

LARGEST_KEY = 1 << 20
"""Largest packed key by which combinations are counted; above it they are renumbered."""

Subsets = list[tuple[int, ...]]


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
        domains = domains_of(table, self.name)
        subsets = _subsets(len(domains), self.combination)
        levels, codes = self._climb(table, domains, subsets, watch)
        hidden = _suppress(codes, subsets, self.threshold, within(watch, 0.8, 0.8))
        watch(0.9)
        everyone = np.arange(table.n, dtype=np.int64)
        changed = {
            domain.attribute.name: write_level(domain, level, everyone, hidden[:, index])
            for index, (domain, level) in enumerate(zip(domains, levels, strict=True))
        }
        names = [domain.attribute.name for domain in domains]
        account = {
            "method": self.name,
            "levels": dict(zip(names, levels, strict=True)),
            "cells_suppressed": dict(zip(names, hidden.sum(axis=0).tolist(), strict=True)),
        }
        return release_changed(table, changed, None, account)

    def _climb(
        self, table: Table, domains: Sequence[Domain], subsets: Subsets, watch: Watch
    ) -> tuple[list[int], NDArray[np.int64]]:
        """Levels at which few enough records have an unsafe combination, and the codes of the records there."""
        levels = [0] * len(domains)
        steps = sum(domain.top for domain in domains)
        while True:
            done = 0.8 * sum(levels) / max(steps, 1)
            codes = _codes(domains, levels, table.n)
            shown = np.zeros(codes.shape, dtype=np.bool_)
            unsafe = _unsafe(codes, shown, subsets, self.threshold, within(watch, done, done))
            open_ = [index for index, domain in enumerate(domains) if levels[index] < domain.top]
            if not open_ or unsafe.any(axis=1).mean() <= self.unsafe:
                return levels, codes
            takes_part = unsafe.sum(axis=0) @ _incidence(subsets, len(domains))
            levels[max(open_, key=lambda index: takes_part[index])] += 1


def _subsets(attributes: int, largest: int) -> Subsets:
    """All combinations of up to the given number of attributes."""
    return [subset for size in range(1, largest + 1) for subset in combinations(range(attributes), size)]


def _incidence(subsets: Subsets, attributes: int) -> NDArray[np.int64]:
    """The attributes of each subset, shape (subsets, attributes)."""
    incidence = np.zeros((len(subsets), attributes), dtype=np.int64)
    sizes = np.array([len(subset) for subset in subsets], dtype=np.int64)
    incidence[np.repeat(np.arange(len(subsets)), sizes), np.fromiter(chain.from_iterable(subsets), np.int64)] = 1
    return incidence


def _codes(domains: Sequence[Domain], levels: Sequence[int], records: int) -> NDArray[np.int64]:
    """The groups of all records; groups with the same label are the same to a reader."""
    codes = np.zeros((records, len(domains)), dtype=np.int64)
    for index, (domain, level) in enumerate(zip(domains, levels, strict=True)):
        merged = np.unique(domain.hierarchy.labels[level], return_inverse=True)[1]
        codes[:, index] = merged[domain.hierarchy.groups[level][domain.attribute.column.codes]]
    return codes


def _unsafe(
    codes: NDArray[np.int64], hidden: NDArray[np.bool_], subsets: Subsets, threshold: int, watch: Watch
) -> NDArray[np.bool_]:
    """Whether a record's shown values in a subset are too rare, shape (records, subsets)."""
    found = np.zeros((len(codes), len(subsets)), dtype=np.bool_)
    sizes = codes.max(axis=0, initial=0) + 1
    for index, subset in enumerate(subsets):
        watch(0.0)
        columns = list(subset)
        shown = np.flatnonzero(~hidden[:, columns].any(axis=1))
        keys = _pack(codes[shown][:, columns], sizes[columns])
        found[shown, index] = np.asarray(np.bincount(keys) < threshold)[keys]
    return found


def _pack(codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """One small number for every combination of codes."""
    keys, bound = np.zeros(len(codes), dtype=np.int64), 1
    for column, size in zip(codes.T, sizes.tolist(), strict=True):
        keys, bound = keys * size + column, bound * size
        if bound > LARGEST_KEY:
            distinct, numbers = np.unique(keys, return_inverse=True)
            keys, bound = numbers.astype(np.int64), len(distinct)
    return keys


def _suppress(codes: NDArray[np.int64], subsets: Subsets, threshold: int, watch: Watch) -> NDArray[np.bool_]:
    """The cells to hide so that no unsafe combination is shown, shape (records, attributes)."""
    hidden = np.zeros(codes.shape, dtype=np.bool_)
    incidence = _incidence(subsets, codes.shape[1])
    while True:
        unsafe = _unsafe(codes, hidden, subsets, threshold, watch)
        records = np.flatnonzero(unsafe.any(axis=1))
        if not len(records):
            return hidden
        open_ = np.asarray(unsafe[records])
        while open_.any():
            watch(0.0)
            worst = np.argmax(open_.astype(np.int64) @ incidence, axis=1)
            affected = np.asarray(open_.any(axis=1))
            hidden[records[affected], worst[affected]] = True
            open_ &= ~((incidence.T > 0)[worst] & affected[:, None])
