"""Findings against a population: k-map and δ-presence.

Sweeney, "Computational Disclosure Control", PhD thesis, MIT 2001 (k-map). Nergiz, Atzori and Clifton, "Hiding the
Presence of Individuals from Shared Databases", SIGMOD 2007 (δ-presence).

The sealed map gives the population: ``{"populations": {id: {"columns": {name: {"codes": [...], "values": [...], "type":
"integer"}}}}, "hierarchies": {name: [[value, ancestor, ..., "*"], ...]}}``, a code per person and the distinct texts
they index; the rows of a hierarchy only if the policy does not contain them. `verifier.people.coverage` reads from the
text of a label what it covers. The people of each class are searched among those that its most specific label covers,
for many classes at the same time, and counted block by block: memory grows with classes and people, not with their
product.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import Classes, Whole
from verifier.people.coverage import Coverage, Reader
from verifier.readers.cells import Cells, class_of_rows
from verifier.readers.columns import attributes_of, plain_texts, released_names
from verifier.verdict.arrays import distinct
from verifier.verdict.exact import exact, rounded_down, rounded_up
from verifier.verdict.verdict import DECIDES_BLINDLY, Finding, Missing
from verifier.verdict.watch import look

_MAP_ASSUMES = (
    "the attacker knows the quasi-identifiers of everyone in the population, but not which of them are in the table"
    + DECIDES_BLINDLY
)
_PRESENCE_ASSUMES = "the attacker knows the quasi-identifiers of everyone in the population" + DECIDES_BLINDLY
_DOUBT = 1e-9
_OFTEN = 4096
_BLOCK = 1 << 20
"""Number of pairs of a class and a combination that are processed together."""


@dataclass(frozen=True)
class Index:
    """The combinations of quasi-identifiers indexed by one column, and which of them each label covers."""

    coverage: Coverage
    own: Whole
    """Combination → its value of the column."""
    labels: Whole
    """Class → its label in the column."""
    order: Whole
    """The combinations by rank of their value."""
    offsets: Whole
    """Label → its first segment."""
    begins: Whole
    ends: Whole
    """Segment → where it begins and ends in ``order``."""
    amounts: Whole
    """Class → number of combinations that its label covers."""

    @classmethod
    def of(cls, coverage: Coverage, own: Whole, labels: Whole) -> "Index":
        # A label covers a few intervals of ranks. With the combinations in order of their ranks, it covers a few slices
        # of them.
        ranks = coverage.ranks[own]
        before = np.concatenate([[0], np.cumsum(np.bincount(ranks, minlength=len(coverage.ranks)))]).astype(np.int64)
        of_segment, first, last = coverage.segments()
        begins, ends = before[first], before[last]
        filled = ends > begins
        of_segment, begins, ends = of_segment[filled], begins[filled], ends[filled]
        count = len(coverage.low)
        amounts = np.zeros(count, np.int64)
        np.add.at(amounts, of_segment, ends - begins)
        offsets = np.searchsorted(of_segment, np.arange(count + 1)).astype(np.int64)
        order = np.argsort(ranks, kind="stable").astype(np.int64)
        return cls(coverage, own, labels, order, offsets, begins, ends, amounts[labels])

    def candidates(self, classes: Whole) -> tuple[Whole, Whole]:
        """Pairs of a class, by its position among the given ones, and a combination that its label covers."""
        labels = self.labels[classes]
        counts = self.offsets[labels + 1] - self.offsets[labels]
        segments = _runs(self.offsets[labels], counts)
        lengths = self.ends[segments] - self.begins[segments]
        owners = np.repeat(np.repeat(np.arange(len(classes)), counts), lengths)
        return owners, self.order[_runs(self.begins[segments], lengths)]


def _runs(starts: Whole, lengths: Whole) -> Whole:
    """Consecutive whole numbers from each start, as many as its length, run by run."""
    before = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(starts - before, lengths).astype(np.int64)


@dataclass(frozen=True)
class Crowd:
    """The people of a population, matched with the classes of one table."""

    records: Whole
    """Number of rows of every class."""
    sizes: Whole
    """Number of people with every combination of quasi-identifiers."""
    columns: Sequence[Index]

    @cached_property
    def people(self) -> Whole:
        """Number of people that the labels of each class cover."""
        found = np.zeros(len(self.records), np.int64)
        for classes, combinations in self.covering():
            np.add.at(found, classes, self.sizes[combinations])
        return found

    def covering(self) -> Iterator[tuple[Whole, Whole]]:
        """Every pair of a class and a combination that it covers, block by block; a class is always in one block."""
        amounts = np.stack([column.amounts for column in self.columns])
        # Each class is searched in the column where its label covers fewest combinations; its other labels then only
        # discard some of these.
        narrowest = amounts.argmin(axis=0)
        for place, column in enumerate(self.columns):
            mine = np.flatnonzero(narrowest == place)
            turns = np.cumsum(amounts[place, mine]) // _BLOCK
            for classes in np.split(mine, np.flatnonzero(np.diff(turns)) + 1) if len(mine) else ():
                look()
                yield self._covered(classes, column)

    def _covered(self, classes: Whole, narrowest: Index) -> tuple[Whole, Whole]:
        owners, combinations = narrowest.candidates(classes)
        owners = classes[owners]
        for column in self.columns:
            if column is not narrowest:
                inside = column.coverage.covers(column.labels[owners], column.own[combinations])
                owners, combinations = owners[inside], combinations[inside]
        return owners, combinations


def find_k_map(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The fewest people of the population that match a class."""
    required = {"k": guarantee.get("k"), "population": guarantee.get("population")}
    k = required["k"]
    flaw = "" if isinstance(k, int) and not isinstance(k, bool) and k >= 2 else "k is not a whole number above 1"
    crowds, flaw = _crowds(evidence, str(required["population"]), flaw)
    achieved: dict[str, Any] = {}
    if not flaw:
        achieved = {"k": min(int(crowd.people.min()) for crowd in crowds)}
        flaw = "" if achieved["k"] >= guarantee["k"] else "a class matches fewer than k people of the population"
    return Finding("k_map", required, achieved, not flaw, "bytes+sealed_map", _MAP_ASSUMES, flaw)


