"""Microaggregation: worked example, optimality by exhaustion, mixed attributes, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.hierarchies.levels import Levels
from antifaz.kernels.tables.microaggregate import group_around
from antifaz.tables.classes.classes import class_sizes, crowds, released_classes
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods import microaggregation
from antifaz.tables.methods.microaggregation import Microaggregation
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched

AGES = ["29", "48", "21", "36", "45", "58", "72", "22", "25", "43"]
CENTERS = ["27", "46.5", "21.5", "39.5", "46.5", "65", "65", "21.5", "27", "39.5"]


def protect(table, method, *guarantees):
    return method.apply(table, guarantees, np.random.default_rng(1), unwatched)


def test_ten_patients_in_pairs(table_of, rows_of):
    released = protect(table_of({"age": AGES}), Microaggregation(variant="univariate"), KAnonymity(k=2))
    assert [row[0] for row in rows_of(released)] == CENTERS
    assert released.column("age").type is ValueType.DECIMAL
    assert released.account["groups"] == {"age": 5}


def test_one_attribute_in_the_multivariate_way(table_of):
    released = protect(table_of({"age": AGES}), Microaggregation(), KAnonymity(k=2))
    assert sorted(class_sizes(*released_classes(released))) == [2] * 5


def test_all_attributes_of_a_group_are_the_same(table_of, rows_of):
    rows = [["cat", "animal"], ["dog", "animal"], ["fir", "plant"], ["oak", "plant"]]
    columns = {
        "age": ["20", "22", "70", "71"],
        "kind": ["cat", "dog", "oak", "oak"],
        "city": ["Vic", "Vic", "Lugo", "León"],
    }
    table = table_of(columns, hierarchies={"kind": Levels(rows=rows)})
    released = rows_of(protect(table, Microaggregation(), KAnonymity(k=2)))
    assert released == [("21", "animal", "Vic")] * 2 + [("70.5", "oak", "León")] * 2


def test_the_median_is_shown_where_the_policy_says_so(table_of, rows_of):
    table = table_of({"a": ["1", "2", "9"]}, a={"recoding": "median"})
    assert rows_of(protect(table, Microaggregation(), KAnonymity(k=3))) == [("2",)] * 3


def test_dates_have_centers(table_of, rows_of):
    table = table_of({"a": ["2020-01-01", "2020-01-03"]})
    assert rows_of(protect(table, Microaggregation(), KAnonymity(k=2))) == [("2020-01-02",)] * 2


def test_attribute_by_attribute_is_not_k_anonymous(table_of):
    table = table_of({"a": ["1", "2", "8", "9"], "b": ["1", "8", "2", "9"]})
    method = Microaggregation(variant="univariate", size=2)
    assert len(protect(table, method).records) == 4
    with pytest.raises(Infeasible):
        protect(table, method, KAnonymity(k=2))


def test_frequent_missing_values_are_a_group_and_rare_ones_suppress_theirs(table_of, rows_of):
    method = Microaggregation(variant="univariate")
    frequent = rows_of(protect(table_of({"a": ["", "", "1", "3"]}), method, KAnonymity(k=2)))
    assert frequent == [("",), ("",), ("2",), ("2",)]
    rare = rows_of(protect(table_of({"a": ["", "1", "3", "8", "9"]}), method, KAnonymity(k=2)))
    assert rare == [("*",)] * 3 + [("8.5",)] * 2


def test_says_what_is_missing(table_of):
    with pytest.raises(InvalidPolicy) as caught:
        protect(table_of({"a": ["1", "2"]}), Microaggregation())
    assert caught.value.pointer == "/method/size"
    with pytest.raises(Infeasible):
        protect(table_of({"a": ["1", "2"]}), Microaggregation(size=3))


def best_split(values, k):
    best = [0.0] + [np.inf] * len(values)
    for stop in range(k, len(values) + 1):
        for start in range(stop - k + 1):
            best[stop] = min(best[stop], best[start] + np.var(values[start:stop]) * (stop - start))
    return best[-1]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=18), st.integers(2, 4))
def test_no_other_groups_have_a_smaller_error(table_of, numbers, k):
    if len(numbers) < k:
        return
    table = table_of({"a": [str(number) for number in numbers]})
    released = protect(table, Microaggregation(variant="univariate"), KAnonymity(k=k))
    shown = released.column("a").labels[released.column("a").codes].astype(float)
    error = float(((shown - np.array(numbers)) ** 2).sum())
    assert error == pytest.approx(best_split(np.sort(numbers).astype(float), k), abs=1e-6)


def error_of(cells, labels):
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sums, sizes = np.add.reduceat(cells[order], starts), np.diff([*starts, len(labels)])
    return float((cells**2).sum() - (sums**2 / sizes[:, None]).sum())


def test_blocks_lose_little_more_than_all_records_at_once(table_of, monkeypatch):
    rng = np.random.default_rng(4)
    cells = np.round(rng.normal(size=(6000, 3)) @ rng.normal(size=(3, 3)), 3)
    cells = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    exact = np.full(len(cells), -1)
    codes = np.zeros((len(cells), 0), dtype=np.int32)
    group_around(cells, codes, np.zeros(0), np.arange(len(cells)), 5, 0, 0, exact)
    monkeypatch.setattr(microaggregation, "LARGEST_EXACT", 1)
    monkeypatch.setattr(microaggregation, "LARGEST_BLOCK", 3000)
    table = table_of({f"a{column}": [repr(cell) for cell in cells[:, column].tolist()] for column in range(3)})
    released = protect(table, Microaggregation(), KAnonymity(k=5))
    numbers, classes = released_classes(released)
    assert class_sizes(numbers, classes).min() >= 5
    assert error_of(cells, numbers) <= 1.08 * error_of(cells, exact)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "1", "5", "9.5"]), st.sampled_from(["", "a", "b", "ñ"])), min_size=4, max_size=50
    ),
    st.integers(2, 4),
)
def test_every_group_is_large_enough(table_of, rows, k):
    table = table_of({"a": [row[0] for row in rows], "b": [row[1] for row in rows]}, a={"type": "decimal"})
    sizes = class_sizes(*released_classes(protect(table, Microaggregation(), KAnonymity(k=k))))
    assert sizes.min() >= k


def of_people(table, persons):
    return replace(table, unit=np.array(persons, dtype=np.int64))


@pytest.mark.parametrize("variant", ["univariate", "multivariate"])
def test_the_records_of_one_person_are_no_group(table_of, rows_of, variant):
    ages = ["20", "21", "22", "23", "70", "71", "72", "73"]
    table = of_people(table_of({"a": ages}), [1, 1, 2, 2, 3, 3, 4, 4])
    released = protect(table, Microaggregation(variant=variant), KAnonymity(k=2))
    assert rows_of(released) == [("21.5",)] * 4 + [("71.5",)] * 4


def test_a_group_that_falls_short_joins_the_nearest_one(table_of, rows_of):
    table = table_of({"a": ["1", "1", "9", "9", "20", "20"], "b": ["x", "x", "y", "y", "z", "z"]})
    released = protect(of_people(table, [1, 2, 3, 3, 4, 5]), Microaggregation(), KAnonymity(k=2))
    first, last = rows_of(released)[0], rows_of(released)[-1]
    assert (first, last) == (("5", "x"), ("20", "z"))
    assert rows_of(released)[2] == first


def test_too_few_people_are_refused_however_many_records_they_have(table_of):
    with pytest.raises(Infeasible) as caught:
        protect(of_people(table_of({"a": ["1", "2", "3", "4"]}), [1, 1, 2, 2]), Microaggregation(), KAnonymity(k=3))
    (reason,) = caught.value.reasons
    assert (reason.limit, reason.measured, reason.detail) == (3, 2, "fewer people than k")


@settings(deadline=None, max_examples=80)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "1", "5", "9.5"]), st.sampled_from(["a", "b", "ñ"]), st.integers(0, 5)),
        min_size=1,
        max_size=40,
    ),
    st.integers(2, 4),
    st.sampled_from(["univariate", "multivariate"]),
)
def test_every_group_has_enough_people(table_of, rows, k, variant):
    columns = {"a": [row[0] for row in rows]} | ({"b": [row[1] for row in rows]} if variant == "multivariate" else {})
    table = of_people(table_of(columns, a={"type": "decimal"}), [row[2] for row in rows])
    method = Microaggregation(variant=variant)
    if len({row[2] for row in rows}) < k:
        with pytest.raises(Infeasible):
            protect(table, method, KAnonymity(k=k))
        return
    released = protect(table, method, KAnonymity(k=k))
    assert crowds(*released_classes(released), table.unit[released.records]).min() >= k
