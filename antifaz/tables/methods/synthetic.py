"""Synthetic: fit a model to the table, and sample a new one.

Liew, Choi and Liew, "A Data Distortion by Probability Distribution", ACM TODS 1985 (`marginals`); Nelsen, "An
Introduction to Copulas", Springer, 2006, and Li, Xiong and Jiang, "Differentially Private Synthesization of
Multi-Dimensional Data Using Copula Functions", EDBT 2014, for the Gaussian copula (`copula`, without their noise).

`marginals` fits each attribute by itself: for numbers and dates the family of distributions that is nearest to the data
by the Kolmogorov–Smirnov distance, for texts their frequencies. Associations between attributes are lost. `copula`
converts every attribute to normal scores by its ranks (equal values in random order), samples from the normal
distribution with their correlations, and converts the scores back by the quantiles of each attribute; texts are ranked
by their order. Integers stay integers and decimals keep their places. The sample has as many records as the original;
none belongs to a person.

`dp_marginals` is differentially private: McKenna, Mullins, Sheldon and Miklau, "AIM: An Adaptive and Iterative
Mechanism for Differentially Private Synthetic Data", VLDB 2022. Every column, and then the pairs of columns that a
model fits worst, are counted with noise until epsilon is spent; the table is drawn from a mixture of products that is
fitted to the noisy counts. The domain of each column is declared: values, edges of bins, or bounds. With delta = 0 the
noise is Laplace, else Gaussian. The number of records is noisy, or declared.

Guarantees: differential_privacy with `dp_marginals`, for one record or for one person; none with the other models. A
synthetic record may equal a real one by coincidence or because the model overfits: the account reports the share of
quasi-identifier combinations that are copies, and of originally unique ones that reappear.
Preserves: marginal distributions; with `copula` also rank correlations; with `dp_marginals` those of pairs, as well as
the noise allows.
Cost: O(n q) for `marginals`, O(n q² + n q log n) for `copula`, O(n q²) and a fit of seconds for `dp_marginals`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.arrays import distinct
from antifaz.kernels.tables.classes import number_rows
from antifaz.tables.masking.masking import Masking, is_measured, numbers_of, refuse_bounds, write_column, write_numbers
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.reading.attributes import AttributeSettings
from antifaz.tables.synthetic.dp_marginals import Declared, check_declared, synthesize
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """The functions of a fitted distribution that are needed."""

    share_below: Callable[[Numbers], Any]
    """The share of the distribution up to each number."""
    quantile: Callable[[Numbers], Any]
    """The number below which each share of the distribution lies."""


Fit = Callable[[Numbers], Distribution | None]
"""Fits a distribution by moments, logarithms or extremes, or returns None if the family does not apply."""

MOST_COMPARED = 20_000
"""Largest number of evenly spaced order statistics on which a fit is judged."""
MEANING = "a synthetic value; no record belongs to a person"


class Synthetic(Masking):
    """Sample a new table from a model that is fitted to the original."""

    gives: ClassVar[tuple[str, ...]] = ("differential_privacy",)
    keeps_every_record: ClassVar[bool] = False

    name: Literal["synthetic"] = "synthetic"
    model: Literal["copula", "marginals", "dp_marginals"] = "copula"
    """Whether attributes keep their correlations, or each one is sampled by itself, or noise protects every record."""
    bounds: dict[str, tuple[float, float]] = {}
    """Lowest and highest number that may be sampled for an attribute; with dp_marginals, numbers beyond them count as
    the nearest bound, and the range between them is divided into bins of equal width."""
    values: dict[str, Annotated[list[str], Field(min_length=1, max_length=10_000)]] = Field(default={}, repr=False)
    """For dp_marginals: all values that an attribute can have; they are public."""
    edges: dict[str, Annotated[list[float], Field(min_length=2, max_length=10_000)]] = {}
    """For dp_marginals: edges of an attribute's bins; the first and the last are its bounds; they are public."""
    other: dict[str, str] = Field(default={}, repr=False)
    """For dp_marginals: declared value as which undeclared ones count; for a column of numbers, "" for cells that are
    not numbers. By default such a cell counts as a random value."""
    bins: int = Field(default=64, ge=2, le=1_000)
    """For dp_marginals: number of bins into which the range between bounds is divided."""
    contributions: int = Field(default=1, ge=1, le=1_000)
    """For dp_marginals: number of records of one person that count, chosen at random, if the policy names a privacy
    unit; without one, number of records that the guarantee covers together."""
    rows: int | None = Field(default=None, ge=1, le=10_000_000)
    """For dp_marginals: number of records that are sampled; by default the noisy count of the original."""

    def guarantees_given(self) -> tuple[str, ...]:
        """Only dp_marginals, which adds noise, gives a guarantee."""
        return self.gives if self.model == "dp_marginals" else ()

    def follows_records(self) -> bool:
        """False: the records are new."""
        return False

    def bounds_contributions(self) -> bool:
        """With noise, each person counts with a stated number of records."""
        return self.model == "dp_marginals"

    def declared_values(self) -> Mapping[str, Collection[Any]]:
        """Every declared domain."""
        return {**self.values, **self.edges, **self.bounds} if self.model == "dp_marginals" else {}

    def contradictions(
        self, attributes: Mapping[str, AttributeSettings], waived: Collection[str]
    ) -> Iterable[tuple[str, str]]:
        """Errors for a domain that is missing or invalid, and for settings that belong to another model."""
        if self.model == "dp_marginals":
            yield from check_declared(self._declared(), attributes)
            return
        for field in ("values", "edges", "other", "rows"):
            if getattr(self, field):
                yield f"/method/{field}", "is for the model dp_marginals"

    def needs_guarantee(self) -> str | None:
        """Noise takes its epsilon from the guarantee."""
        return "differential_privacy" if self.model == "dp_marginals" else None

    def _declared(self) -> Declared:
        return Declared(self.values, self.edges, self.bounds, self.other, self.bins, self.contributions, self.rows)

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Sample every released column."""
        refuse_bounds(table.quasi_identifiers, self.name)
        if self.model == "dp_marginals":
            return self._synthesize(table, guarantees, rng, watch)
        attributes = [attribute for attribute in table.attributes if attribute.role is not Role.IDENTIFIER]
        account: dict[str, Any] = {"method": self.name, "model": self.model}
        uniform = rng.random((table.n, len(attributes)))
        families: dict[str, str] = {}
        if self.model == "copula":
            # A Gaussian copula: correlated normal scores become shares again, each evenly distributed, that still go
            # together.
            uniform = scipy.special.ndtr(_draw_correlated(attributes, uniform, rng, watch))
        columns = []
        for index, attribute in enumerate(attributes):
            watch(0.5 + 0.4 * index / len(attributes))
            column, family = self._sample(attribute, uniform[:, index], rng)
            columns.append(column)
            families[attribute.name] = family
        account |= {"families": families, **_count_copies(table, columns)}
        return ProtectedTable(tuple(columns), np.arange(table.n, dtype=np.int64), account, follows=False)

    def _synthesize(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        columns, public = synthesize(table, self._declared(), guarantees, rng, watch)
        account = {"method": self.name, "model": self.model, **_count_copies(table, columns)}
        # No released record is one of the original: measures that compare records pair them arbitrarily.
        records = np.arange(len(columns[0].codes), dtype=np.int64) % table.n
        return ProtectedTable(tuple(columns), records, {**account, "public": {self.model: public}}, follows=False)

    def _sample(self, attribute: Attribute, uniform: Numbers, rng: np.random.Generator) -> tuple[ReleasedColumn, str]:
        """A column with the attribute's distribution at the given quantiles, and the name of the distribution."""
        column = attribute.column
        if column.numbers is None:
            shares = np.cumsum(np.bincount(column.codes, minlength=len(column.values))) / len(column.codes)
            codes = np.minimum(np.searchsorted(shares, uniform, side="right"), len(column.values) - 1)
            return write_column(attribute, codes, column.values, MEANING), "frequencies"
        cells = np.sort(numbers_of(column)[column.codes])
        known = cells[~np.isnan(cells)]
        lost = (len(cells) - len(known)) / len(cells)
        if not len(known):
            return write_numbers(attribute, cells, MEANING), "missing"
        family, quantiles = ("empirical", _empirical(known)) if self.model == "copula" else best_fit(known)
        low, high = self.bounds.get(attribute.name, (-np.inf, np.inf))
        numbers = np.clip(quantiles(uniform), low, high)
        return write_numbers(attribute, np.where(rng.random(len(cells)) < lost, np.nan, numbers), MEANING), family


