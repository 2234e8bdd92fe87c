"""(α, k)-Anonymity: exact at its bound, a condition of the cut, and when it refuses immediately."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.kernels.tables.conditions import DISTINCT, SHARE, SIZE
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.classes.rules import classes_satisfy, state_conditions
from antifaz.tables.guarantees.alpha_k import AlphaK
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched


def table_with(table_of, values, quasi=None):
    return table_of({"q": list(quasi or ["1"] * len(values)), "s": list(values)}, {"s": "sensitive"})


@pytest.mark.parametrize("wrong", [{"alpha": 0, "k": 2}, {"alpha": 1, "k": 2}, {"alpha": 0.5, "k": 1}])
def test_alpha_is_a_proper_share_and_k_at_least_two(wrong):
    with pytest.raises(ValidationError):
        AlphaK(attribute="s", **wrong)


def test_a_share_that_is_met_exactly_is_allowed(table_of):
    # 57 of 100: in binary fractions 0.57 · 100 is less than 57.
    table = table_with(table_of, ["x"] * 57 + ["y"] * 43)
    labels = np.zeros(100, dtype=np.int64)
    for alpha, holds in ((0.57, True), (0.569999999, False), (0.5699999999999, False)):
        conditions = state_conditions(table, [AlphaK(alpha=alpha, k=2, attribute="s")])
        assert bool(classes_satisfy(conditions, labels, 1)[0]) is holds


def test_names_the_nearest_alpha_where_the_whole_table_exceeds_it(table_of):
    with pytest.raises(Infeasible) as caught:
        AlphaK(alpha=0.5, k=2, attribute="s").admit(table_with(table_of, ["cnry1", "cnry1", "cnry1", "cnry2"]))
    assert caught.value.nearest == {"alpha": 0.75}
    assert "cnry" not in str(caught.value) + caught.value.reasons[0].detail


def test_refuses_too_few_rows_and_a_column_that_is_not_sensitive(table_of):
    with pytest.raises(InvalidDataset):
        AlphaK(alpha=0.9, k=5, attribute="s").admit(table_with(table_of, ["x", "y"]))
    with pytest.raises(InvalidPolicy):
        AlphaK(alpha=0.9, k=2, attribute="q").admit(table_with(table_of, ["x", "y"]))


@pytest.mark.parametrize("method", [Mondrian(), Mondrian(effort="fast"), Mondrian(cut="range")], ids=str)
def test_is_a_condition_of_the_cut(table_of, method):
    rng = np.random.default_rng(3)
    cells = rng.choice(list("vwxyz"), 300, p=[0.4, 0.2, 0.2, 0.1, 0.1])
    table = table_with(table_of, cells, [str(value) for value in rng.integers(0, 60, 300)])
    released = method.apply(table, [AlphaK(alpha=0.5, k=4, attribute="s")], rng, unwatched)
    numbers, classes = released_classes(released)
    codes = released.column("s").codes
    assert classes > 1
    assert class_sizes(numbers, classes).min() >= 4
    assert all(np.bincount(codes[numbers == n]).max() <= 0.5 * (numbers == n).sum() for n in range(classes))


def test_persons_are_counted_where_there_is_a_privacy_unit(table_of):
    table = table_of({"age": ["1", "1", "2", "2"], "s": ["a", "b", "a", "b"]}, {"s": "sensitive"})
    guarantee = AlphaK(alpha=0.5, k=3, attribute="s")
    guarantee.admit(table)
    with pytest.raises(InvalidDataset, match="persons"):
        guarantee.admit(replace(table, unit=np.array([1, 2, 1, 2])))
    whole = guarantee.rules(replace(table, unit=np.array([1, 2, 3, 3])))
    assert [rule.kind for rule in whole] == [SIZE, SHARE, DISTINCT]
