"""Chaining: a release as the next method's table."""

import numpy as np

from antifaz.hierarchies.levels import Levels
from antifaz.hierarchies.mask import Mask
from antifaz.tables.chaining import as_table, carry_hierarchy, compose
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.methods.suppress import Suppress
from antifaz.tables.table import Recoding, ValueType
from antifaz.watch import unwatched


def protect(table, method):
    return method.apply(table, [], np.random.default_rng(1), unwatched)


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


def test_of_each_record_the_larger_loss_counts(table_of):
    table = table_of({"a": ["11", "12", "25", "25"]})
    first = protect(table, Generalize(levels={"a": 1}))
    second = protect(as_table(table, first), Suppress(rarer_than=3))
    both = compose(first, second, {"method": "both"})
    assert list(both.column("a").labels) == ["*"]
    assert both.column("a").losses.tolist() == [1.0]
    unchanged = compose(first, protect(as_table(table, first), Generalize()), {})
    assert np.allclose(unchanged.column("a").losses, first.column("a").losses)
