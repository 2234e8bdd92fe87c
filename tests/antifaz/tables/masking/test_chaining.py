"""Chaining: a release as the next method's table."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.hierarchies.levels import Levels
from antifaz.hierarchies.mask import Mask
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.masking.chaining import as_table, carry_hierarchy, compose
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.methods.rounding import Rounding
from antifaz.tables.methods.suppress import Suppress
from antifaz.tables.methods.top_bottom_coding import TopBottomCoding
from antifaz.tables.table import Recoding
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched


def protect(table, method, *guarantees):
    return method.apply(table, guarantees, np.random.default_rng(1), unwatched)


def test_a_hierarchy_goes_on_above_its_own_labels(table_of):
    table = table_of({"zip": ["13053", "13068", "14850"]}, hierarchies={"zip": Mask()}, zip={"type": "text"})
    carried = as_table(table, protect(table, Generalize(levels={"zip": 2}))).attribute("zip")
    assert list(carried.column.values) == ["130**", "148**"]
    assert carried.recoding is Recoding.ANCESTOR
    hierarchy = carried.generalization
    named = [list(labels[groups]) for labels, groups in zip(hierarchy.labels, hierarchy.groups, strict=True)]
    assert named == [["130**", "148**"]] * 3 + [["13***", "14***"], ["1****", "1****"], ["*", "*"]]
    assert hierarchy.leaves[0].tolist() == [2, 1]
    assert hierarchy.leaves[-1].tolist() == [3]


def test_labels_of_another_kind_have_no_hierarchy(table_of):
    hierarchy = table_of({"a": ["x", "y"]}, hierarchies={"a": Levels(rows=[["x", "X"], ["y", "X"]])}).attributes[0]
    assert carry_hierarchy(hierarchy.generalization, np.array(["[1, 2]"], dtype=object)) is None
    stars = carry_hierarchy(hierarchy.generalization, np.array(["*", "x"], dtype=object))
    assert [list(labels[groups]) for labels, groups in zip(stars.labels, stars.groups, strict=True)] == [
        ["*", "x"],
        ["*", "X"],
        ["*", "*"],
    ]


def test_numbers_stay_numbers_and_orders_stay_orders(table_of):
    table = table_of({"a": ["10", "9"], "b": ["low", "high"]}, b={"order": ["low", "high"]})
    carried = as_table(table, protect(table, Generalize()))
    assert carried.attribute("a").column.type is ValueType.INTEGER
    assert list(carried.attribute("a").column.values) == ["9", "10"]
    assert list(carried.attribute("b").column.values) == ["low", "high"]
    starred = as_table(table, protect(table, Suppress(attributes=["a"]))).attribute("a")
    assert (starred.column.type, starred.recoding) == (ValueType.TEXT, Recoding.SET)


def test_what_a_step_lost_is_carried_on_and_what_the_next_one_counts_only_if_nothing_had_changed(table_of):
    table = table_of({"a": ["11", "12", "25", "25"], "b": ["11", "12", "25", "25"]})
    first = protect(table, Generalize(levels={"a": 1}))
    both = compose(table, first, protect(as_table(table, first), Generalize(levels={"a": 1, "b": 1})), {})
    # The labels 10 and 20 of a are both values of the next step, which would count all of them as lost.
    assert both.column("a").losses.tolist() == [pytest.approx(1 / 3)]
    assert np.allclose(both.column("b").losses, first.column("a").losses)
    unchanged = compose(table, first, protect(as_table(table, first), Generalize()), {})
    assert np.allclose(unchanged.column("a").losses, first.column("a").losses)


def test_a_label_stands_for_all_that_the_labels_before_it_stood_for(table_of):
    table = table_of({"a": ["11", "12", "25", "38"]})
    first = protect(table, Rounding(base=10))
    second = protect(as_table(table, first), TopBottomCoding(bounds={"a": {"top": 30}}))
    both = compose(table, first, second, {}).column("a")
    assert dict(zip(both.labels, map(tuple, both.spans), strict=True)) == {
        "10": (5.0, 15.0),
        "20": (15.0, 25.0),
        "30": (30.0, 45.0),
    }


def test_what_a_step_lost_is_that_of_the_records_that_are_left(table_of):
    table = table_of({"a": ["2", "1", "1"]})
    first = protect(table, Suppress(rarer_than=2))
    both = compose(table, first, protect(as_table(table, first), Suppress(), KAnonymity(k=2)), {})
    assert both.records.tolist() == [1, 2]
    assert both.column("a").losses.tolist() == [0.0]


@pytest.mark.parametrize("synthetic", [0, 1])
def test_records_belong_to_no_one_after_a_step_that_made_them_up(table_of, synthetic):
    steps = [protect(table_of({"a": ["1", "2"]}), Suppress())] * 2
    steps[synthetic] = replace(steps[synthetic], follows=False)
    assert not compose(table_of({"a": ["1", "2"]}), *steps, {}).follows
