"""Marginals under differential privacy: select what to measure, measure it with noise, fit a model to it.

McKenna, Mullins, Sheldon and Miklau, "AIM: An Adaptive and Iterative Mechanism for Differentially Private Synthetic
Data", VLDB 2022: first every column, then repeatedly the pair of columns that the model fits worst, with a budget per
round that grows once a round yields only noise. McKenna, Miklau and Sheldon, "Winning the NIST Contest", Journal of
Privacy and Confidentiality 2021, for values too rare to measure, which are counted together; numbers that are close are
counted together as well. The noisy counts alone decide which ones.

Neighbors are two tables that differ by the records of one person, of which a stated number counts. Each record is in
one cell of every marginal, so the sum of changes of a marginal is at most that number, and so is the change of its
distance from what the model expects. Scores are whole numbers: there is no floating point between the data and the
noise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.noise import UNIT, Drawing, Measure, choosing_within, counting_within
from antifaz.tables.synthetic.mixture import Marginal, Mixture, round_counts
from antifaz.watch import Watch, within

Codes = NDArray[np.int64]
Shares = NDArray[np.float64]
COLUMNS_SHARE = 0.15
"""Share of the budget that is spent on single columns."""
CHOICE_SHARE = 0.1
"""Share of a round's budget that is spent on choosing a pair."""
ROUNDS = 60
"""Number of rounds if every round yields more than noise."""
PURE_ROUNDS = 16
"""The same for pure differential privacy: fewer, because losses add up instead of their squares."""
FINEST = (4, 64)
"""Smallest and largest number of groups in which the cells of a column are counted in pairs, if there are enough."""
FINENESS = 0.7
"""Number of groups per square root of (records / deviation of the noise). A pair then has about half the number of
cells at which the mean count of a cell would equal the deviation of the noise."""
RESOLUTION = 16
"""Distances are counted in sixteenths of a record."""
RARE = 3.0
"""A value whose count is below this number of deviations of the noise is counted with the other rare values."""
COMPONENTS = 400
PACE = 0.03
FIRST_STEPS, ROUND_STEPS, LAST_STEPS = 100, 60, 600


@dataclass
class Spending:
    """A budget in one privacy measure, and the drawings made from it."""

    measure: Measure
    contributions: int
    left: int
    """In whole units of loss."""
    steps: list[dict[str, Any]] = field(default_factory=list)

    def counting(self, units: int) -> Drawing:
        return counting_within(self.measure, self.contributions, units)

    def choosing(self, units: int) -> Drawing:
        return choosing_within(self.measure, self.contributions * RESOLUTION, units)

    def pay(self, drawing: Drawing, columns: Sequence[int], kind: str) -> None:
        """Deduct the cost of a drawing before it is made."""
        if drawing.units > self.left:
            raise ValueError("a drawing costs more than is left")
        self.left -= drawing.units
        scale = drawing.scale / (RESOLUTION if kind == "choice" else 1)
        self.steps.append({"kind": kind, "columns": list(columns), "scale": scale, "units": drawing.units})


@dataclass(frozen=True)
class Grouping:
    """The cells of one column, and which of them are counted together in pairs."""

    group: Codes
    """The group of every cell."""
    shares: Shares
    """Measured count of every cell, as a share of the whole."""

    @property
    def groups(self) -> int:
        return int(self.group.max()) + 1

    @property
    def group_shares(self) -> Shares:
        return np.asarray(np.bincount(self.group, weights=self.shares), dtype=np.float64)


@dataclass(frozen=True)
class Model:
    """A model of a table: a mixture over groups of cells, and the cells' shares in their groups."""

    mixture: Mixture
    groupings: Sequence[Grouping]
    total: int
    """Noisy number of records."""

    def sample(self, count: int, rng: np.random.Generator, watch: Watch) -> Codes:
        """Synthetic records, as cells of every column."""
        grouped = self.mixture.sample(count, rng, watch)
        return np.stack([_spread(grouped[:, place], of, rng) for place, of in enumerate(self.groupings)], axis=1)


