"""Select, measure, fit: the epsilon spent, the influence of one person, and the result."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.noise import UNIT
from antifaz.tables.synthetic import marginals
from antifaz.tables.synthetic.marginals import (
    RESOLUTION,
    Spending,
    _grouping,
    _misfit,
    as_loss,
    bounded,
    learn,
    nearest_shares,
)
from antifaz.watch import unwatched


def columns(n: int = 2_000) -> list[np.ndarray]:
    """Two columns that are the same but for a tenth of the records, and one that is independent."""
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, n)
    second = np.where(rng.random(n) < 0.9, first, rng.integers(0, 3, n))
    return [first, second, rng.integers(0, 4, n)]


def learned(measure: str, epsilon: float, found: list[np.ndarray] | None = None):
    spending = Spending(measure, 1, int(epsilon * UNIT))  # type: ignore[arg-type]
    found = columns() if found is None else found
    sizes = [3, 3, 4][: len(found)]
    model = learn(found, sizes, [False] * len(found), spending, np.random.default_rng(1), unwatched)
    return model, spending


LIMIT = 0.4
"""Columns without their dependence are 0.8 away. A cell of the pair is measured at least once with noise of which the
deviation is 10 records of 2,000: nine cells are off by 0.4 in all once in 10^30 runs, and the number of records by 300
once in 10^30."""


@pytest.mark.parametrize("measure", ["pure", "zcdp"])
def test_a_large_budget_learns_the_table_and_is_never_overdrawn(measure: str) -> None:
    model, spending = learned(measure, 4.0)
    assert 0 <= spending.left < UNIT // 1_000
    assert sum(step["units"] for step in spending.steps) == 4 * UNIT - spending.left
    true = np.bincount(columns()[0] * 3 + columns()[1], minlength=9) / 2_000
    records = model.sample(2_000, np.random.default_rng(2), unwatched)
    seen = np.bincount(records[:, 0] * 3 + records[:, 1], minlength=9) / 2_000
    assert np.abs(seen - true).sum() < LIMIT
    assert abs(model.total - 2_000) < 300


def test_the_pair_that_depends_is_measured_first() -> None:
    _, spending = learned("zcdp", 4.0)
    assert [step["columns"] for step in spending.steps[:5]] == [[0], [1], [2], [], [0, 1]]


def test_one_column_gets_all_of_the_budget() -> None:
    _, spending = learned("pure", 1.0, columns()[:1])
    assert [(step["kind"], step["columns"]) for step in spending.steps] == [("count", [0])]
    assert spending.left < 1_000


def test_what_costs_more_than_is_left_is_not_drawn() -> None:
    spending = Spending("pure", 1, UNIT)
    drawing = spending.counting(UNIT)
    spending.pay(drawing, (0,), "count")
    with pytest.raises(ValueError, match="more than is left"):
        spending.pay(drawing, (0,), "count")


@given(
    records=st.lists(st.integers(0, 5), max_size=30),
    one_more=st.integers(0, 5),
    expected=st.lists(st.floats(0, 50), min_size=6, max_size=6),
    error=st.floats(0, 100),
)
def test_one_record_changes_a_score_by_at_most_the_resolution(records, one_more, expected, error):
    """The very difference by which the noise of a choice is scaled."""
    counts = np.bincount(records, minlength=6).reshape(2, 3)
    more = np.bincount([*records, one_more], minlength=6).reshape(2, 3)
    model = np.array(expected).reshape(2, 3)
    assert abs(_misfit(more, model, error) - _misfit(counts, model, error)) <= RESOLUTION


@given(units=st.lists(st.integers(0, 6), min_size=1, max_size=60), most=st.integers(1, 5), seed=st.integers(0, 2**20))
def test_no_person_counts_with_more_records_than_stated_and_none_with_fewer(units, most, seed):
    unit = np.array(units)
    chosen = bounded(unit, most, np.random.default_rng(seed))
    assert len(set(chosen.tolist())) == len(chosen)
    assert np.bincount(unit[chosen], minlength=7).tolist() == np.minimum(np.bincount(unit, minlength=7), most).tolist()


def test_which_records_of_a_person_count_is_left_to_chance() -> None:
    unit = np.zeros(10, dtype=np.int64)
    assert {int(bounded(unit, 1, np.random.default_rng(seed))[0]) for seed in range(200)} == set(range(10))


def test_rare_values_are_counted_together_and_close_numbers_too() -> None:
    counts = np.array([500, 3, 400, 1, 96])
    grouping = _grouping(counts, 1_000, 30.0, False, 16)
    assert grouping.group.tolist() == [0, 3, 1, 3, 2]
    numbers = _grouping(np.array([10] * 8), 80, 30.0, True, 4)
    assert numbers.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    few = _grouping(counts, 1_000, 0.0, False, 3)
    assert few.group.tolist() == [0, 2, 1, 2, 2]


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20))
def test_the_nearest_distribution_is_one(shares):
    found = nearest_shares(np.array(shares))
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1.0)


def test_losses_are_written_as_decimals() -> None:
    assert as_loss(0) == "0.000000000000"
    assert as_loss(UNIT * 12 + 5) == "12.000000000005"


def test_the_watch_is_looked_at_and_rises() -> None:
    seen: list[float] = []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    learn(columns(300), [3, 3, 4], [False] * 3, Spending("zcdp", 1, UNIT), np.random.default_rng(1), watch)
    assert len(seen) > marginals.LAST_STEPS
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] < seen[-1] <= 1.0
