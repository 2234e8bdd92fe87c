"""Synthetic: marginals, correlations, copies."""

import numpy as np
import pytest
from scipy import stats

from antifaz.tables.methods.synthetic import FAMILIES, Synthetic, best_fit
from antifaz.tables.table import ValueType
from antifaz.watch import unwatched

SIZE = 4000


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


def numbers_of(released, name):
    column = released.column(name)
    return np.array([float(text) if text else np.nan for text in column.labels])[column.codes]


@pytest.fixture(scope="module")
def people(table_of):
    rng = np.random.default_rng(9)
    height = rng.normal(170, 8, SIZE)
    weight = 0.9 * (height - 100) + rng.normal(0, 5, SIZE)
    kind = np.where(height > 172, "tall", np.where(height > 165, "middling", "short"))
    cells = {
        "name": [f"p{number}" for number in range(SIZE)],
        "height": [f"{value:.1f}" for value in height],
        "weight": ["" if number % 10 == 0 else str(round(value)) for number, value in enumerate(weight)],
        "kind": kind.tolist(),
        "disease": rng.choice(["flu", "cold"], SIZE, p=[0.9, 0.1]).tolist(),
    }
    return table_of(cells, {"name": "identifier", "disease": "sensitive"})


@pytest.mark.parametrize("model", ["copula", "marginals"])
def test_marginals_are_kept_and_types_too(people, model):
    released = protect(people, Synthetic(model=model))
    assert [column.name for column in released.columns] == ["height", "weight", "kind", "disease"]
    assert released.column("weight").type is ValueType.INTEGER
    height, weight = numbers_of(released, "height"), numbers_of(released, "weight")
    assert np.nanmean(height) == pytest.approx(170, abs=1)
    assert np.nanstd(height) == pytest.approx(8, abs=0.6)
    assert np.isnan(weight).mean() == pytest.approx(0.1, abs=0.02)
    shares = dict(
        zip(released.column("disease").labels, np.bincount(released.column("disease").codes) / SIZE, strict=True)
    )
    assert shares["flu"] == pytest.approx(0.9, abs=0.02)


def test_only_the_copula_keeps_correlations(people):
    def correlation(model):
        released = protect(people, Synthetic(model=model))
        height, weight = numbers_of(released, "height"), numbers_of(released, "weight")
        known = ~np.isnan(weight)
        return stats.spearmanr(height[known], weight[known]).statistic

    assert correlation("copula") > 0.6
    assert abs(correlation("marginals")) < 0.1


@pytest.mark.parametrize(
    ("family", "sample"),
    [
        ("normal", lambda rng: rng.normal(5, 2, 5000)),
        ("uniform", lambda rng: rng.uniform(-1, 4, 5000)),
        ("exponential", lambda rng: rng.exponential(3, 5000) + 2),
        ("lognormal", lambda rng: rng.lognormal(1, 0.9, 5000)),
        ("laplace", lambda rng: rng.laplace(0, 2, 5000)),
        ("gamma", lambda rng: rng.gamma(3, 2, 5000)),
        ("weibull", lambda rng: 4 * rng.weibull(2.5, 5000)),
        ("logistic", lambda rng: rng.logistic(1, 2, 5000)),
    ],
)
def test_the_nearest_family_is_found(family, sample):
    cells = np.sort(sample(np.random.default_rng(5)))
    found, quantiles = best_fit(cells)
    assert found == family
    shares = np.linspace(0.05, 0.95, 19)
    assert np.abs(quantiles(shares) - np.quantile(cells, shares)).max() < 0.15 * cells.std()


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_quantiles_undo_shares(family):
    fitted = FAMILIES[family](np.sort(np.random.default_rng(6).gamma(3, 2, 500)))
    shares = np.linspace(0.01, 0.99, 25)
    assert fitted.share_below(fitted.quantile(shares)) == pytest.approx(shares)


def test_bounds_hold(people):
    released = protect(people, Synthetic(model="marginals", bounds={"height": (160, 180)}))
    height = numbers_of(released, "height")
    assert height.min() >= 160
    assert height.max() <= 180


def test_copies_are_counted(table_of):
    same = protect(table_of({"a": ["x"] * 50}), Synthetic())
    assert same.account["copies"] == 1.0
    assert same.account["unique_reappearing"] == 0.0
    rng = np.random.default_rng(3)
    apart = table_of({f"a{i}": [f"{cell:.5f}" for cell in rng.random(300)] for i in range(3)})
    assert protect(apart, Synthetic()).account["copies"] < 0.01


def test_an_empty_column_and_a_constant_one(table_of, rows_of):
    for model in ("copula", "marginals"):
        table = table_of({"a": ["", ""], "b": ["3", "3"]}, a={"type": "integer"})
        assert rows_of(protect(table, Synthetic(model=model))) == [("", "3")] * 2
