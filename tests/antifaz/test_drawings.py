"""Drawings of counts and choices: their stated cost, and audits that detect a higher one.

Every audit draws on two inputs that differ as neighbors do and computes a lower bound of the loss; a variant with
noise of 0.7 times the scale must be detected. A correct mechanism fails an audit with a probability of at most 1e-11.
"""

import math

import numpy as np
import pytest

from antifaz.noise import (
    LARGEST,
    UNIT,
    Drawing,
    choosing,
    choosing_within,
    counting,
    counting_within,
    epsilon_of,
    largest_rho,
)
from tests.audit import excess, gaussian_delta

DRAWS = 20_000
TWIN = 0.7
"""Power: the excess of a twin of Laplace noise is 0.18 and must exceed 0.09 of doubt, which is 8 deviations; that of
Gaussian noise (30,000 draws) 0.11 against 0.06, 8 deviations; with a third of the noise in a choice the neighbor must
come up at most 30 times where 1.4 are expected."""


def counts_of(drawing: Drawing, count: int, draws: int = DRAWS) -> np.ndarray:
    """Independent draws for one count, as many at once as there are cells."""
    return drawing.counts(np.full(draws, count, dtype=np.int64))


def laplace_is_contradicted(scale: float, used: float, sensitivity: int = 1) -> bool:
    """Whether draws with one scale contradict the loss that the other one states."""
    stated = counting("pure", sensitivity, scale).units / UNIT
    drawing = counting("pure", sensitivity, used)
    return excess(counts_of(drawing, 10 + sensitivity), counts_of(drawing, 10), stated) > 0


def test_laplace_counts_lose_what_they_say_and_too_little_noise_is_noticed() -> None:
    assert not laplace_is_contradicted(1.5, 1.5)
    assert laplace_is_contradicted(1.5, TWIN * 1.5)


@pytest.mark.long
@pytest.mark.parametrize("sensitivity", [2, 3])
@pytest.mark.parametrize("scale", [0.6, 1.5, 3.0])
def test_laplace_counts_of_several_records_lose_what_they_say(sensitivity: int, scale: float) -> None:
    assert not laplace_is_contradicted(scale * sensitivity, scale * sensitivity, sensitivity)
    assert laplace_is_contradicted(scale * sensitivity, 0.5 * scale * sensitivity, sensitivity)


def test_who_counts_more_records_of_a_person_than_stated_is_noticed() -> None:
    drawing = counting("pure", 1, 1.5)
    assert excess(counts_of(drawing, 12), counts_of(drawing, 10), drawing.units / UNIT) > 0


def gaussian_is_contradicted(scale: float, used: float) -> bool:
    """At any of several epsilons: the whole privacy profile and not one point of it."""
    drawing = counting("zcdp", 1, used)
    first, second = counts_of(drawing, 11, 30_000), counts_of(drawing, 10, 30_000)
    # Discrete noise differs from Gaussian noise in its last digits at this scale.
    return any(excess(first, second, at, 2e-12) > gaussian_delta(scale, 1.0, at) + 1e-6 for at in (0.0, 0.3, 0.6, 1.0))


def test_gaussian_counts_keep_their_profile_and_too_little_noise_is_noticed() -> None:
    assert not gaussian_is_contradicted(1.5, 1.5)
    assert gaussian_is_contradicted(1.5, TWIN * 1.5)


def choice_is_contradicted(measure: str, used: float, draws: int) -> bool:
    """Of two neighbors the first has the first score higher, the other all others, each by the sensitivity: with many
    scores the chance of the first changes by nearly e^epsilon, which is the worst that there is."""
    stated, drawing = choosing(measure, 16, 32 / 3), choosing(measure, 16, used * 32 / 3)  # type: ignore[arg-type]
    epsilon = stated.units / UNIT if measure == "pure" else math.sqrt(8 * stated.units / UNIT)
    assert epsilon == pytest.approx(3.0)
    higher = np.array([16] + [0] * 19), np.array([0] + [16] * 19)
    first, second = (np.array([drawing.choice(scores) > 0 for _ in range(draws)], dtype=np.int64) for scores in higher)
    return excess(first, second, epsilon) > 0


@pytest.mark.parametrize("measure", ["pure", "zcdp"])
def test_a_choice_loses_what_it_says_and_a_third_of_the_noise_is_noticed(measure: str) -> None:
    assert not choice_is_contradicted(measure, 1.0, 4_000)
    assert choice_is_contradicted(measure, 1 / 3, 4_000)


@pytest.mark.long
@pytest.mark.parametrize("measure", ["pure", "zcdp"])
def test_a_choice_loses_what_it_says_and_too_little_noise_is_noticed(measure: str) -> None:
    assert not choice_is_contradicted(measure, 1.0, 60_000)
    assert choice_is_contradicted(measure, TWIN, 60_000)


@pytest.mark.parametrize("measure", ["pure", "zcdp"])
@pytest.mark.parametrize("units", [10**3, 123_456_789, 10**12])
def test_what_is_asked_to_cost_so_much_costs_hardly_less_and_never_more(measure: str, units: int) -> None:
    for drawing in (counting_within(measure, 3, units), choosing_within(measure, 48, units)):  # type: ignore[arg-type]
        assert 0.99 * units <= drawing.units <= units


def test_the_loss_follows_from_the_scale_by_hand() -> None:
    assert counting("pure", 3, 6.0).units == UNIT // 2
    assert counting("zcdp", 3, 6.0).units == UNIT // 8
    assert choosing("pure", 2, 8.0).units == UNIT // 2
    assert choosing("zcdp", 2, 8.0).units == UNIT // 32


def test_rho_is_the_most_that_the_conversion_allows() -> None:
    units = largest_rho(1.0, 1e-9)
    assert epsilon_of(units, 1e-9) <= 1.0 < epsilon_of(units + 2, 1e-9)
    # The simple bound of Bun and Steinke, rho + 2 sqrt(rho ln(1/delta)), asks for a little less.
    rho = units / UNIT
    assert 1.0 < rho + 2 * math.sqrt(rho * math.log(1e9)) < 1.2


def test_numbers_beyond_what_is_added_to_are_bounded_and_no_reason_to_fail() -> None:
    drawing = counting("pure", 1, 1.0)
    assert abs(int(drawing.counts(np.array([2**62]))[0]) - LARGEST) < 1_000
    assert choosing("pure", 1, 1.0).choice(np.array([-(2**62), 2**62])) == 1