def find_delta_presence(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The smallest and the largest chance that a person of the population is in the table.

    Each person that a class covers is in it with the chance rows / people. If several classes cover a person, the
    chance is at most the sum and at least the largest of theirs; a person that no class covers is certainly absent.
    """
    required = {
        "minimum": guarantee.get("minimum", 0),
        "maximum": guarantee.get("maximum"),
        "population": guarantee.get("population"),
    }
    low, high = exact(required["minimum"]), exact(required["maximum"])
    flaw = "" if low is not None and high is not None and 0 <= low <= high <= 1 else "the bounds are not shares"
    crowds, flaw = _crowds(evidence, str(required["population"]), flaw)
    achieved: dict[str, Any] = {}
    if not flaw and low is not None and high is not None:
        presences = [_presence(crowd, low, high) for crowd in crowds]
        achieved = {
            "minimum": rounded_down(min(least for least, _, _ in presences)),
            "maximum": rounded_up(max(most for _, most, _ in presences)),
        }
        flaw = next((failure for _, _, failure in presences if failure), "")
    return Finding("delta_presence", required, achieved, not flaw, "bytes+sealed_map", _PRESENCE_ASSUMES, flaw)


def _presence(crowd: Crowd, low: Fraction, high: Fraction) -> tuple[float, float, str]:
    """The smallest and the largest chance of presence, and what is wrong with them."""
    most, least = np.zeros(len(crowd.sizes)), np.zeros(len(crowd.sizes))
    shares = crowd.records / np.maximum(crowd.people, 1)
    for classes, combinations in crowd.covering():
        np.add.at(most, combinations, shares[classes])
        np.maximum.at(least, combinations, shares[classes])
    # Sums of floats this close to a bound do not decide: they are added again as fractions.
    doubtful = np.flatnonzero((np.abs(most - float(high)) <= _DOUBT) | (np.abs(least - float(low)) <= _DOUBT))
    chances = _exact_chances(crowd, doubtful)
    sure = np.delete(np.arange(len(most)), doubtful)
    failure = ""
    if (most[sure] > float(high)).any() or any(sum(shares) > high for shares in chances):
        failure = "a person's presence is more likely than the maximum"
    elif (least[sure] < float(low)).any() or any(max(shares, default=Fraction(0)) < low for shares in chances):
        failure = "a person's presence is less likely than the minimum"
    return float(least.min()), float(most.max()), failure


def _exact_chances(crowd: Crowd, chosen: NDArray[np.intp]) -> set[tuple[Fraction, ...]]:
    """For each chosen combination, the exact shares rows / people of the classes that cover it."""
    wanted = np.zeros(len(crowd.sizes), np.bool_)
    wanted[chosen] = True
    pairs = [(classes[wanted[found]], found[wanted[found]]) for classes, found in crowd.covering()]
    classes, combinations = (np.concatenate(side) for side in zip(*pairs, strict=True))
    # Few shares are different: each becomes a fraction once, and combinations covered with the same shares are judged
    # once.
    share, kinds = np.unique(np.stack([crowd.records, crowd.people]), axis=1, return_inverse=True)
    fractions = [Fraction(int(rows), max(int(people), 1)) for rows, people in share.T]
    kinds = kinds.ravel()[classes]
    order = np.lexsort((kinds, combinations))
    cuts = np.flatnonzero(np.diff(combinations[order])) + 1
    covered = {group.tobytes() for group in _groups(kinds[order], cuts)}
    # A chosen combination that no class covers has no pair above, but its people are absent for sure.
    lonely = set() if len(distinct(combinations)) == len(chosen) else {b""}
    return {tuple(fractions[kind] for kind in np.frombuffer(group, np.int64)) for group in covered | lonely}


def _groups(items: Whole, cuts: NDArray[np.intp]) -> Iterator[Whole]:
    """The items between one cut and the next."""
    edges = [0, *cuts.tolist(), len(items)] if len(items) else []
    for place, (start, stop) in enumerate(pairwise(edges)):
        if place % _OFTEN == 0:
            look()
        yield items[start:stop]


def _crowds(evidence: Evidence, population: str, flaw: str) -> tuple[list[Crowd], str]:
    """The population matched with every table of the release, or why this is not possible."""
    flaw = evidence.flaw or flaw
    sealed = (evidence.sealed_map or {}).get("populations") or {}
    people: Mapping[str, Any] = (sealed.get(population) or {}).get("columns") or {}
    if not flaw and not people:
        flaw = Missing("there is no sealed map of the population")
    crowds: list[Crowd] = []
    for cells, classes in zip(evidence.tables, evidence.classes, strict=True) if not flaw else ():
        outcome = "a quasi-identifier is missing" if classes is None else _gather(evidence, cells, classes, people)
        if isinstance(outcome, str):
            return [], outcome
        crowds.append(outcome)
    if any((crowd.records > crowd.people).any() for crowd in crowds):
        return [], "a class has more rows than there are people whom it covers"
    return crowds, flaw


def _gather(evidence: Evidence, cells: Cells, classes: Classes, people: Mapping[str, Any]) -> Crowd | str:
    """Count the people that the labels of every class cover."""
    quasi = {n: s for n, s in attributes_of(evidence.policy).items() if s.get("role") == "quasi_identifier"}
    if set(quasi) - set(people):
        return "the population lacks a quasi-identifier"
    codes = [np.asarray(people[name]["codes"], np.int64) for name in quasi]
    if len({len(column) for column in codes}) != 1 or not len(codes[0]):
        return "the columns of the population have different lengths"
    domains = [list(people[name]["values"]) for name in quasi]
    sizes_ = [len(domain) for domain in domains]
    if any(column.min() < 0 or column.max() >= size for column, size in zip(codes, sizes_, strict=True)):
        return "the columns of the population do not fit their values"
    combination, count = class_of_rows(zip(codes, sizes_, strict=True), len(codes[0]))
    # Any person, and below any row, shows the values of its combination or class.
    example = np.zeros(count, np.int64)
    example[combination] = np.arange(len(combination))
    sizes = np.bincount(combination, minlength=count).astype(np.int64)
    first = np.zeros(classes.count, np.int64)
    first[classes.of_row] = np.arange(len(classes.of_row))
    columns = []
    for place, (name, settings) in enumerate(quasi.items()):
        for released in released_names(name, settings):
            reader = Reader.of(released, name, settings, people[name].get("type"), evidence.sealed_map)
            coverage = reader.read(plain_texts(cells, released), domains[place])
            labels = cells.column(released).codes[first]
            columns.append(Index.of(coverage, codes[place][example], labels))
    return Crowd(classes.sizes, sizes, columns)