def _draw_correlated(
    attributes: Sequence[Attribute], uniform: Numbers, rng: np.random.Generator, watch: Watch
) -> Numbers:
    """Normal scores with the correlations of the attributes' scores in the records where both are known."""
    scores, known = np.zeros(uniform.shape), np.zeros(uniform.shape)
    for index, attribute in enumerate(attributes):
        watch(0.4 * index / len(attributes))
        codes = attribute.column.codes
        rows = np.flatnonzero(codes != (attribute.column.missing if is_measured(attribute) else -1))
        # By value, equal ones in random order: ranks without ties, as normal scores need.
        order = rows[np.lexsort((rng.random(len(rows)), codes[rows]))]
        scores[order, index] = scipy.special.ndtri((np.arange(len(order)) + 0.5) / max(len(order), 1))
        known[order, index] = 1.0
    # For each pair, over the records where both are known: the variances that belong to the products.
    spread = (scores**2).T @ known
    correlation = (scores.T @ scores) / np.sqrt(np.maximum(spread * spread.T, 1e-12))
    # Each pair counts other records, so the matrix may have small negative eigenvalues, which no correlations have:
    # they become 0, and the variances are scaled back to 1.
    strengths, axes = np.linalg.eigh(correlation)
    mixing = axes * np.sqrt(np.maximum(strengths, 0.0))
    mixing /= np.maximum(np.sqrt((mixing**2).sum(axis=1)), 1e-6)[:, None]
    return np.asarray(scipy.special.ndtri(np.clip(uniform, 1e-12, 1.0 - 1e-12)) @ mixing.T)


