"""Population uniqueness: estimates against populations whose uniques are known."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.risk.population_uniqueness import (
    PopulationUniqueness,
    Sample,
    choose,
    pitman,
    slide_negative_binomial,
    zayatz,
)


def drawn(population, fraction, rng):
    """A sample of a population given by everyone's class, and the share of people who are unique."""
    chosen = rng.permutation(len(population))[: round(fraction * len(population))]
    sizes, counts = np.unique(np.unique(population[chosen], return_counts=True)[1], return_counts=True)
    unique = np.count_nonzero(np.unique(population, return_counts=True)[1] == 1) / len(population)
    return Sample(sizes, counts, float(len(population))), unique


def skewed(rng, people=60_000):
    """Classes of very different sizes, as combinations of quasi-identifiers have."""
    return (people**0.75 * rng.pareto(0.7, people)).astype(np.int64)


def test_of_a_whole_population_uniques_are_counted(table_of):
    table = table_of({"a": ["1", "2", "3", "3"]})
    judged = PopulationUniqueness().before(table)
    assert judged["value"] == 0.5
    assert judged["model"] == "counted"


def test_zayatz_by_hand():
    # Two classes of 1 and one of 2 in a sample of 4 from 8: a class of F shows one with chance F C(8-F, 3) / C(8, 4).
    sample = Sample(np.array([1, 2]), np.array([2, 1]), 8.0)
    single = 1 * 35 / 70
    double = 2 * 20 / 70
    expected = (2 * single / (2 * single + 1 * double)) * 2 / 4
    assert zayatz(sample) == pytest.approx(expected)


@pytest.mark.parametrize("fraction", [0.05, 0.1])
def test_pitman_is_near_for_small_samples(fraction):
    rng = np.random.default_rng(5)
    sample, unique = drawn(skewed(rng), fraction, rng)
    assert pitman(sample) == pytest.approx(unique, rel=0.35)


def test_the_slide_negative_binomial_finds_its_own_parameters():
    rng = np.random.default_rng(6)
    population = np.repeat(np.arange(40_000), 1 + rng.negative_binomial(0.5, 0.3, 40_000))
    sample, unique = drawn(population, 0.3, rng)
    assert slide_negative_binomial(sample) == pytest.approx(unique, rel=0.1)


def test_the_estimate_is_nearer_than_calling_every_unique_record_unique():
    rng = np.random.default_rng(7)
    for fraction in (0.05, 0.3):
        sample, unique = drawn(skewed(rng), fraction, rng)
        estimates = {"zayatz": zayatz(sample), "pitman": pitman(sample), "snb": slide_negative_binomial(sample)}
        chosen = estimates[choose(estimates, fraction)]
        assert abs(chosen - unique) < abs(sample.uniques / sample.records - unique)


def test_small_samples_believe_pitman_and_others_the_smaller_of_the_rest():
    assert choose({"pitman": 0.1, "zayatz": 0.2, "snb": 0.05}, 0.1) == "pitman"
    assert choose({"pitman": None, "zayatz": 0.2, "snb": 0.05}, 0.1) == "snb"
    assert choose({"pitman": 0.1, "zayatz": 0.2, "snb": 0.05}, 0.2) == "snb"
    assert choose({"pitman": 0.1, "zayatz": 0.02, "snb": 0.05}, 0.2) == "zayatz"
    assert choose({"pitman": 0.1, "zayatz": 0.02, "snb": None}, 0.2) == "zayatz"


def test_a_release_without_uniques_needs_no_estimate(table_of):
    table = table_of({"a": [str(value) for value in range(40)]})
    judge = PopulationUniqueness(sampling_fraction=0.05)
    before = judge.before(table)
    assert set(before) >= {"zayatz", "pitman", "snb", "value", "model"}
    assert 0 <= before["value"] <= 1
    after = judge.after(release_classes(table, np.arange(40) // 4, 10))
    assert after["value"] == 0.0
    assert after["model"] == "counted"
