"""Average class size: the mean over the k of the policy."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.tables.guarantees.alpha_k import AlphaK
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.utility.average_class_size import AverageClassSize
from antifaz.watch import unwatched


def measured(table, classes, *guarantees, k=None):
    released = release_classes(table, np.array(classes), max(classes) + 1)
    part = AverageClassSize(k=k).beside(guarantees)
    return part.measure(table, released, np.random.default_rng(0), unwatched)


def test_divides_the_mean_by_the_k_of_the_policy(table_of):
    table = table_of({"a": ["1", "2", "3", "9", "9"]})
    assert measured(table, [0, 0, 0, 1, 1], KAnonymity(k=2)) == {"value": pytest.approx(1.25), "mean": 2.5, "k": 2}


def test_one_class_for_everybody_is_not_perfect(table_of):
    table = table_of({"a": [str(age) for age in range(20)]})
    assert measured(table, [0] * 20, KAnonymity(k=2))["value"] == 10.0


def test_the_largest_class_that_a_guarantee_asks_for_counts(table_of):
    table = table_of({"a": ["1", "2", "3", "4", "9", "9"]})
    stated = [LDiversity(l=3, attribute="s"), AlphaK(alpha=0.9, k=2, attribute="s")]
    assert measured(table, [0, 0, 0, 1, 1, 1], *stated)["k"] == 3
    closeness = TCloseness(t=0.5, distance="equal", attribute="s")
    assert measured(table, [0, 0, 0, 1, 1, 1], closeness) == {"value": 3.0, "mean": 3.0, "k": 1}
    assert measured(table, [0, 0, 0, 1, 1, 1], *stated, k=6)["value"] == 0.5


def test_persons_are_counted_if_k_counts_them(table_of):
    table = table_of({"a": ["1", "2", "3", "4"]})
    released = replace(release_classes(table, np.zeros(4, dtype=np.int64), 1), unit=np.array([7, 7, 8, 8]))
    found = AverageClassSize(k=2).measure(table, released, np.random.default_rng(0), unwatched)
    assert found == {"value": 1.0, "mean": 2.0, "k": 2}
