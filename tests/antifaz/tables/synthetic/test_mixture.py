"""The mixture of products: its marginals, its fit, and the records that are drawn from it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antifaz.tables.synthetic.mixture import Marginal, Mixture, round_counts
from antifaz.watch import unwatched


def fitted(pair: np.ndarray, steps: int = 1_000) -> Mixture:
    shares = [pair.sum(axis=1), pair.sum(axis=0)]
    mixture = Mixture(shares, 20, np.random.default_rng(1))
    measured = [Marginal((0, 1), pair.astype(np.float32), 1.0)]
    mixture.fit(measured, steps, 0.05, unwatched)
    return mixture


DEPENDENT = np.array([[0.4, 0.0, 0.1], [0.0, 0.3, 0.2]])


def test_it_comes_to_a_pair_of_columns_that_depend_on_one_another() -> None:
    mixture = fitted(DEPENDENT)
    assert np.abs(mixture.marginal((0, 1)) - DEPENDENT).sum() < 0.03
    assert np.allclose(mixture.marginal((0,)), mixture.marginal((0, 1)).sum(axis=1), atol=1e-5)
    assert np.allclose(mixture.marginal((1,)), mixture.marginal((0, 1)).sum(axis=0), atol=1e-5)


def test_its_slope_is_that_of_the_weighted_squares() -> None:
    """Every entry against the difference of the squares for a small change."""
    rng = np.random.default_rng(2)
    mixture = Mixture([np.array([0.3, 0.7]), np.array([0.2, 0.3, 0.5])], 3, rng)
    measured = [
        Marginal((0,), np.array([0.5, 0.5], dtype=np.float32), 2.0),
        Marginal((0, 1), DEPENDENT.astype(np.float32), 1.0),
    ]

    def squares() -> float:
        return sum(m.weight / 3.0 * float(((mixture.marginal(m.columns) - m.shares) ** 2).sum()) for m in measured)

    slope = mixture._slope(measured, 3.0)
    for place in np.ndindex(slope.shape):
        before = mixture._parameters[place]
        mixture._parameters[place] = before + 0.01
        above = squares()
        mixture._parameters[place] = before - 0.01
        below = squares()
        mixture._parameters[place] = before
        assert abs((above - below) / 0.02 - slope[place]) < 2e-5


def test_records_are_drawn_as_often_as_they_are_due() -> None:
    mixture = fitted(DEPENDENT)
    records = mixture.sample(1_000, np.random.default_rng(3), unwatched)
    seen = np.bincount(records[:, 0] * 3 + records[:, 1], minlength=6).reshape(2, 3) / 1_000
    assert np.abs(seen - mixture.marginal((0, 1))).sum() < 0.15
    assert np.abs(seen.sum(axis=1) - mixture.marginal((0,))).max() < 0.02


@given(
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=30).filter(lambda found: sum(found) > 1e-6),
    count=st.integers(0, 10_000),
    seed=st.integers(0, 2**20),
)
def test_rounded_counts_add_up_and_are_at_most_one_away(shares, count, seed):
    due = np.array(shares)
    found = round_counts(due, count, np.random.default_rng(seed))
    assert found.sum() == count
    assert (found >= 0).all()
    assert np.abs(found - due / due.sum() * count).max() < 1.0 + 1e-6
