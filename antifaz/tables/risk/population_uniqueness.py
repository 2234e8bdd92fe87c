"""Population uniqueness: how many people of the population are the only ones with their quasi-identifier values.

Zayatz, "Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample", US Bureau of
the Census 1991. Hoshino, "Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment", Journal of
Official Statistics 2001. Chen and Keller-McNulty, "Estimation of Identification Disclosure Risk in Microdata", Journal
of Official Statistics 1998 (slide negative binomial). Dankar, El Emam, Neisa and Roffey, "Estimating the
Re-identification Risk of Clinical Data Sets", BMC Medical Informatics and Decision Making 2012 (which of them to use).

A record that is unique in a sample need not be unique among all people; how likely that is depends on the distribution
of class sizes. Zayatz takes it from the sample; Pitman's is a two-parameter partition, fitted by maximum likelihood;
the slide negative binomial is fitted to the population's size and to the numbers of classes and uniques in the sample.
Dankar et al. found Pitman best for samples of at most a tenth, else the smaller of the other two. A share of 1 needs no
estimate.

Guarantees: none; estimates.
Cost: O(n), and a few hundred evaluations over the distinct class sizes.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.classes.classes import original_crowds, released_crowds
from antifaz.tables.parts import TableRisk
from antifaz.tables.table import ProtectedTable, Table

SMALL_SAMPLE = 0.1
"""Largest share of the population for which Pitman's estimate is used."""
FITTED = 1e-3
"""Largest relative error of the moments of a fit; above it the fit has failed."""


@dataclass(frozen=True)
class Sample:
    """The number of classes of each size in a sample, and the size of the population."""

    sizes: NDArray[np.int64]
    """Distinct class sizes, ascending."""
    counts: NDArray[np.int64]
    """Number of classes of each size."""
    population: float

    @property
    def records(self) -> int:
        return int((self.sizes * self.counts).sum())

    @property
    def classes(self) -> int:
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        return int(self.counts[self.sizes == 1].sum())


class PopulationUniqueness(TableRisk):
    """Estimates of the share of people who are unique in the population."""

    name: Literal["population_uniqueness"] = "population_uniqueness"
    sampling_fraction: float = Field(default=1.0, gt=0, le=1)
    """Share of the population that is in the table."""

    def before(self, table: Table) -> dict[str, Any]:
        """The estimates if the original quasi-identifiers were released unchanged."""
        return self._judge(original_crowds(table))

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The estimates for the release."""
        return self._judge(released_crowds(released))

    def _judge(self, classes: NDArray[np.int64]) -> dict[str, Any]:
        sizes, counts = np.unique(classes, return_counts=True)
        sample = Sample(sizes, counts.astype(np.int64), float(classes.sum()) / self.sampling_fraction)
        shown = {"sampling_fraction": self.sampling_fraction, "sample_unique_share": _share(sample)}
        if self.sampling_fraction == 1.0 or sample.uniques == 0:
            return {"value": _share(sample), "model": "counted", **shown}
        estimates = {"zayatz": zayatz(sample), "pitman": pitman(sample), "snb": slide_negative_binomial(sample)}
        model = choose(estimates, self.sampling_fraction)
        return {"value": estimates[model], "model": model, **estimates, **shown}


def _share(sample: Sample) -> float:
    return sample.uniques / max(sample.records, 1)


def choose(estimates: dict[str, float | None], fraction: float) -> str:
    """The estimate to use, by Dankar's rule; one that could not be fitted is skipped."""
    if fraction <= SMALL_SAMPLE and estimates["pitman"] is not None:
        return "pitman"
    slide, plain = estimates["snb"], estimates["zayatz"]
    return "snb" if slide is not None and plain is not None and slide < plain else "zayatz"


def zayatz(sample: Sample) -> float:
    """The share of unique people if classes of the population had the sizes that the sample shows.

    By Bayes' rule: a class of F people shows a single one with a hypergeometric probability.
    """
    chances = _single(sample)
    unique = float(chances[0]) if sample.sizes[0] == 1 else 0.0
    likely = float((sample.counts * chances).sum())
    conditional = sample.uniques * unique / likely if likely > 0 else 0.0
    return conditional * sample.uniques / sample.records


