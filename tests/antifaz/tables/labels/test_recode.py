"""Recode: the exact text of labels."""

import json

import numpy as np
import pytest

from antifaz.hierarchies.levels import Levels
from antifaz.tables.labels.recode import LONGEST_SET, release_classes, write_number
from antifaz.tables.texts.value_types import ValueType


def labels_of(table, classes, column=None):
    released = release_classes(table, np.array(classes), max(classes) + 1)
    chosen = released.column(column) if column else released.columns[0]
    return list(chosen.labels[chosen.codes]), chosen


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["20", "29", "30", "30"], ["[20, 29]", "[20, 29]", "30", "30"]),
        (["-5", "-3", "1", "2"], ["[-5, -3]", "[-5, -3]", "[1, 2]", "[1, 2]"]),
        (["1.2", "1.4", "1.6", "1.9"], ["[1.2, 1.4]", "[1.2, 1.4]", "[1.6, 1.9]", "[1.6, 1.9]"]),
        (["0.10", "2.50", "7", "7"], ["[0.1, 2.5]", "[0.1, 2.5]", "7", "7"]),
        (["", "3", "", ""], ["*", "*", "", ""]),
    ],
)
def test_ranges_are_closed_and_tight(table_of, cells, labels):
    assert labels_of(table_of({"a": cells}), [0, 0, 1, 1])[0] == labels


def test_date_ranges_are_json_lists_of_texts(table_of):
    labels, column = labels_of(table_of({"a": ["2020-01-31", "2019-12-01"]}), [0, 0])
    assert labels == ['["2019-12-01", "2020-01-31"]'] * 2
    assert column.type is ValueType.TEXT


def test_sets_are_sorted_json_lists_in_plain_letters(table_of):
    cells = ["ñu", "a,b", 'c"d', "a,b", ""]
    labels, _ = labels_of(table_of({"a": cells}), [0, 0, 0, 1, 2])
    assert labels == ['["a,b", "c\\"d", "ñu"]'] * 3 + ["a,b", ""]
    assert json.loads(labels[0]) == sorted(cells[:3])


def test_sets_follow_characters_even_where_an_order_is_stated(table_of):
    table = table_of({"a": ["low", "high"]}, a={"order": ["low", "high"]})
    assert labels_of(table, [0, 0])[0] == ['["high", "low"]'] * 2


def test_a_set_of_numbers_is_told_from_a_range(table_of):
    table = table_of({"a": ["20", "29"]}, a={"recoding": "set"})
    assert labels_of(table, [0, 0])[0] == ['["20", "29"]'] * 2


def test_a_set_of_the_longest_allowed_label_is_written_and_a_longer_one_is_suppressed(table_of):
    """Each member takes its letters, two quotes and two more characters: a comma and a space, or half the brackets."""
    fits, too_long = ["a" * 496, "b" * 496], ["c" * 496, "d" * 497]
    labels, column = labels_of(table_of({"v": [*fits, *too_long]}), [0, 0, 1, 1])
    assert labels == [json.dumps(fits)] * 2 + ["*"] * 2
    assert len(labels[0]) == LONGEST_SET
    assert dict(zip(column.labels, column.losses, strict=True)) == {labels[0]: 0.5, "*": 1.0}
    assert "more than 1000 characters are suppressed (*)" in column.meaning


def test_a_set_of_numbers_that_is_too_long_loses_everything_too(table_of):
    table = table_of({"a": [str(number) for number in range(1_000, 1_300)]}, a={"recoding": "set"})
    labels, column = labels_of(table, [0] * 200 + [1] * 100)
    assert set(labels[:200]) == {"*"}
    assert labels[299].startswith('["1200", ')
    assert dict(zip(column.labels, column.losses, strict=True)) == {labels[299]: 99 / 299, "*": 1.0}


