"""Noise: the samplers of OpenDP behind one function for each use.

The OpenDP library, https://opendp.org, version as locked; the discrete Laplace distribution after Ghosh, Roughgarden
and Sundararajan, "Universally Utility-Maximizing Privacy Mechanisms", STOC 2009, and the discrete Gaussian, both
sampled exactly in whole numbers as in Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy",
NeurIPS 2020. A choice is the exponential mechanism of McSherry and Talwar, FOCS 2007, as a noisy maximum. OpenDP takes
its randomness from the operating system. Of its features only ``contrib`` is enabled: the proofs are public and not yet
vetted.

Losses are of one of two measures: ``pure`` (epsilon) or ``zcdp`` (rho, Bun and Steinke, "Concentrated Differential
Privacy", TCC 2016). Within a measure they add up, in whole units, rounded up.

The library is loaded at the first use, so that processes that only read the catalogue do not need it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_STEPS = 64
UNIT = 10**12
"""Units in an epsilon or a rho of 1."""
LARGEST = 2**60
"""Largest count, sum or score: with noise it stays far from the limits of 64-bit integers."""

Measure = Literal["pure", "zcdp"]


@dataclass(frozen=True)
class NoisyCount:
    """A count with noise."""

    value: int
    epsilon: float
    """The privacy loss that OpenDP states for the mechanism, for counts that differ by 1."""
    library: str


def noisy_count(count: int, epsilon: float) -> NoisyCount:
    """The count with discrete Laplace noise, such that its privacy loss is at most epsilon; it may be negative."""
    dp = load()
    scale = 1.0 / epsilon
    for _ in range(_STEPS):
        mechanism = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale)
        loss = float(mechanism.map(1))
        if loss <= epsilon:
            return NoisyCount(int(mechanism(count)), loss, library())
        # The library rounds the loss up: slightly more noise brings it below the requested loss.
        scale = math.nextafter(scale, math.inf) * (1.0 + 2.0**-52)
    raise ValueError("the epsilon is too small: no noise reaches it")


def library() -> str:
    """Return the name and version of the library that draws the noise."""
    return f"opendp {version('opendp')}"


@dataclass(frozen=True)
class Drawing:
    """An OpenDP measurement ready to draw, with the loss that it states."""

    measurement: Any
    scale: float
    units: int
    """Its loss for inputs that differ by its sensitivity; in whole units, rounded up."""

    def counts(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return every count with independent noise; results may be negative."""
        return np.asarray(self.measurement(_within_range(counts)), dtype=np.int64)

    def choice(self, scores: NDArray[np.int64]) -> int:
        """Return the index of a score that is likely to be among the highest."""
        return int(self.measurement(_within_range(scores)))


def counting(measure: Measure, sensitivity: int, scale: float) -> Drawing:
    """Noise for a vector of counts: Laplace if pure, else Gaussian.

    One person changes the vector by at most ``sensitivity`` in sum, which bounds the Euclidean distance as well.
    """
    dp = load()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if measure == "pure":
        mechanism = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale)
        return Drawing(mechanism, scale, _units(mechanism.map(sensitivity)))
    mechanism = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale)
    return Drawing(mechanism, scale, _units(mechanism.map(float(sensitivity))))


def choosing(measure: Measure, sensitivity: int, scale: float) -> Drawing:
    """A noisy maximum of scores; one person changes each score by at most ``sensitivity``."""
    dp = load()
    domain, distance = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    divergence = dp.max_divergence() if measure == "pure" else dp.zero_concentrated_divergence()
    mechanism = dp.m.make_noisy_max(domain, distance, divergence, scale)
    return Drawing(mechanism, scale, _units(mechanism.map(sensitivity)))


def counting_within(measure: Measure, sensitivity: int, units: int) -> Drawing:
    """Noise for counts that costs at most the given units, and only slightly less."""
    loss = units / UNIT
    scale = sensitivity / loss if measure == "pure" else sensitivity / math.sqrt(2.0 * loss)
    return _affordable(lambda wide: counting(measure, sensitivity, wide), scale, units)


