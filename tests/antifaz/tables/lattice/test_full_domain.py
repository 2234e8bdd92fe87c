"""Full domain: hierarchies by type, combinations, levels."""

import numpy as np

from antifaz.hierarchies.levels import Levels
from antifaz.tables.classes.rules import state_conditions
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.lattice.full_domain import Domain, Tuples, domains_of, may_leave_out, write_level
from antifaz.tables.texts.value_types import ValueType

KINDS = Levels(rows=[["cat", "animal"], ["dog", "animal"], ["fir", "plant"]])


def test_an_attribute_without_a_hierarchy_rises_by_its_type(table_of):
    table = table_of({"a": ["11", "25"], "b": ["cat", "fir"]}, hierarchies={"b": KINDS})
    first, second = domains_of(table, "test")
    assert (first.stated, first.top) == (False, 2)
    assert (second.stated, second.top) == (True, 2)
    assert second.losses[-1].tolist() == [1.0]


def test_groups_are_lifted_to_higher_levels(table_of):
    domain = Domain.of(table_of({"a": ["11", "12", "25"]}).attributes[0])
    assert domain.lift(0, 1).tolist() == [0, 0, 1]
    assert domain.lift(1, 2).tolist() == [0, 0]
    assert domain.lift(0, 2).tolist() == [0, 0, 0]


def test_combinations_are_counted_once_and_merged_as_levels_rise(table_of):
    table = table_of({"a": ["11", "11", "12", "25"], "b": ["x", "x", "x", "y"]})
    domains = domains_of(table, "test")
    base = Tuples.of(table, domains)
    assert sorted(base.counts.tolist()) == [1, 1, 2]
    raised = base.raised(domains, (1, 0))
    assert sorted(raised.counts.tolist()) == [1, 3]
    records = raised.homes[base.homes]
    assert records[0] == records[1] == records[2] != records[3]
    assert raised.raised(domains, (2, 1)).counts.tolist() == [4]


def test_a_level_of_numbers_is_still_a_column_of_numbers(table_of):
    domain = Domain.of(table_of({"a": ["11", "12", "25"]}).attributes[0])
    everyone = np.arange(3)
    assert write_level(domain, 1, everyone).type is ValueType.INTEGER
    hidden = write_level(domain, 1, everyone, np.array([True, False, False]))
    assert hidden.type is ValueType.TEXT
    assert list(hidden.labels[hidden.codes]) == ["*", "10", "20"]


def test_no_record_is_left_out_where_classes_are_compared_with_all(table_of):
    table = table_of({"a": ["1", "2"], "s": ["x", "y"]}, {"s": "sensitive"})
    near = TCloseness(t=0.5, distance="equal", attribute="s")
    assert may_leave_out(state_conditions(table, [KAnonymity(k=2)]), 7) == 7
    assert may_leave_out(state_conditions(table, [KAnonymity(k=2), near]), 7) == 0
