"""Rules: the last check of a method is on the labels."""

import numpy as np
import pytest

from antifaz.errors import BrokenGuarantee, Infeasible
from antifaz.tables.classes.rules import refuse_impossible, require_guarantees, state_conditions
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.masking.masking import release_changed


def test_insists_on_every_class_of_the_release(table_of):
    table = table_of({"a": ["1", "2", "8"], "s": ["x", "y", "x"]}, {"s": "sensitive"})
    two = state_conditions(table, [KAnonymity(k=2)])
    require_guarantees(release_classes(table, np.zeros(3, dtype=np.int64), 1), two)
    with pytest.raises(BrokenGuarantee):
        require_guarantees(release_classes(table, np.array([0, 0, 1]), 2), two)


def test_classes_with_equal_labels_count_as_one(table_of):
    table = table_of({"a": ["1", "9", "1", "9"]})
    require_guarantees(release_classes(table, np.array([0, 0, 1, 1]), 2), state_conditions(table, [KAnonymity(k=4)]))


def test_parts_are_believed_only_where_the_labels_bear_them_out(table_of):
    table = table_of({"a": ["1", "1", "2", "2"]})
    two = state_conditions(table, [KAnonymity(k=2)])
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    require_guarantees(released, two, np.array([0, 0, 1, 1]))
    require_guarantees(released, two, np.array([0, 1, 2, 3]))
    single = release_classes(table_of({"a": ["1", "1", "2", "3"]}), np.array([0, 0, 1, 2]), 3)
    for parts in ([0, 0, 1, 2], [0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 2, 3]):
        with pytest.raises(BrokenGuarantee):
            require_guarantees(single, two, np.array(parts))


def test_insists_on_diversity(table_of):
    table = table_of({"a": ["1", "1", "2", "2"], "s": ["x", "x", "x", "y"]}, {"s": "sensitive"})
    diverse = state_conditions(table, [LDiversity(l=2, attribute="s")])
    with pytest.raises(BrokenGuarantee):
        require_guarantees(release_classes(table, np.array([0, 0, 1, 1]), 2), diverse)
    with pytest.raises(BrokenGuarantee):
        require_guarantees(release_classes(table, np.array([0, 0, 1, 1]), 2), diverse, np.array([0, 0, 1, 1]))


def test_the_largest_of_several_k_counts(table_of):
    table = table_of({"a": ["1", "1", "2", "2"]})
    for guarantees in ([KAnonymity(k=2), KAnonymity(k=3)], [KAnonymity(k=3), KAnonymity(k=2)]):
        with pytest.raises(BrokenGuarantee):
            require_guarantees(release_changed(table, {}, None, {}), state_conditions(table, guarantees))


def test_diversity_is_that_of_the_released_rows(table_of):
    table = table_of({"a": ["1", "1", "2", "2"], "s": ["x", "x", "x", "y"]}, {"s": "sensitive"})
    diverse = state_conditions(table, [LDiversity(l=2, attribute="s")])
    require_guarantees(release_changed(table, {}, np.array([2, 3]), {}), diverse)
    with pytest.raises(BrokenGuarantee):
        require_guarantees(release_changed(table, {}, np.array([0, 1]), {}), diverse)


def test_an_empty_table_is_infeasible(table_of):
    table = type(table_of({"a": ["1"]}))((), 0)
    with pytest.raises(Infeasible):
        refuse_impossible(table, state_conditions(table, []), [])