def _single(sample: Sample) -> NDArray[np.float64]:
    """The probability that a class of each size shows exactly one of its people in the sample."""
    everyone, drawn, sizes = sample.population, float(sample.records), sample.sizes.astype(np.float64)
    others = everyone - sizes - drawn + 1.0
    with np.errstate(invalid="ignore"):
        logs = (
            np.log(sizes)
            + scipy.special.gammaln(everyone - sizes + 1.0)
            - scipy.special.gammaln(drawn)
            - scipy.special.gammaln(np.maximum(others, 0.0) + 1.0)
            - scipy.special.gammaln(everyone + 1.0)
            + scipy.special.gammaln(drawn + 1.0)
            + scipy.special.gammaln(everyone - drawn + 1.0)
        )
    return np.asarray(np.where(others >= 0, np.exp(logs), 0.0), dtype=np.float64)


def pitman(sample: Sample) -> float | None:
    """The share of unique people under Pitman's sampling formula; None if it cannot be fitted."""
    start = np.array([0.0, np.log(max(sample.classes, 1))])
    fit = scipy.optimize.minimize(
        _pitman_cost, start, args=(sample,), method="Nelder-Mead", options={"maxiter": 800, "fatol": 1e-9}
    )
    alpha, theta = _pitman_parameters(fit.x)
    everyone = sample.population
    uniques = (
        scipy.special.gammaln(theta + 1.0)
        - scipy.special.gammaln(theta + alpha)
        + scipy.special.gammaln(theta + everyone + alpha - 1.0)
    )
    share = float(np.exp(uniques - scipy.special.gammaln(theta + everyone)))
    return min(share, 1.0) if fit.success and np.isfinite(share) else None


def _pitman_parameters(point: NDArray[np.float64]) -> tuple[float, float]:
    """Alpha within (0, 1) and theta above -alpha from two free numbers."""
    alpha = float(np.clip(scipy.special.expit(point[0]), 1e-9, 1.0 - 1e-9))
    return alpha, float(np.exp(np.clip(point[1], -40.0, 60.0)) - alpha)


def _pitman_cost(point: NDArray[np.float64], sample: Sample) -> float:
    """Minus the logarithm of the likelihood of the sample's class sizes."""
    alpha, theta = _pitman_parameters(point)
    ratio = theta / alpha
    classes = (
        (sample.classes - 1) * np.log(alpha)
        + scipy.special.gammaln(ratio + sample.classes)
        - scipy.special.gammaln(ratio + 1.0)
    )
    records = scipy.special.gammaln(theta + sample.records) - scipy.special.gammaln(theta + 1.0)
    within = (sample.counts * (scipy.special.gammaln(sample.sizes - alpha) - scipy.special.gammaln(1.0 - alpha))).sum()
    cost = float(records - classes - within)
    return cost if np.isfinite(cost) else 1e300


def slide_negative_binomial(sample: Sample) -> float | None:
    """The share of unique people if class sizes are one more than negative binomial; None if it cannot be fitted."""
    targets = np.array([sample.classes, sample.uniques], dtype=np.float64)
    fits = [
        scipy.optimize.least_squares(_slide_errors, start, args=(sample, targets), max_nfev=200)
        for start in ([0.0, 0.0], [-3.0, -3.0], [0.0, -4.0], [-3.0, 0.0])
    ]
    best = min(fits, key=lambda fit: float(fit.cost))
    if np.abs(best.fun).max() > FITTED:
        return None
    shape, chance = _slide_parameters(best.x)
    classes = sample.population / (1.0 + shape * (1.0 - chance) / chance)
    return min(float(classes * chance**shape / sample.population), 1.0)


def _slide_parameters(point: NDArray[np.float64]) -> tuple[float, float]:
    """Shape above 0 and success probability within (0, 1) from two free numbers."""
    return float(np.exp(np.clip(point[0], -30.0, 30.0))), float(
        np.clip(scipy.special.expit(point[1]), 1e-12, 1.0 - 1e-12)
    )


def _slide_errors(point: NDArray[np.float64], sample: Sample, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relative errors of the expected numbers of classes and of uniques in a sample; the population's size is exact."""
    shape, chance = _slide_parameters(point)
    fraction = sample.records / sample.population
    failure = 1.0 - chance
    classes = sample.population / (1.0 + shape * failure / chance)
    rest = 1.0 - failure * (1.0 - fraction)
    base = np.exp(shape * (np.log(chance) - np.log(rest)))
    seen = classes * (1.0 - (1.0 - fraction) * base)
    single = classes * fraction * base * (1.0 + (1.0 - fraction) * shape * failure / rest)
    return np.asarray(np.array([seen, single]) / targets - 1.0, dtype=np.float64)
