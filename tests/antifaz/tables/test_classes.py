"""Classes: how many records and how many people they have."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antifaz.tables.classes import class_sizes, crowds
from antifaz.tables.risk.journalist import Journalist
from antifaz.tables.risk.marketer import Marketer
from antifaz.tables.risk.prosecutor import Prosecutor
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, ValueType


def test_rows_of_one_person_are_one():
    numbers = np.array([0, 0, 0, 1, 1, 1])
    unit = np.array([7, 7, 7, 7, 3, 9])
    assert crowds(numbers, 2, unit).tolist() == [1, 3]
    assert crowds(numbers, 2, None).tolist() == [3, 3]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=40))
def test_people_are_counted_as_a_set_would(rows):
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    unit = np.array([person for _, person in rows], dtype=np.int64)
    expected = [len({person for number, person in rows if number == place}) for place in range(5)]
    assert crowds(numbers, 5, unit).tolist() == expected
    assert crowds(numbers, 5, None).tolist() == class_sizes(numbers, 5).tolist()


def test_risks_count_people_where_it_is_known_whose_records_are():
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    labels = np.array(["x", "y"], dtype=object)
    column = ReleasedColumn("q", "q", Role.QUASI_IDENTIFIER, ValueType.TEXT, codes, labels)
    rows = ProtectedTable((column,), np.arange(8))
    people = ProtectedTable((column,), np.arange(8), unit=np.array([1, 1, 1, 2, 1, 2, 3, 4]))
    assert Prosecutor().after(rows)["max"] == 0.25
    assert Prosecutor().after(people)["max"] == 0.5
    assert Prosecutor().after(people)["mean"] == 2 / 6
    assert Journalist(sampling_fraction=0.5).after(people)["max"] == 0.25
    assert Marketer().after(people)["value"] == 2 / 6