def learn(
    codes: Sequence[Codes],
    sizes: Sequence[int],
    ordered: Sequence[bool],
    spending: Spending,
    rng: np.random.Generator,
    watch: Watch,
) -> Model:
    """Spend the budget on marginals of the columns, and fit a model to them."""
    counted, noise = _measure_columns(codes, sizes, spending)
    # Each column's counts add up to the number of records: those with few cells have the least noise in their sum.
    weights = 1.0 / np.array(sizes)
    total = max(1, round(float(np.average([counts.sum() for counts in counted], weights=weights))))
    finest = int(np.clip(round(FINENESS * float(np.sqrt(total / noise))), *FINEST))
    groupings = [
        _grouping(counts, total, noise, in_order, finest) for counts, in_order in zip(counted, ordered, strict=True)
    ]
    mixture = Mixture([grouping.group_shares for grouping in groupings], COMPONENTS, rng)
    measured = [
        _marginal((place,), np.bincount(of.group, weights=counts), total, noise)
        for place, (of, counts) in enumerate(zip(groupings, counted, strict=True))
    ]
    mixture.fit(measured, FIRST_STEPS, PACE, within(watch, 0.0, 0.05))
    if len(codes) > 1:
        grouped = [of.group[column] for of, column in zip(groupings, codes, strict=True)]
        _measure_pairs(_Pairs(grouped, mixture, measured, total), spending, within(watch, 0.05, 0.8))
    mixture.fit(measured, LAST_STEPS, PACE, within(watch, 0.8, 1.0))
    return Model(mixture, groupings, total)


def _measure_columns(
    codes: Sequence[Codes], sizes: Sequence[int], spending: Spending
) -> tuple[list[NDArray[np.int64]], float]:
    """The noisy counts of every column, and the deviation of their noise. A table with a single column spends the whole
    budget here."""
    share = COLUMNS_SHARE if len(codes) > 1 else 1.0
    drawing = spending.counting(int(spending.left * share) // len(codes))
    counted = []
    for place, (column, size) in enumerate(zip(codes, sizes, strict=True)):
        spending.pay(drawing, (place,), "count")
        counted.append(drawing.counts(np.bincount(column, minlength=size).astype(np.int64)))
    return counted, _deviation(drawing, spending.measure)


def _deviation(drawing: Drawing, measure: Measure) -> float:
    """The standard deviation of the noise; for Laplace noise it is larger than the scale."""
    return drawing.scale * (float(np.sqrt(2.0)) if measure == "pure" else 1.0)


def _grouping(counts: NDArray[np.int64], total: int, noise: float, ordered: bool, finest: int) -> Grouping:
    """Groups of close cells, or the rare cells as one group and every other cell by itself."""
    if ordered:
        group = _close_cells(nearest_shares(counts / total), finest)
        return Grouping(group, nearest_shares(_shrink(counts, group, noise) / total))
    few, rank = RARE * noise, np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
    common = (counts >= few) & (rank < finest - 1) if len(counts) > finest else counts >= few
    group = np.where(common, np.cumsum(common) - 1, np.count_nonzero(common))
    group = np.unique(group, return_inverse=True)[1].astype(np.int64)
    return Grouping(group, nearest_shares(_shrink(counts, group, noise) / total))


def _shrink(counts: NDArray[np.int64], group: Codes, noise: float) -> Shares:
    """Counts moved towards the mean of their group, by the share of their variance that is noise: Efron and Morris,
    "Stein's Estimation Rule and Its Competitors", JASA 1973. If counts differ only by noise, all of a group become
    equal."""
    sizes = np.bincount(group)
    means = (np.bincount(group, weights=counts) / sizes)[group]
    varying = np.bincount(group, weights=(counts - means) ** 2)
    kept = np.maximum(0.0, 1.0 - (sizes - 1) * noise**2 / np.maximum(varying, 1e-9))
    return np.asarray(means + kept[group] * (counts - means))


def _close_cells(shares: Shares, finest: int) -> Codes:
    """Groups of neighboring cells with about the same number of records each."""
    if len(shares) <= finest:
        return np.arange(len(shares))
    ends = np.cumsum(shares)
    groups = np.minimum(((ends - shares / 2.0) / ends[-1] * finest).astype(np.int64), finest - 1)
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def nearest_shares(shares: Shares) -> Shares:
    """The distribution nearest to some numbers: all are shifted by the same amount, and none is below 0."""
    falling = np.sort(shares)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(falling) + 1)
    return np.asarray(np.maximum(shares - excess[np.flatnonzero(falling > excess)[-1]], 0.0))


def _marginal(columns: tuple[int, ...], counts: NDArray[Any], total: int, noise: float) -> Marginal:
    return Marginal(columns, (counts / total).astype(np.float32), (total / noise) ** 2)


