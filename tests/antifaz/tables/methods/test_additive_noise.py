"""Additive noise: its size, its correlation, its form."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidPolicy
from antifaz.tables.methods.additive_noise import AdditiveNoise
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


def numbers_of(released, name):
    column = released.column(name)
    return column.labels[column.codes].astype(float)


@pytest.fixture(scope="module")
def correlated(table_of):
    rng = np.random.default_rng(2)
    x = rng.normal(50, 10, 20_000)
    y = 2 * x + rng.normal(0, 5, len(x))
    cells = {"x": [f"{value:.4f}" for value in x], "y": [f"{value:.4f}" for value in y]}
    return table_of(cells), x, y


def test_the_deviation_of_the_noise_is_a_share_of_the_attributes(correlated):
    table, x, y = correlated
    released = protect(table, AdditiveNoise(amount=0.5))
    noise_x, noise_y = numbers_of(released, "x") - x, numbers_of(released, "y") - y
    assert noise_x.std() == pytest.approx(0.5 * x.std(), rel=0.03)
    assert noise_y.std() == pytest.approx(0.5 * y.std(), rel=0.03)
    assert abs(noise_x.mean()) < 0.2
    assert abs(np.corrcoef(noise_x, noise_y)[0, 1]) < 0.03


def test_correlated_noise_keeps_the_correlation(correlated):
    table, x, y = correlated
    released = protect(table, AdditiveNoise(amount=0.5, correlated=True))
    shown = np.corrcoef(numbers_of(released, "x"), numbers_of(released, "y"))[0, 1]
    assert shown == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.01)
    assert (numbers_of(released, "x") - x).std() == pytest.approx(0.5 * x.std(), rel=0.03)


def test_ages_stay_integers_in_range(table_of):
    cells = [str(age) for age in range(18, 91)]
    released = protect(table_of({"age": cells}), AdditiveNoise(amount=2.0, bounds={"age": (18, 90)}))
    ages = numbers_of(released, "age")
    assert released.column("age").type is ValueType.INTEGER
    assert ages.min() == 18
    assert ages.max() == 90
    assert (ages != np.arange(18, 91)).any()


def test_decimals_keep_their_places_and_dates_stay_dates(table_of):
    table = table_of({"a": ["1.25", "7.5", "3"], "d": ["2020-01-01", "2021-01-01", "2022-01-01"]})
    released = protect(table, AdditiveNoise(amount=1.0))
    assert all(len(text.partition(".")[2]) <= 2 for text in released.column("a").labels)
    assert released.column("d").type is ValueType.DATE


def test_missing_cells_stay_missing_and_constants_stay_constant(table_of, rows_of):
    rows = rows_of(protect(table_of({"a": ["", "5", "5"], "b": ["7", "7", ""]}), AdditiveNoise(correlated=True)))
    assert rows == [("", "7"), ("5", "7"), ("5", "")]


def test_texts_get_no_noise(table_of, rows_of):
    table = table_of({"a": ["x", "y"]})
    assert rows_of(protect(table, AdditiveNoise())) == [("x",), ("y",)]
    with pytest.raises(InvalidPolicy):
        protect(table, AdditiveNoise(attributes=["a"]))
    with pytest.raises(InvalidPolicy) as caught:
        protect(table, AdditiveNoise(bounds={"a": (0, 1)}))
    assert caught.value.pointer == "/method/bounds/a"


def test_bounds_must_rise():
    with pytest.raises(ValidationError):
        AdditiveNoise(bounds={"a": (2, 1)})
