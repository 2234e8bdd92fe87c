"""Microaggregation: groups of at least k similar records, each replaced by its center.

Domingo-Ferrer and Mateo-Sanz, "Practical Data-Oriented Microaggregation for Statistical Disclosure Control", IEEE TKDE
2002; Hansen and Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation", IEEE TKDE 2003;
Domingo-Ferrer and Torra, "Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation", Data Mining and
Knowledge Discovery 2005 (MDAV).

`multivariate` groups records by all attributes together: numbers are standardized; the distance of two texts is the
number of levels of their hierarchy at which they still differ (without a hierarchy, whether they differ). A large table
is first cut at medians into blocks, and each block is grouped exactly by MDAV. `univariate` groups each attribute by
itself, for numbers with the least possible squared error. A group shows the mean of its numbers (or the median, if that
is the attribute's recoding), the lowest common ancestor of texts with a hierarchy, and the most frequent of other
texts.

If the policy names a privacy unit, groups with records of fewer than k people are merged with the nearest other group
until none is left.

Guarantees: k-anonymity if all quasi-identifiers are grouped together, as `multivariate` does by default. Grouping two
or more attributes separately does not give it: the result is checked, and refused if it falls short.
Cost: O(n k) for each attribute, univariate; O(n b q / k) with blocks of b records, multivariate.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.arrays import distinct
from antifaz.errors import Infeasible, InvalidPolicy, Reason
from antifaz.kernels.numba.lists import distinct_by_class
from antifaz.kernels.tables.microaggregate import group_around, group_sorted
from antifaz.tables.classes.classes import crowds
from antifaz.tables.classes.rules import state_conditions
from antifaz.tables.labels.recode import Classes, Labelling, label_ancestors, label_centers
from antifaz.tables.labels.space import depth_first
from antifaz.tables.masking.masking import (
    Masking,
    chosen_attributes,
    is_any,
    is_measured,
    numbers_of,
    release_changed,
    write_column,
)
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, Column, ProtectedTable, Recoding, ReleasedColumn, Table
from antifaz.watch import Watch, within

LARGEST_EXACT = 30_000
"""Largest table, in records, that is grouped without blocks."""
LARGEST_BLOCK = 16_000
SMALLER_BLOCK = 5_000
MANY_RECORDS = 250_000
"""Tables with more records than this are cut into the smaller blocks."""
DIFFERENCE = 2.0
"""Squared distance of two texts that have nothing in common: the mean squared distance of two standardized numbers."""


class Microaggregation(Masking):
    """Replace the values of groups of at least k similar records by the groups' centers."""

    gives: ClassVar[tuple[str, ...]] = ("k_anonymity",)

    name: Literal["microaggregation"] = "microaggregation"
    variant: Literal["multivariate", "univariate"] = "multivariate"
    """Whether attributes are grouped together or each by itself."""
    size: int | None = Field(default=None, ge=2)
    """Smallest size of a group, in people if the policy names a privacy unit, else in records; by default the k of the
    policy's guarantees."""
    attributes: list[str] | None = None
    """Attributes that are grouped; by default all quasi-identifiers."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Group the records, and publish each group's centers."""
        least = self._least(table, guarantees)
        chosen = chosen_attributes(table, self.attributes, is_any, "any type")
        if self.variant == "univariate":
            shares = [within(watch, 0.9 * p / len(chosen), 0.9 * (p + 1) / len(chosen)) for p in range(len(chosen))]
            alone = {a.name: _group_one(a, least, share) for a, share in zip(chosen, shares, strict=True)}
            classes = {
                name: _merge_small_groups(found, table.unit, least, _next_group) for name, found in alone.items()
            }
            watch(0.9)
        else:
            together = _group_all(chosen, table, least, within(watch, 0.0, 0.9))
            classes = {a.name: together for a in chosen}
        changed = {a.name: _write(a, classes[a.name]) for a in chosen}
        groups = {name: len(found.bounds) - 1 for name, found in classes.items()}
        account = {"method": self.name, "variant": self.variant, "size": least, "groups": groups}
        return release_changed(table, changed, None, account)

    def _least(self, table: Table, guarantees: Sequence[TableGuarantee]) -> int:
        target = state_conditions(table, guarantees).least
        least = max(target, self.size or 1)
        if least < 2:
            raise InvalidPolicy("/method/size", "is required if no guarantee states k")
        people = table.n if table.unit is None else len(distinct(table.unit))
        if least > people:
            detail = f"fewer {'records' if table.unit is None else 'people'} than k"
            raise Infeasible([Reason("k_anonymity", limit=least, measured=people, detail=detail)])
        return least