@dataclass
class _Pairs:
    """State of the pairs of columns: the records, the model, and the marginals measured so far."""

    codes: Sequence[Codes]
    mixture: Mixture
    measured: list[Marginal]
    total: int

    @property
    def candidates(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.codes)), 2))

    def counts(self, pair: tuple[int, int]) -> NDArray[np.int64]:
        """The number of records in every cell of a pair."""
        rows, columns = (self.mixture.sizes[place] for place in pair)
        cells = self.codes[pair[0]] * columns + self.codes[pair[1]]
        return np.bincount(cells, minlength=rows * columns).astype(np.int64).reshape(rows, columns)


def _measure_pairs(pairs: _Pairs, spending: Spending, watch: Watch) -> None:
    """Measure the pair that fits worst and fit the model to it, until the budget is spent."""
    candidates, counts = pairs.candidates, []
    for place, pair in enumerate(pairs.candidates):
        watch(0.1 * place / len(candidates))
        counts.append(pairs.counts(pair))
    whole = spending.left
    budget = max(1, whole // (ROUNDS if spending.measure == "zcdp" else PURE_ROUNDS))
    while spending.left > 1:
        # A rest that does not suffice for two rounds is spent on one.
        budget = spending.left if spending.left < 2 * budget else budget
        begun, ended = (1 - left / whole for left in (spending.left, spending.left - budget))
        part = within(watch, 0.1 + 0.9 * begun, 0.1 + 0.9 * ended)
        if not _round(pairs, candidates, counts, spending, budget, part):
            budget *= 4 if spending.measure == "zcdp" else 2


def _round(
    pairs: _Pairs,
    candidates: Sequence[tuple[int, int]],
    counts: Sequence[NDArray[np.int64]],
    spending: Spending,
    budget: int,
    watch: Watch,
) -> bool:
    """Measure one more pair; return whether the model changed by more than noise. If not, the next round uses noise of
    half the width."""
    choosing = spending.choosing(max(1, int(budget * CHOICE_SHARE)))
    counting = spending.counting(max(1, budget - choosing.units))
    expected = [shares * pairs.total for shares in pairs.mixture.marginals(candidates)]
    error = counting.scale * (float(np.sqrt(2.0 / np.pi)) if spending.measure == "zcdp" else 1.0)
    scores = np.array([_misfit(true, model, error) for true, model in zip(counts, expected, strict=True)])
    spending.pay(choosing, (), "choice")
    place = choosing.choice(scores)
    spending.pay(counting, candidates[place], "count")
    noisy = counting.counts(counts[place].ravel()).reshape(counts[place].shape)
    pairs.measured.append(_marginal(candidates[place], noisy, pairs.total, _deviation(counting, spending.measure)))
    pairs.mixture.fit(pairs.measured, ROUND_STEPS, PACE, watch)
    moved = np.abs(pairs.mixture.marginal(candidates[place]) * pairs.total - expected[place]).sum()
    return bool(moved > error * noisy.size)


def _misfit(true: NDArray[np.int64], expected: Shares, error: float) -> int:
    """The distance of the records from what the model expects, minus what noise alone would cause; in whole sixteenths,
    of which one record changes at most sixteen."""
    away = np.abs(true * RESOLUTION - np.rint(expected * RESOLUTION).astype(np.int64)).sum()
    return int(away) - round(error * true.size * RESOLUTION)


def _spread(grouped: Codes, of: Grouping, rng: np.random.Generator) -> Codes:
    """Distribute the records of each group over its cells, by the cells' shares."""
    cells = np.zeros(len(grouped), dtype=np.int64)
    for group in range(of.groups):
        members, records = np.flatnonzero(of.group == group), np.flatnonzero(grouped == group)
        shares = of.shares[members] + 1e-12
        cells[records] = rng.permutation(np.repeat(members, round_counts(shares, len(records), rng)))
    return cells


def bounded(unit: Codes, contributions: int, rng: np.random.Generator) -> Codes:
    """The records that count if each person has at most ``contributions``; a person's records are chosen at random."""
    order = np.lexsort((rng.random(len(unit)), unit))
    persons = unit[order]
    first = np.searchsorted(persons, persons, side="left")
    return np.sort(order[np.arange(len(unit)) - first < contributions])


def as_loss(units: int) -> str:
    """Units as the decimal that they represent."""
    whole, rest = divmod(units, UNIT)
    return f"{whole}.{rest:012d}"


def described(steps: Iterable[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The public account of the drawings: kind, columns, scale in records, and loss."""
    return [
        {
            "kind": step["kind"],
            "columns": [names[place] for place in step["columns"]],
            "scale": step["scale"],
            "loss": as_loss(step["units"]),
        }
        for step in steps
    ]
