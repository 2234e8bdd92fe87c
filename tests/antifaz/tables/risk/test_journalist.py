"""Journalist risk: equal to the prosecutor's if the table is the population, smaller if it is a sample."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.risk.journalist import Journalist
from antifaz.tables.risk.prosecutor import Prosecutor


def test_of_a_whole_population_it_is_the_prosecutors(table_of):
    table = table_of({"a": ["1", "1", "1", "2", "2", "3"]})
    journalist, prosecutor = Journalist().before(table), Prosecutor().before(table)
    for figure in ("max", "mean", "share_over_threshold"):
        assert journalist[figure] == pytest.approx(prosecutor[figure])


def test_a_class_of_a_sample_stands_for_more_people(table_of):
    table = table_of({"a": ["1", "1", "1", "1", "2", "2"]})
    risk = Journalist(sampling_fraction=0.1).before(table)
    assert risk["max"] == pytest.approx(0.05)  # two records stand for twenty people
    assert risk["mean"] == pytest.approx((4 * 0.025 + 2 * 0.05) / 6)
    assert risk["share_over_threshold"] == 0.0
    assert Journalist(sampling_fraction=0.1, threshold=0.03).before(table)["share_over_threshold"] == pytest.approx(
        1 / 3
    )


def test_a_release_is_judged_by_its_labels(table_of):
    table = table_of({"a": ["1", "2", "8", "9"]})
    assert Journalist().before(table)["max"] == 1.0
    assert Journalist().after(release_classes(table, np.array([0, 0, 1, 1]), 2))["max"] == 0.5


def test_an_empty_release_has_no_risk(table_of):
    table = table_of({"a": ["1", "2"]})
    released = release_classes(table, np.zeros(2, dtype=np.int64), 1)
    nothing = type(released)(
        tuple(type(c)(c.name, c.source, c.role, c.type, c.codes[:0], c.labels) for c in released.columns),
        released.records[:0],
    )
    assert Journalist().after(nothing)["max"] == 0.0