def _empirical(known: Numbers) -> Callable[[Numbers], Numbers]:
    """The quantiles of sorted numbers, by linear interpolation."""
    places = (np.arange(len(known)) + 0.5) / len(known)
    return lambda shares: np.asarray(np.interp(shares, places, known))


def best_fit(known: Numbers) -> tuple[str, Callable[[Numbers], Numbers]]:
    """The family nearest to sorted numbers, and its quantiles; a constant if all are the same."""
    if known[0] == known[-1]:
        return "constant", lambda shares: np.full(len(shares), known[0])
    chosen = distinct(np.linspace(0, len(known) - 1, min(len(known), MOST_COMPARED)).astype(np.int64))
    # The Kolmogorov–Smirnov distance, on a bounded number of evenly spaced order statistics.
    sample, shares = known[chosen], (chosen + 0.5) / len(known)
    distances: dict[str, tuple[float, Distribution]] = {}
    for family, fit in FAMILIES.items():
        fitted = fit(known)
        if fitted is not None:
            distances[family] = float(np.abs(fitted.share_below(sample) - shares).max()), fitted
    best = min(distances, key=lambda family: distances[family][0])
    quantile = distances[best][1].quantile
    # At 0 and 1 most families have infinite quantiles.
    return best, lambda shares: np.asarray(quantile(np.clip(shares, 1e-9, 1.0 - 1e-9)))


def _fit_normal(known: Numbers) -> Distribution:
    mean, spread = known.mean(), known.std()
    return Distribution(
        lambda x: scipy.special.ndtr((x - mean) / spread), lambda p: mean + spread * scipy.special.ndtri(p)
    )


def _fit_uniform(known: Numbers) -> Distribution:
    low, width = known[0], known[-1] - known[0]
    return Distribution(lambda x: (x - low) / width, lambda p: low + width * p)