def _group_one(attribute: Attribute, least: int, watch: Watch) -> Classes:
    """Groups of one attribute: neighboring values; the missing value by itself if it is frequent enough."""
    column = attribute.column
    if column.numbers is not None:
        places, positions = column.codes.astype(np.int64), column.numbers
    elif attribute.generalization is not None:
        places = depth_first(attribute.generalization)[column.codes]
        positions = np.arange(len(column.values), dtype=np.float64)
    else:
        places, positions = column.codes.astype(np.int64), np.arange(len(column.values), dtype=np.float64)
    order = np.argsort(places, kind="stable")
    numbers = positions[places[order]]
    lost = int(np.isnan(numbers).sum())
    bounds = _bound(numbers, lost, least, watch)
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return Classes(labels, order, bounds)


def _bound(numbers: NDArray[np.float64], lost: int, least: int, watch: Watch) -> NDArray[np.int64]:
    """The bounds of groups of sorted numbers, of which the first ``lost`` are missing."""
    if len(numbers) - lost < least:
        return np.array([0, len(numbers)], dtype=np.int64)
    known = group_sorted(np.ascontiguousarray(numbers[lost:]), least, watch) + lost
    if lost >= least:
        return np.concatenate([[0], known])
    # Too few missing values for a group: they join the lowest one, which then is suppressed.
    known[0] = 0
    return known


def _group_all(attributes: Sequence[Attribute], table: Table, least: int, watch: Watch) -> Classes:
    """Groups of all attributes together, block by block."""
    records = table.n
    numbers, codes, weights = _coordinates(attributes, records)
    labels = np.full(records, -1, dtype=np.int64)
    domain = int(codes.max(initial=-1)) + 1
    groups, done = 0, 0
    for block in _cut_blocks(numbers, codes, np.arange(records, dtype=np.int64), _largest_block(records, least)):
        watch(done / records)
        found = np.full(len(block), -1, dtype=np.int64)
        inside = np.arange(len(block), dtype=np.int64)
        share = within(watch, done / records, (done + len(block)) / records)
        groups = group_around(numbers[block], codes[block], weights, inside, least, domain, groups, found, share)
        labels[block] = found
        done += len(block)
    classes = Classes.of(labels, groups)
    if table.unit is None:
        return classes
    # Only to find a near group: codes of texts are scaled to their weight as if they were numbers.
    places = np.concatenate([numbers, codes * (weights / max(domain, 1))], axis=1)
    return _merge_small_groups(classes, table.unit, least, lambda merged, short: _nearest_group(places, merged, short))


def _merge_small_groups(
    classes: Classes,
    unit: NDArray[np.int64] | None,
    least: int,
    other: Callable[[Classes, NDArray[np.bool_]], NDArray[np.int64]],
) -> Classes:
    """Merge every group with records of too few people with another group, until none is left.

    Every round merges every group that falls short, so their number falls each time.
    """
    groups = len(classes.bounds) - 1
    while unit is not None and groups > 1:
        short = crowds(classes.labels, groups, unit) < least
        if not short.any():
            break
        links = np.flatnonzero(short)
        pairs = scipy.sparse.coo_array((np.ones(len(links)), (links, other(classes, short))), shape=(groups, groups))
        groups, merged = scipy.sparse.csgraph.connected_components(pairs, directed=False)
        classes = Classes.of(merged.astype(np.int64)[classes.labels], int(groups))
    return classes


