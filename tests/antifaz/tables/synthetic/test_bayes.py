"""Naive Bayes over labels: hand-checked probabilities, for exact and generalized labels."""

import numpy as np
import pytest

from antifaz.tables.labels.label_values import cover_of, plain_cover
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.synthetic.bayes import learn


def test_hand_checked_chances(table_of):
    table = table_of({"a": ["x", "x", "y"]})
    cover = plain_cover(table.attribute("a"), np.arange(3))
    model = learn([cover], np.arange(3), np.array([0, 0, 1]), 2)
    assert np.exp(model.targets) == pytest.approx([3 / 5, 2 / 5])
    assert np.exp(model.columns[0]) == pytest.approx(np.array([[3 / 4, 1 / 4], [1 / 3, 2 / 3]]))
    assert model.name([np.array([0, 1])]).tolist() == [0, 1]


def test_a_label_counts_for_its_values_in_equal_parts(table_of):
    table = table_of({"a": ["1", "2", "8", "9"]})
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    model = learn([cover_of(table, released, "a")], np.arange(4), np.array([0, 0, 1, 1]), 2)
    assert np.exp(model.columns[0][0]) == pytest.approx([2 / 6, 2 / 6, 1 / 6, 1 / 6])
    assert model.name([np.array([0, 1, 2, 3])]).tolist() == [0, 0, 1, 1]


def test_without_columns_the_most_frequent_target_is_named():
    model = learn([], np.arange(3), np.array([1, 1, 0]), 2)
    assert model.name([]).tolist() == [1]


def test_many_numbers_are_pooled(table_of):
    rng = np.random.default_rng(1)
    numbers = rng.permutation(4000)
    table = table_of({"a": numbers.astype(str)})
    attribute = table.attribute("a")
    targets = (numbers >= 3000).astype(np.int64)
    model = learn([plain_cover(attribute, np.arange(4000))], np.arange(0, 4000, 2), targets[::2], 2)
    named = model.name([attribute.column.codes[1::2]])
    assert np.mean(named == targets[1::2]) > 0.95
    assert len(np.unique(model.columns[0][0])) <= 32