def test_a_set_that_is_too_long_shows_its_group_where_there_is_a_hierarchy(table_of):
    rows = [[f"{group}{number:0300d}", group, "*"] for group in "abc" for number in range(4)]
    table = table_of({"v": [row[0] for row in rows]}, hierarchies={"v": Levels(rows=rows)}, v={"recoding": "set"})
    labels, column = labels_of(table, [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2])
    short = json.dumps([rows[4][0], rows[5][0]])
    assert labels == ["a"] * 4 + [short] * 2 + ["*"] * 6
    assert dict(zip(column.labels, column.losses, strict=True)) == {"a": 1 / 3, short: 2 / 12, "*": 1.0}
    assert "shown by their group in the hierarchy" in column.meaning


def test_ancestors_are_the_lowest_common_ones(table_of):
    rows = [["a1", "a", "x"], ["a2", "a", "x"], ["b1", "b", "x"], ["c1", "c", "y"]]
    table = table_of({"v": ["a1", "a2", "a1", "b1", "c1", "c1"]}, hierarchies={"v": Levels(rows=rows)})
    labels, column = labels_of(table, [0, 0, 1, 1, 2, 2])
    assert labels == ["a", "a", "x", "x", "c1", "c1"]
    assert dict(zip(column.labels, column.losses, strict=True)) == {"a": 0.5, "x": 0.75, "c1": 0.0}


@pytest.mark.parametrize(("recoding", "center"), [("mean", "4"), ("median", "2.5")])
def test_centers(table_of, recoding, center):
    table = table_of({"a": ["1", "2", "3", "10", "", "5", "7", "7"]}, a={"recoding": recoding})
    labels, column = labels_of(table, [0, 0, 0, 0, 1, 1, 2, 2])
    assert labels == [center] * 4 + ["*"] * 2 + ["7"] * 2
    assert column.type is ValueType.TEXT


def test_centers_are_numbers_where_nothing_is_suppressed(table_of):
    table = table_of({"a": ["21", "22", "36", "43"]}, a={"recoding": "mean"})
    labels, column = labels_of(table, [0, 0, 1, 1])
    assert labels == ["21.5", "21.5", "39.5", "39.5"]
    assert column.type is ValueType.DECIMAL


def test_the_mean_of_dates_is_a_date(table_of):
    table = table_of({"a": ["2020-01-01", "2020-01-03"]}, a={"recoding": "mean"})
    assert labels_of(table, [0, 0])[0] == ["2020-01-02"] * 2


def test_the_mean_of_moments_is_a_moment(table_of):
    table = table_of({"a": ["2020-01-01T10:00:00+00:00", "2020-01-01T14:00:00+00:00"]}, a={"recoding": "mean"})
    released = release_classes(table, np.array([0, 0]), 1)
    assert list(released.columns[0].labels) == ["2020-01-01T12:00:00+00:00"]


def test_bounds_are_two_columns(table_of):
    table = table_of({"a": ["1", "5", "7", "7"]}, a={"recoding": "bounds"})
    assert labels_of(table, [0, 0, 1, 1], "a_min")[0] == ["1", "1", "7", "7"]
    labels, column = labels_of(table, [0, 0, 1, 1], "a_max")
    assert labels == ["5", "5", "7", "7"]
    assert column.type is ValueType.INTEGER
    assert column.source == "a"


def test_losses_are_shares_of_the_domain(table_of):
    labels, column = labels_of(table_of({"a": ["0", "5", "10", "10"]}), [0, 0, 1, 1])
    assert dict(zip(column.labels, column.losses, strict=True)) == {"[0, 5]": 0.5, "10": 0.0}
    labels, column = labels_of(table_of({"a": ["x", "y", "z", "w"]}), [0, 0, 1, 2])
    assert column.losses[list(column.labels).index(labels[0])] == 0.5


def test_lists_only_values_that_occur(table_of):
    table = table_of({"s": ["x", "y"]}, {"s": "sensitive"})
    column = table.attributes[0].column
    fewer = type(column)(column.name, column.type, np.zeros(2, dtype=np.int32), column.values)
    released = release_classes(type(table)((type(table.attributes[0])(fewer, "sensitive"),), 2), np.zeros(2, int), 1)
    assert list(released.columns[0].labels) == ["x"]


@pytest.mark.parametrize(("number", "text"), [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.3333333333333333"), (-0.5, "-0.5")])
def test_numbers_are_short_and_faithful(number, text):
    assert write_number(number) == text
