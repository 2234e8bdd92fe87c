"""PRAM: transition matrices and what they keep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.tables.methods import pram
from antifaz.tables.methods.pram import Pram, invariant_matrix
from antifaz.watch import unwatched

CELLS = ["a"] * 14_000 + ["b"] * 5_000 + ["c"] * 1_000


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


def transitions(cells, released, name):
    column = released.column(name)
    shown = column.labels[column.codes]
    kinds = sorted(set(cells))
    original = np.array(cells)
    return np.array([[np.mean(shown[original == old] == new) for new in kinds] for old in kinds])


def test_a_uniform_matrix_is_followed_and_public(table_of):
    released = protect(table_of({"x": CELLS}), Pram(change=0.3))
    found = transitions(CELLS, released, "x")
    expected = np.array([[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]])
    assert np.abs(found - expected).max() < 0.05
    told = released.account["public"]["pram"]["x"]
    assert (told["kind"], told["categories"]) == ("uniform", 3)
    assert told["keep"] == pytest.approx(0.7)
    assert told["other"] == pytest.approx(0.15)


def test_an_invariant_matrix_keeps_expected_frequencies(table_of):
    released = protect(table_of({"x": CELLS}), Pram(matrix="invariant", change=0.4))
    column = released.column("x")
    counts = dict(zip(column.labels, np.bincount(column.codes), strict=True))
    assert abs(counts["a"] - 14_000) < 300
    assert abs(counts["c"] - 1_000) < 150
    assert np.diag(transitions(CELLS, released, "x")).max() < 0.95
    assert "rows" not in released.account["public"]["pram"]["x"]


def test_an_invariant_matrix_is_published_only_when_asked_for(table_of):
    table = table_of({"x": ["a", "a", "b"]})
    rows = protect(table, Pram(matrix="invariant", publish=True)).account["public"]["pram"]["x"]["rows"]
    assert np.array(rows).sum(axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_invariant_matrices_are_stochastic_and_invariant(frequencies, change):
    weights = np.array(frequencies, dtype=float)
    matrix = invariant_matrix(weights, change)
    assert (matrix >= 0).all()
    assert matrix.sum(axis=1) == pytest.approx(np.ones(len(weights)))
    assert weights @ matrix == pytest.approx(weights)


def test_numbers_are_changed_only_when_named(table_of, rows_of):
    cells = [str(number) for number in range(200)]
    table = table_of({"a": cells})
    assert [row[0] for row in rows_of(protect(table, Pram()))] == cells
    assert [row[0] for row in rows_of(protect(table, Pram(attributes=["a"], change=0.9)))] != cells


def test_a_single_category_stays(table_of, rows_of):
    for matrix in ("uniform", "invariant"):
        assert rows_of(protect(table_of({"a": ["x", "x"]}), Pram(matrix=matrix, change=0.9))) == [("x",)] * 2


def test_too_many_categories_have_no_invariant_matrix(table_of, monkeypatch):
    monkeypatch.setattr(pram, "MOST_CATEGORIES", 2)
    with pytest.raises(Infeasible):
        protect(table_of({"a": ["x", "y", "z"]}), Pram(matrix="invariant"))
