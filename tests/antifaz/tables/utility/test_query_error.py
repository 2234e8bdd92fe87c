"""Query error: zero on the original, equal to a hand count, and larger with coarser classes."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.utility.query_error import QueryError
from antifaz.watch import unwatched


def measure(table, released, **parameters):
    return QueryError(**parameters).measure(table, released, np.random.default_rng(0), unwatched)


def test_an_original_answers_exactly(table_of):
    rng = np.random.default_rng(3)
    table = table_of({"a": rng.integers(0, 50, 300).astype(str), "v": rng.choice(list("uvwxyz"), 300)})
    outcome = measure(table, release_classes(table, np.arange(300), 300))
    assert outcome["value"] == pytest.approx(0.0, abs=1e-12)
    assert outcome["mean"] == pytest.approx(0.0, abs=1e-12)
    assert outcome["queries"] == 200


def test_uniform_values_are_guessed_well_and_skewed_ones_badly(table_of):
    uniform = table_of({"a": [str(value) for value in range(200)]})
    skewed = table_of({"a": [str(value) for value in [*range(20), *[500] * 180]]})
    whole = [
        measure(table, release_classes(table, np.zeros(200, dtype=np.int64), 1), dimensions=1)["mean"]
        for table in (uniform, skewed)
    ]
    assert whole[0] == pytest.approx(0.0, abs=1e-9)
    assert whole[1] > 0.5


def test_coarser_classes_err_more(table_of):
    rng = np.random.default_rng(4)
    ages = np.sort(np.round(rng.normal(40, 12, 2000)).astype(int))
    table = table_of({"a": ages.astype(str)})
    errors = [
        measure(table, release_classes(table, np.arange(2000) // size, 2000 // size))["mean"] for size in (4, 100, 1000)
    ]
    assert errors == sorted(errors)
    assert errors[0] < errors[2]


def test_without_quasi_identifiers_nothing_is_asked(table_of):
    table = table_of({"s": ["x", "y"]}, {"s": "sensitive"})
    assert measure(table, release_classes(table, np.zeros(2, dtype=np.int64), 1))["queries"] == 0
