"""Distance of the sensitive values of a class from those of the whole release.

Li, Li and Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007 (the earth mover's
distance with equal, ordered and hierarchical ground distances). Cao and Karras, "Publishing Microdata with a Robust
Privacy Guarantee", PVLDB 2012 (β-likeness). Wong, Li, Fu and Wang, "(α, k)-Anonymity", KDD 2006.

The reference is the distribution over all rows of the release. Distances are computed in floating point; those too
close to their bound to be trusted are recomputed in whole numbers.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.models import Classes, Whole
from verifier.verdict.watch import look

_DOUBT = 1e-9
_BLOCK = 4_000_000
_DIGITS = 60


@dataclass(frozen=True)
class Spread:
    """How often each value occurs in each class and in the whole release; only pairs that occur are stored."""

    class_of: Whole
    value_of: Whole
    counts: Whole
    """One entry for every pair of a class and a value that occurs in it, sorted by class and then by value."""
    sizes: Whole
    totals: Whole

    @property
    def rows(self) -> int:
        return int(self.totals.sum())

    def members(self, number: int) -> list[tuple[int, int]]:
        """The values of one class and their counts."""
        first, last = np.searchsorted(self.class_of, [number, number + 1])
        return list(zip(self.value_of[first:last].tolist(), self.counts[first:last].tolist(), strict=True))


def spread(classes: Classes, values: Whole, size: int) -> Spread:
    """Count the values, given as codes below ``size``, in every class."""
    # A class and a value are one number, so that a single sort counts all pairs that occur.
    bound = np.int64(max(size, 1))
    pairs, counts = np.unique(classes.of_row * bound + values, return_counts=True)
    totals = np.bincount(values, minlength=size).astype(np.int64)
    return Spread(pairs // bound, pairs % bound, counts.astype(np.int64), classes.sizes, totals)


def renumbered(spread_: Spread, places: Sequence[int]) -> Spread:
    """The same counts with every value's code replaced by its place; values with the same place are merged."""
    lookup, size = np.array(places, np.int64), max(places, default=-1) + 1
    values = lookup[spread_.value_of] if len(places) else spread_.value_of
    bound = np.int64(max(size, 1))
    pairs, inverse = np.unique(spread_.class_of * bound + values, return_inverse=True)
    counts = np.bincount(inverse, weights=spread_.counts).astype(np.int64)
    totals = np.bincount(lookup, weights=spread_.totals, minlength=size).astype(np.int64)
    return Spread(pairs // bound, pairs % bound, counts, spread_.sizes, totals)


def farthest(distances: NDArray[np.float64], bound: Fraction, decide: Callable[[int], Fraction]) -> tuple[float, bool]:
    """The largest distance, and whether all are within the bound; ``decide`` returns the exact distance of a class."""
    if not distances.size:
        return 0.0, False
    gaps = distances - float(bound)
    # Far from the bound floats decide; where their error could, the class is computed again as a fraction.
    doubtful = np.flatnonzero(np.abs(gaps) <= _DOUBT)
    holds = bool((gaps <= _DOUBT).all()) and all(decide(int(number)) <= bound for number in doubtful)
    return float(distances.max()), holds


def equal_distance(counted: Spread, bound: Fraction) -> tuple[float, bool]:
    """The largest distance of a class if moving between any two values costs the same: the total variation."""
    # The total variation is the sum of the positive excesses. A value that a class lacks has none there, so pairs that
    # do not occur are never needed.
    excess = _excess(counted)
    distances = np.bincount(counted.class_of, weights=np.maximum(excess, 0.0), minlength=len(counted.sizes))

    def decide(number: int) -> Fraction:
        size = int(counted.sizes[number])
        # Both shares over the common denominator size · rows: only whole numbers are added.
        surplus = sum(
            max(count * counted.rows - int(counted.totals[value]) * size, 0) for value, count in counted.members(number)
        )
        return Fraction(surplus, size * counted.rows)

    return farthest(np.asarray(distances, dtype=np.float64), bound, decide)


def _excess(counted: Spread) -> NDArray[np.float64]:
    """For every pair, the excess of the value's share in the class over its share in the release."""
    shares = counted.counts / counted.sizes[counted.class_of]
    return np.asarray(shares - counted.totals[counted.value_of] / counted.rows, dtype=np.float64)


def ordered_distance(counted: Spread, bound: Fraction) -> tuple[float, bool]:
    """The largest distance of a class if moving costs the difference of ranks; codes are ranks."""
    values = len(counted.totals)
    if values < 2:
        return 0.0, bool(counted.sizes.size)
    reference = np.cumsum(counted.totals) / counted.rows
    classes = len(counted.sizes)
    distances = np.zeros(classes)
    # A table of all classes and all values would not fit into memory: it is filled block by block.
    step = max(_BLOCK // values, 1)
    for start in range(0, classes, step):
        look()
        stop = min(start + step, classes)
        first, last = np.searchsorted(counted.class_of, [start, stop])
        dense = np.zeros((stop - start, values))
        dense[counted.class_of[first:last] - start, counted.value_of[first:last]] = counted.counts[first:last]
        # On a line, what must cross each step between two ranks is the difference of the cumulative shares there.
        cumulative = np.cumsum(dense, axis=1) / counted.sizes[start:stop, None]
        distances[start:stop] = np.abs(cumulative - reference).sum(axis=1) / (values - 1)

    def decide(number: int) -> Fraction:
        look()
        size, own = int(counted.sizes[number]), dict(counted.members(number))
        moved, carried = 0, 0
        for value, total in enumerate(counted.totals.tolist()):
            carried += own.get(value, 0) * counted.rows - total * size
            moved += abs(carried)
        return Fraction(moved, size * counted.rows * (values - 1))

    return farthest(distances, bound, decide)


def hierarchical_distance(counted: Spread, levels: Sequence[Sequence[int]], bound: Fraction) -> tuple[float, bool]:
    """The largest distance of a class if moving costs the height of the lowest common ancestor.

    ``levels`` gives the group of every value at each level, from the values to the root. In every group, mass moves
    from children with too much to children with too little, as far as possible; the rest is left to the parent.
    """
    height = len(levels) - 1
    by_level = [renumbered(counted, groups) for groups in levels]
    parents = [_parents(below, above) for below, above in itertools.pairwise(levels)]
    distances = np.zeros(len(counted.sizes))
    for level, (below, above) in enumerate(itertools.pairwise(by_level), start=1):
        size = np.int64(max(len(above.totals), 1))
        keys = above.class_of * size + above.value_of
        child_keys = below.class_of * size + parents[level - 1][below.value_of]
        surplus = np.zeros(len(keys))
        np.add.at(surplus, np.searchsorted(keys, child_keys), np.maximum(_excess(below), 0.0))
        # Li et al.: among the children of a group the smaller of surplus and deficit moves. What the group itself has
        # too much is surplus minus deficit, so the deficit is surplus minus that.
        moved = np.minimum(surplus, surplus - _excess(above))
        distances += level / height * np.bincount(above.class_of, weights=moved, minlength=len(distances))

    def decide(number: int) -> Fraction:
        return sum(
            (
                Fraction(level, height) * _moved(below, above, parents[level - 1], number)
                for level, (below, above) in enumerate(itertools.pairwise(by_level), start=1)
            ),
            Fraction(0),
        )

    return farthest(distances, bound, decide)


def _parents(below: Sequence[int], above: Sequence[int]) -> Whole:
    """For every group of one level, its group at the next."""
    parents = np.zeros(max(below, default=-1) + 1, np.int64)
    parents[list(below)] = list(above)
    return parents


def _moved(below: Spread, above: Spread, parents: Whole, number: int) -> Fraction:
    """The mass moved between the children of each group of one level, in one class."""
    look()
    size, rows = int(below.sizes[number]), below.rows
    surplus: dict[int, int] = {}
    for value, count in below.members(number):
        parent = int(parents[value])
        surplus[parent] = surplus.get(parent, 0) + max(count * rows - int(below.totals[value]) * size, 0)
    moved = 0
    for group, count in above.members(number):
        left = count * rows - int(above.totals[group]) * size
        moved += min(surplus[group], surplus[group] - left)
    return Fraction(moved, size * rows)


def largest_share(counted: Spread, bound: Fraction) -> tuple[float, bool]:
    """The largest share of one value in a class."""
    shares = counted.counts / counted.sizes[counted.class_of]

    def decide(pair: int) -> Fraction:
        return Fraction(int(counted.counts[pair]), int(counted.sizes[counted.class_of[pair]]))

    return farthest(np.asarray(shares, dtype=np.float64), bound, decide)


def largest_gain(counted: Spread, bound: Fraction, enhanced: bool) -> tuple[float, bool]:
    """The largest relative gain of a value's share in a class, and whether every value stays within its bound."""
    reference = counted.totals[counted.value_of] / counted.rows
    gains = np.asarray(_excess(counted) / reference, dtype=np.float64)
    if not enhanced:
        return farthest(gains, bound, lambda pair: _gain(counted, pair))
    # Cao and Karras: for a value of share p that is common in the release, ln(1 / p) is below β and is the stricter
    # limit.
    limits = np.minimum(float(bound), -np.log(reference))
    doubtful = np.flatnonzero(np.abs(gains - limits) <= _DOUBT)
    holds = bool((gains - limits <= _DOUBT).all()) and all(
        _within_content(counted, int(pair), bound) for pair in doubtful
    )
    return float(gains.max(initial=0.0)), holds and bool(gains.size)


def _gain(counted: Spread, pair: int) -> Fraction:
    size, total = int(counted.sizes[counted.class_of[pair]]), int(counted.totals[counted.value_of[pair]])
    return Fraction(int(counted.counts[pair]) * counted.rows, size * total) - 1


def _within_content(counted: Spread, pair: int, bound: Fraction) -> bool:
    """Whether a gain is at most β and at most ln(1 / p), the latter to sixty digits."""
    gain, total = _gain(counted, pair), int(counted.totals[counted.value_of[pair]])
    # A value of all rows has ln(1 / p) = 0: its share cannot gain anything.
    if gain > bound or total == counted.rows:
        return gain <= min(bound, Fraction(0)) if total == counted.rows else False
    with localcontext() as context:
        context.prec = _DIGITS
        content = (Decimal(counted.rows) / Decimal(total)).ln()
        return Decimal(gain.numerator) / Decimal(gain.denominator) <= content
