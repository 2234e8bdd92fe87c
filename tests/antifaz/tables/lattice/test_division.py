"""Division: one part, or several that are divided independently."""

import numpy as np
import pytest

from antifaz.tables.classes.rules import state_conditions
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.labels.space import build_space
from antifaz.tables.lattice import division as division_module
from antifaz.tables.lattice.division import Division
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


@pytest.mark.parametrize("price", [0.0, 0.5])
def test_a_division_in_slices_makes_the_same_cuts(table_of, monkeypatch, price):
    rng = np.random.default_rng(7)
    cells = {name: rng.integers(0, 30, 300).astype(str) for name in ("a", "b", "c")}
    cells["ill"] = rng.integers(0, 5, 300).astype(str)
    table = table_of(cells, roles={"ill": "sensitive"})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    conditions = state_conditions(table, [KAnonymity(k=3), LDiversity(l=3, attribute="ill")])
    found = {}
    for step in (division_module.LARGEST_STEP, 1_000, 1):
        monkeypatch.setattr(division_module, "LARGEST_STEP", step)
        looks = []
        division = Division.of(matrix.copy(), np.arange(300))
        division.cut(space, conditions, price, 3, looks.append)
        found[step] = division.by_record().tolist(), len(looks)
    (labels, few), (same, more), (again, most) = found.values()
    assert labels == same == again
    assert few == 1
    # Not only between parts: with the least budget each answer about a cut is a call of its own.
    assert few < more < most > 2 * len(set(labels))


def test_time_that_is_up_in_the_middle_of_a_part_drops_what_is_known_about_it(table_of, monkeypatch):
    rng = np.random.default_rng(8)
    cells = {name: rng.integers(0, 30, 200).astype(str) for name in ("a", "b")} | {"ill": ["x", "y"] * 100}
    table = table_of(cells, roles={"ill": "sensitive"})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    conditions = state_conditions(table, [KAnonymity(k=3), LDiversity(l=2, attribute="ill")])
    plain = Division.of(matrix.copy(), np.arange(200))
    plain.cut(space, conditions, 0.0, 1, unwatched)
    monkeypatch.setattr(division_module, "LARGEST_STEP", 1)
    looks = []
    division = Division.of(matrix.copy(), np.arange(200))
    # The first call looks ahead at the first part and does not finish it.
    assert division.cut(space, conditions, 0.0, 3, lambda done: looks.append(done) or len(looks) > 1)
    assert looks[1] == 0.0
    assert division.by_record().tolist() == plain.by_record().tolist()
