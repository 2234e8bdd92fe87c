"""Division: one part, or several that are divided independently."""

import numpy as np

from antifaz.tables.division import Division
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.rules import state_conditions
from antifaz.tables.space import build_space
from antifaz.watch import unwatched


def test_parts_are_divided_each_by_itself_and_share_no_class(table_of):
    table = table_of({"a": ["1", "1", "9", "9", "9", "1", "1", "9"]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    conditions = state_conditions(table, [KAnonymity(k=2)])
    division = Division.of(matrix, np.arange(8), np.array([0, 4, 8]))
    assert division.largest == 4
    assert not division.cut(space, conditions, 0.0, 1, unwatched)
    labels = division.by_record()
    assert division.classes == 4
    assert division.fraction == 1.0
    assert set(labels[:4].tolist()) == {0, 1}
    assert set(labels[4:].tolist()) == {2, 3}
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert labels[4] == labels[7] != labels[5] == labels[6]


def test_a_part_that_is_too_small_to_cut_is_a_class(table_of):
    table = table_of({"a": ["1", "5", "9", "1", "5"]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    division = Division.of(matrix, np.arange(5), np.array([0, 3, 5]))
    division.cut(space, state_conditions(table, [KAnonymity(k=2)]), 0.0, 1, unwatched)
    assert division.by_record().tolist() == [0, 0, 0, 1, 1]


def test_all_records_are_one_part_where_nothing_else_is_said(table_of):
    table = table_of({"a": ["1", "1", "9", "9"]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    division = Division.of(matrix, np.arange(4))
    asked = []
    assert division.cut(space, state_conditions(table, [KAnonymity(k=2)]), 0.0, 3, lambda done: not asked.append(done))
    assert asked == [0.0]
    assert division.classes == 2