def _next_group(classes: Classes, short: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For every group that falls short, a neighbor in the order of values; several in a row are paired with each
    other."""
    places = np.flatnonzero(short)
    # Places in each run of neighboring short groups: the even ones join the next group, the odd ones the one before, so
    # that a run falls into pairs.
    firsts = np.flatnonzero(np.diff(places, prepend=-2) > 1)
    in_row = np.arange(len(places)) - np.repeat(firsts, np.diff([*firsts, len(places)]))
    step = np.where((in_row % 2 == 0) & (places < len(short) - 1), 1, -1)
    return places + step


def _nearest_group(places: NDArray[np.float64], classes: Classes, short: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For every group that falls short, the group with the nearest center."""
    sizes = np.diff(classes.bounds)
    centers = np.add.reduceat(places[classes.order], classes.bounds[:-1], axis=0) / sizes[:, None]
    own = np.flatnonzero(short)
    # The nearest center is usually the group's own, so two are asked for; of equal centers either may come first.
    nearest = np.asarray(scipy.spatial.cKDTree(centers).query(centers[own], k=2)[1], dtype=np.int64)
    return np.where(nearest[:, 0] == own, nearest[:, 1], nearest[:, 0])


def _coordinates(
    attributes: Sequence[Attribute], records: int
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """Standardized numbers, codes of texts and of missing numbers, and the distance between two different codes."""
    numbers: list[NDArray[np.float64]] = []
    codes: list[NDArray[np.int32]] = []
    weights: list[float] = []
    for attribute in attributes:
        column = attribute.column
        if is_measured(attribute):
            numbers.append(_standardize(column))
            levels = [] if column.missing < 0 else [(column.codes == column.missing).astype(np.int32)]
        elif attribute.generalization is not None:
            # One column for each level below the root: the number of levels at which two texts differ is their
            # distance.
            levels = [groups[column.codes] for groups in attribute.generalization.groups[:-1]]
        else:
            levels = [column.codes]
        codes.extend(levels)
        weights.extend([DIFFERENCE / max(len(levels), 1)] * len(levels))
    return (
        np.ascontiguousarray(np.stack(numbers, axis=1)) if numbers else np.zeros((records, 0)),
        np.ascontiguousarray(np.stack(codes, axis=1), dtype=np.int32) if codes else np.zeros((records, 0), np.int32),
        np.array(weights, dtype=np.float64),
    )


def _standardize(column: Column) -> NDArray[np.float64]:
    """The records' numbers with mean 0 and deviation 1; a missing number is placed at the mean."""
    cells = numbers_of(column)[column.codes]
    spread = float(np.nanstd(cells)) if not np.isnan(cells).all() else 0.0
    if spread == 0.0:
        return np.zeros(len(cells))
    return np.nan_to_num((cells - np.nanmean(cells)) / spread, nan=0.0)


def _largest_block(records: int, least: int) -> int:
    """The number of records grouped at a time: all of a small table, else a block of at least four groups."""
    if records <= LARGEST_EXACT:
        return records
    return max(LARGEST_BLOCK if records <= MANY_RECORDS else SMALLER_BLOCK, 4 * least)


def _cut_blocks(
    numbers: NDArray[np.float64], codes: NDArray[np.int32], members: NDArray[np.int64], largest: int
) -> list[NDArray[np.int64]]:
    """Halve the records at the median of the number that varies most, until blocks are small enough."""
    if len(members) <= largest:
        return [members]
    spreads = numbers[members].var(axis=0)
    if len(spreads) and spreads.max() > 0:
        keys = numbers[members, int(np.argmax(spreads))]
    else:
        # No number varies: halves of the order by codes, so that equal records stay together.
        keys = np.empty(len(members))
        keys[np.lexsort(codes[members].T)] = np.arange(len(members))
    half = len(members) // 2
    order = np.argpartition(keys, half)
    lower, upper = np.sort(members[order[:half]]), np.sort(members[order[half:]])
    return [*_cut_blocks(numbers, codes, lower, largest), *_cut_blocks(numbers, codes, upper, largest)]


def _write(attribute: Attribute, classes: Classes) -> ReleasedColumn:
    """The column with every group's center."""
    if is_measured(attribute):
        center = Recoding.MEDIAN if attribute.recoding is Recoding.MEDIAN else Recoding.MEAN
        labelling, meaning = label_centers(attribute.column, classes, center), f"the {center.value} of the group"
    elif attribute.generalization is not None:
        labelling, meaning = label_ancestors(attribute, classes), "a value, or its group in the hierarchy"
    else:
        labelling, meaning = _label_modes(attribute.column, classes), "the most frequent value of the group"
    codes = labelling.numbers[classes.labels]
    texts = np.array(labelling.texts, dtype=object)
    return write_column(attribute, codes, texts, meaning, labelling.losses)


def _label_modes(column: Column, classes: Classes) -> Labelling:
    """The most frequent value of every group; the lowest one on a tie."""
    groups, domain = len(classes.bounds) - 1, len(column.values)
    pairs, counts = np.unique(classes.labels * domain + column.codes, return_counts=True)
    owner, value = pairs // domain, pairs % domain
    # Sorted so that the commonest value of a group comes last, of equally common ones the lowest: it is the one that
    # remains when each is written in turn.
    order = np.lexsort((-value, counts, owner))
    modes = np.zeros(groups, dtype=np.int64)
    modes[owner[order]] = value[order]
    sorted_codes = np.ascontiguousarray(column.codes[classes.order], dtype=np.int32)
    sizes = np.diff(distinct_by_class(sorted_codes, classes.bounds, domain)[0])
    losses = np.where(sizes > 1, sizes / domain, 0.0)
    return Labelling(np.arange(groups), [str(text) for text in column.values[modes]], losses)
