"""Homogeneity attack: naming the most frequent value of the class."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.tables.attacks.homogeneity import Homogeneity
from antifaz.tables.labels.recode import release_classes
from antifaz.watch import unwatched


def test_names_the_most_frequent_value_of_the_class(table_of):
    table = table_of(
        {"a": ["1", "1", "1", "9", "9"], "s": ["x", "x", "y", "y", "y"]},
        {"s": "sensitive"},
    )
    released = release_classes(table, np.array([0, 0, 0, 1, 1]), 2)
    outcome = Homogeneity().attempt(table, released, np.random.default_rng(0), unwatched)
    assert outcome["rate"] == pytest.approx(4 / 5)
    assert outcome["baseline"] == pytest.approx(3 / 5)
    assert outcome["certain"] == pytest.approx(2 / 5)


def test_without_sensitive_columns_there_is_nothing_to_learn(table_of):
    table = table_of({"a": ["1", "2"]})
    outcome = Homogeneity().attempt(table, release_classes(table, np.zeros(2, int), 1), None, unwatched)
    assert outcome == {"rate": 0.0, "baseline": 0.0, "certain": 0.0, "targets": 0, "columns": {}}


def test_the_column_is_the_one_that_is_named_best_compared_with_guessing(table_of):
    """Everyone is healthy, so that naming it is right for all and discloses nothing; the city is disclosed for half."""
    columns = {"a": ["1", "1", "9", "9"], "healthy": ["yes"] * 4, "city": ["x", "x", "y", "z"]}
    table = table_of(columns, {"healthy": "sensitive", "city": "sensitive"})
    outcome = Homogeneity().attempt(table, release_classes(table, np.array([0, 0, 1, 1]), 2), None, unwatched)
    assert outcome["column"] == "city"
    assert (outcome["rate"], outcome["baseline"], outcome["certain"]) == (0.75, 0.5, 0.5)


def test_a_randomized_value_is_not_the_persons(table_of):
    """Everyone is alone in their class, and the release shows each the value of the other."""
    table = table_of({"a": ["1", "2"], "s": ["x", "y"]}, {"s": "sensitive"})
    released = release_classes(table, np.arange(2), 2)
    turned = replace(released.columns[1], codes=released.columns[1].codes[::-1].copy())
    outcome = Homogeneity().attempt(table, replace(released, columns=(released.columns[0], turned)), None, unwatched)
    assert (outcome["rate"], outcome["certain"]) == (0.0, 0.0)


def test_a_class_of_masked_values_does_not_show_whose_it_is(table_of):
    """Ages shuffled among 200 people, each with a value of their own kind: by the class, all would be named. The chance
    to name a person's value is one in ten; 60 of 200 would be ten standard deviations more."""
    rng = np.random.default_rng(4)
    values = [f"s{value}" for value in rng.integers(0, 10, 200)]
    table = table_of({"a": [str(value) for value in range(200)], "s": values}, {"s": "sensitive"})
    released = release_classes(table, np.arange(200), 200)
    shuffled = replace(released.columns[0], codes=rng.permutation(released.columns[0].codes))
    outcome = Homogeneity().attempt(table, replace(released, columns=(shuffled, released.columns[1])), rng, unwatched)
    assert outcome["targets"] == 200
    assert outcome["rate"] < 0.3
