"""The basic guarantees, each computed as a count over the classes or the degrees of a release.

Samarati and Sweeney, "Protecting Privacy when Disclosing Information: k-Anonymity and Its Enforcement through
Generalization and Suppression", 1998. Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy
Beyond k-Anonymity", ICDE 2006. Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008.

If a floating-point number is too close to its bound to be trusted, the comparison is repeated in whole numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from verifier.readers.cells import class_of_rows
from verifier.verdict.arrays import distinct
from verifier.verdict.watch import look

Whole = NDArray[np.int64]

_DOUBT = 1e-9
_LARGEST_EXACT = 2**16
_DECIMALS = 6


@dataclass(frozen=True)
class Classes:
    """The equivalence classes of a table: the class of every row."""

    of_row: Whole
    count: int

    @property
    def sizes(self) -> Whole:
        return np.bincount(self.of_row, minlength=self.count).astype(np.int64)


@dataclass(frozen=True)
class Tallies:
    """Counts of each sensitive value in each class, sorted by class and then from the most frequent down."""

    counts: Whole
    class_of: Whole
    starts: Whole
    """Position where each class begins."""


def smallest_class(classes: Classes, units: Whole | None) -> int:
    """The number of rows, or of distinct persons, in the smallest class."""
    if not classes.count:
        return 0
    if units is None:
        return int(classes.sizes.min())
    _, persons = np.unique(units, return_inverse=True)
    bound = np.int64(persons.max() + 1)
    pairs = distinct(classes.of_row * bound + persons)
    return int(np.bincount(pairs // bound, minlength=classes.count).min())


def tally(classes: Classes, values: Whole, size: int) -> Tallies:
    """Count the sensitive values, given as codes below ``size``, in every class."""
    pairs, counts = np.unique(classes.of_row * np.int64(max(size, 1)) + values, return_counts=True)
    class_of = pairs // max(size, 1)
    order = np.lexsort((-counts, class_of))
    starts = np.flatnonzero(np.diff(class_of, prepend=-1))
    return Tallies(counts[order].astype(np.int64), class_of, starts.astype(np.int64))


def distinct_l(tallies: Tallies) -> int:
    """The fewest distinct sensitive values in a class."""
    return int(np.bincount(tallies.class_of).min()) if tallies.counts.size else 0


def entropy_l(tallies: Tallies, required: Fraction) -> tuple[float, bool]:
    """The smallest exp(entropy) of a class, rounded down, and whether every class reaches the required l."""
    if not tallies.counts.size:
        return 0.0, False
    sizes = np.add.reduceat(tallies.counts, tallies.starts)
    weighted = np.add.reduceat(tallies.counts * np.log(tallies.counts), tallies.starts)
    entropies = np.log(sizes) - weighted / sizes
    gaps = entropies - math.log(required)
    holds = bool((gaps > -_DOUBT).all()) and all(
        _exactly_diverse(members, required) for members in _members(tallies, np.flatnonzero(np.abs(gaps) <= _DOUBT))
    )
    scale = 10**_DECIMALS
    return math.floor((math.exp(float(entropies.min())) + _DOUBT) * scale) / scale, holds


def _members(tallies: Tallies, chosen: NDArray[np.intp]) -> set[tuple[int, ...]]:
    """The distinct count vectors of the chosen classes, divided by their common factor."""
    ends = np.append(tallies.starts[1:], tallies.counts.size)
    vectors = set()
    for position in chosen:
        look()
        counts = tallies.counts[tallies.starts[position] : ends[position]]
        vectors.add(tuple((counts // np.gcd.reduce(counts)).tolist()))
    return vectors


def _exactly_diverse(counts: Sequence[int], required: Fraction) -> bool:
    """Whether exp(entropy) >= l, in whole numbers: n^n >= l^n times the product of c^c.

    A class that is too large for this, and that floating point does not decide either, counts as not diverse.
    """
    look()
    size = sum(counts)
    if size > _LARGEST_EXACT:
        return False
    product = math.prod(count**count for count in counts)
    return bool((size * required.denominator) ** size >= required.numerator**size * product)


def recursive_l(tallies: Tallies, c: Fraction) -> int:
    """The largest l for which every class is (c, l)-diverse: r1 < c (r_l + r_{l+1} + ... + r_m)."""
    if not tallies.counts.size:
        return 0
    running = np.cumsum(tallies.counts)
    position = np.repeat(np.arange(len(tallies.starts)), np.diff(tallies.starts, append=len(tallies.counts)))
    before = (running - tallies.counts)[tallies.starts]
    totals = np.add.reduceat(tallies.counts, tallies.starts)
    tails = totals[position] - (running - tallies.counts - before[position])
    most = tallies.counts[tallies.starts][position]
    below = _strictly_below(most, tails, c)
    return int(np.add.reduceat(below.astype(np.int64), tallies.starts).min())


def _strictly_below(most: Whole, tails: Whole, c: Fraction) -> NDArray[np.bool_]:
    """Elementwise most < c * tails; cases too close for floating point are decided in whole numbers."""
    scaled = float(c) * tails
    below: NDArray[np.bool_] = most < scaled
    for place in np.flatnonzero(np.abs(scaled - most) <= _DOUBT * np.maximum(most, 1)):
        look()
        below[place] = int(most[place]) * c.denominator < c.numerator * int(tails[place])
    return below


def degree_groups(n: int, sources: Whole, targets: Whole, directed: bool) -> tuple[Whole, Whole, Whole]:
    """Out-degrees, in-degrees and the sizes of the groups of nodes that share a degree (or a pair of degrees)."""
    outward = np.bincount(sources, minlength=n).astype(np.int64)
    inward = np.bincount(targets, minlength=n).astype(np.int64)
    known = [(inward, n + 1), (outward, n + 1)] if directed else [(inward + outward, 2 * n + 1)]
    group, count = class_of_rows(known, n)
    return outward, inward, np.bincount(group, minlength=count).astype(np.int64)