def _fit_exponential(known: Numbers) -> Distribution:
    low, scale = known[0], known.mean() - known[0]
    return Distribution(lambda x: -np.expm1((low - x) / scale), lambda p: low - scale * np.log1p(-p))


def _fit_lognormal(known: Numbers) -> Distribution | None:
    if known[0] <= 0:
        return None
    normal = _fit_normal(np.log(known))
    return Distribution(lambda x: normal.share_below(np.log(x)), lambda p: np.exp(normal.quantile(p)))


def _fit_gamma(known: Numbers) -> Distribution | None:
    if known[0] < 0:
        return None
    shape, scale = known.mean() ** 2 / known.var(), known.var() / known.mean()
    return Distribution(
        lambda x: scipy.special.gammainc(shape, x / scale), lambda p: scale * scipy.special.gammaincinv(shape, p)
    )


def _fit_weibull(known: Numbers) -> Distribution | None:
    """Fit a line through the logarithms of order statistics, as on Weibull paper."""
    if known[0] <= 0:
        return None
    shares = (np.arange(len(known)) + 0.5) / len(known)
    # The distribution 1 - exp(-(x / scale)^slope) is a line in log x and log(-log(1 - share)).
    slope, offset = np.polyfit(np.log(known), np.log(-np.log1p(-shares)), 1)
    scale = np.exp(-offset / slope)
    return Distribution(
        lambda x: -np.expm1(-((x / scale) ** slope)), lambda p: scale * (-np.log1p(-p)) ** (1.0 / slope)
    )


def _fit_laplace(known: Numbers) -> Distribution | None:
    center = np.median(known)
    scale = np.abs(known - center).mean()
    return Distribution(
        lambda x: np.where(
            x < center, 0.5 * np.exp(-np.abs(x - center) / scale), 1.0 - 0.5 * np.exp(-np.abs(x - center) / scale)
        ),
        lambda p: center - scale * np.sign(p - 0.5) * np.log1p(-2.0 * np.abs(p - 0.5)),
    )


def _fit_logistic(known: Numbers) -> Distribution:
    mean, scale = known.mean(), known.std() * np.sqrt(3.0) / np.pi
    return Distribution(
        lambda x: scipy.special.expit((x - mean) / scale), lambda p: mean + scale * scipy.special.logit(p)
    )


FAMILIES: dict[str, Fit] = {
    "normal": _fit_normal,
    "uniform": _fit_uniform,
    "exponential": _fit_exponential,
    "lognormal": _fit_lognormal,
    "gamma": _fit_gamma,
    "weibull": _fit_weibull,
    "laplace": _fit_laplace,
    "logistic": _fit_logistic,
}
"""The families of `marginals`."""


def _count_copies(table: Table, columns: Sequence[ReleasedColumn]) -> dict[str, float]:
    """Shares of synthetic combinations that an original record has, and of unique original ones that reappear."""
    chosen = [column for column in columns if column.role is Role.QUASI_IDENTIFIER]
    if not chosen:
        return {"copies": 0.0, "unique_reappearing": 0.0}
    originals, synthetics = [], []
    for column in chosen:
        original = table.attribute(column.source).column
        # Both columns get codes of one common domain, so that their combinations can be compared as numbers.
        places = np.unique(np.concatenate([original.values, column.labels]), return_inverse=True)[1]
        originals.append(places[: len(original.values)][original.codes])
        synthetics.append(places[len(original.values) :][column.codes])
    both = np.concatenate([np.stack(originals, axis=1), np.stack(synthetics, axis=1)])
    numbers, size = number_rows(np.ascontiguousarray(both, dtype=np.int32))
    real = np.bincount(numbers[: table.n], minlength=size)
    made = np.bincount(numbers[table.n :], minlength=size)
    return {
        "copies": float(np.mean(real[numbers[table.n :]] > 0)),
        "unique_reappearing": float(np.mean((real == 1)[numbers[: table.n]] & (made > 0)[numbers[: table.n]])),
    }
