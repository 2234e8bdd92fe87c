"""Marketer risk: classes over records, times the sampling fraction."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.risk.marketer import Marketer


def test_hand_checked_shares(table_of):
    table = table_of({"a": ["1", "1", "1", "1", "2", "3"]})
    assert Marketer().before(table)["value"] == pytest.approx(3 / 6)
    assert Marketer(sampling_fraction=0.2).before(table)["value"] == pytest.approx(0.1)
    assert Marketer().after(release_classes(table, np.zeros(6, dtype=np.int64), 1))["value"] == pytest.approx(1 / 6)


def test_agrees_with_a_simulated_matching(table_of):
    rng = np.random.default_rng(3)
    population = rng.integers(0, 300, 20_000)
    drawn = rng.permutation(20_000)[:10_000]
    table = table_of({"a": population[drawn].astype(str)})
    sizes = np.bincount(population)
    truly = float(np.mean(1.0 / sizes[population[drawn]]))
    assert Marketer(sampling_fraction=0.5).before(table)["value"] == pytest.approx(truly, rel=0.05)
