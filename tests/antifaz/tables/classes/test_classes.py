"""Classes: how many records and how many people they have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.tables.classes import classes as module
from antifaz.tables.classes.classes import (
    class_sizes,
    classes_of_parts,
    crowds,
    guard,
    guard_all,
    released_classes,
    size_histogram,
)
from antifaz.tables.risk.journalist import Journalist
from antifaz.tables.risk.marketer import Marketer
from antifaz.tables.risk.prosecutor import Prosecutor
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType


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


def released_of(rows, width):
    names = np.array([str(number) for number in range(8)], dtype=object)
    columns = tuple(
        ReleasedColumn(f"q{place}", f"q{place}", Role.QUASI_IDENTIFIER, ValueType.TEXT, codes, names)
        for place, codes in enumerate(np.array(rows, dtype=np.int32).reshape(-1, width).T)
    )
    return ProtectedTable(columns, np.arange(len(rows)))


ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=30)


@settings(deadline=None)
@given(ROWS, st.sampled_from([1, 4, 16, 2**62]))
def test_classes_are_the_distinct_rows_in_the_order_of_their_first_records(rows, largest):
    """Also if not all columns fit into one number."""
    seen = {}
    expected = [seen.setdefault(row, len(seen)) for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST_KEY", largest)
        numbers, classes = released_classes(released_of(rows, 3))
    assert (numbers.tolist(), classes) == (expected, len(seen))


@settings(deadline=None)
@given(ROWS, st.lists(st.integers(0, 5), min_size=30, max_size=30), st.sampled_from([1, 7, 64]))
def test_classes_of_parts_are_those_of_their_records(rows, parts, step):
    released, parts = released_of(rows, 3), np.array(parts[: len(rows)], dtype=np.int64)
    alike = all(len({row for row, own in zip(rows, parts, strict=True) if own == part}) == 1 for part in set(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_STEP", step)
        known = classes_of_parts(released, parts)
    assert (known is not None) is alike
    if known is not None:
        of_records, _ = released_classes(released)
        of_parts = known[0][parts]
        assert len(set(zip(of_parts.tolist(), of_records.tolist(), strict=True))) == of_records.max() + 1
        assert len(set(of_parts.tolist())) == of_records.max() + 1


def test_no_records_have_no_classes():
    released = released_of([], 3)
    assert released_classes(released)[1] == 0
    known = classes_of_parts(released, np.zeros(0, dtype=np.int64))
    assert known is not None
    assert known[1] == 0


def test_the_bins_of_class_sizes_are_named_by_their_ends():
    binned = size_histogram(np.array([1, 2, 3, 4, 7, 99, 100, 5000]), guarded=False)
    assert [(each["size"], each["classes"]) for each in binned if each["classes"]] == [
        ("1", 1),
        ("2", 1),
        ("3-4", 2),
        ("5-9", 1),
        ("50-99", 1),
        ("100+", 2),
    ]


def test_counts_of_the_original_are_exact_from_ten_on():
    assert [guard(count) for count in (0, 1, 9, 10)] == [0, "<10", "<10", 10]


def test_a_count_that_is_withheld_alone_takes_the_smallest_of_the_others_along():
    assert guard_all([40, 3, 12, 0]) == [40, "<10", ">=10", 0]
    assert guard_all([3, 4, 40]) == ["<10", "<10", 40]
    assert guard_all([3, 0]) == ["<10", 0]