def choosing_within(measure: Measure, sensitivity: int, units: int) -> Drawing:
    """A choice that costs at most the given units, and only slightly less."""
    loss = units / UNIT
    epsilon = loss if measure == "pure" else math.sqrt(8.0 * loss)
    return _affordable(lambda wide: choosing(measure, sensitivity, wide), 2.0 * sensitivity / epsilon, units)


@dataclass(frozen=True)
class KeyDrawing:
    """Noise for the counts of undeclared keys; only keys whose noisy count reaches a threshold are shown."""

    measurement: Any
    scale: float
    threshold: int
    units: int
    delta: float
    """The probability of showing a key that only one person has."""

    def keys(self, counts: dict[str, int]) -> dict[str, int]:
        """The keys that are shown, with their noisy counts."""
        found = self.measurement({key: min(count, LARGEST) for key, count in counts.items()})
        return {str(key): int(count) for key, count in found.items()}


def keys_within(measure: Measure, contributions: int, units: int, delta: float) -> KeyDrawing:
    """Noise and a threshold for keys; one person has at most ``contributions`` rows in all keys together."""
    counting = counting_within(measure, contributions, units)
    scale, low, high = counting.scale, contributions, contributions + 1
    while _keys(measure, contributions, scale, high).delta > delta:
        low, high = high, high + 2 * (high - low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _keys(measure, contributions, scale, middle).delta <= delta else (middle, high)
    drawing = _keys(measure, contributions, scale, high)
    if drawing.units > units or drawing.delta > delta:
        raise ValueError("the privacy loss is too small: no noise reaches it")
    return drawing


def _keys(measure: Measure, contributions: int, scale: float, threshold: int) -> KeyDrawing:
    dp = load()
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64"))
    # All rows of one person may have the same key, or each a different one: both sensitivities are set to their
    # maximum.
    if measure == "pure":
        distance = dp.l01inf_distance(dp.absolute_distance(T="i64"))
        mechanism = dp.m.make_laplace_threshold(domain, distance, scale=scale, threshold=threshold)
        loss, delta = mechanism.map((contributions, contributions, contributions))
    else:
        distance = dp.l02inf_distance(dp.absolute_distance(T=float))
        mechanism = dp.m.make_gaussian_threshold(domain, distance, scale=scale, threshold=threshold)
        loss, delta = mechanism.map((contributions, float(contributions), float(contributions)))
    return KeyDrawing(mechanism, scale, threshold, _units(loss), float(delta))


def largest_rho(epsilon: float, delta: float) -> int:
    """Return the largest rho, in units, that is (epsilon, delta)-differentially private by OpenDP's conversion."""
    low, high = 0, int(UNIT * (epsilon + 1.0))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low


def epsilon_of(units: int, delta: float) -> float:
    """Return the epsilon for which a rho of ``units`` is (epsilon, delta)-differentially private."""
    dp = load()
    mechanism = dp.m.make_gaussian(dp.atom_domain(T="i64"), dp.absolute_distance(T=float), 1.0)
    # A Gaussian of scale 1 loses d²/2 at a distance d; a slightly larger d makes up for the rounding of the root.
    distance = math.sqrt(2.0 * units / UNIT) * (1.0 + 2.0**-50)
    return float(dp.c.make_zCDP_to_approxDP(mechanism).map(distance).epsilon(delta))


def _affordable(make: Any, scale: float, units: int) -> Drawing:
    for _ in range(_STEPS):
        drawing: Drawing = make(scale)
        if drawing.units <= units:
            return drawing
        # Losses are rounded up, by the library and to whole units.
        scale *= 1.0 + max(2.0**-50, 1.0 / max(units, 1))
    raise ValueError("the privacy loss is too small: no noise reaches it")


def _units(loss: float) -> int:
    return math.ceil(Fraction(loss) * UNIT)


def _within_range(numbers: NDArray[np.int64]) -> list[int]:
    """Return the numbers clipped to the library's range; clipping each number alone does not increase the
    sensitivity."""
    return [int(number) for number in np.clip(numbers, -LARGEST, LARGEST)]


def load() -> Any:
    """Return the library; it takes half a second to load, at the first use or when a worker starts."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp
