"""Levels: validation of the rows, and placing of values."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.levels import Levels

ROWS = [["Bachelors", "Higher", "*"], ["Masters", "Higher", "*"], ["9th", "School", "*"]]


def resolve(rows, values):
    return Levels(rows=rows).resolve("c", np.array(values, dtype=object), None)


def named(generalization):
    return [list(labels[groups]) for labels, groups in zip(generalization.labels, generalization.groups, strict=True)]


def test_places_values_at_every_level():
    placed = resolve(ROWS, ["9th", "Bachelors"])
    assert named(placed) == [["9th", "Bachelors"], ["School", "Higher"], ["*", "*"]]
    assert placed.levels == 3


@pytest.mark.parametrize("long", [1, 2])
def test_labels_above_values_have_a_limit_because_they_stand_in_every_row(long):
    def row(length):
        return [["v" * 5_000, *("x" * (length if level == long else 1) + str(level) for level in (1, 2))]]

    assert len(Levels(rows=row(999)).rows) == 1
    with pytest.raises(ValidationError, match="row 1 has a label of more than 1000 characters"):
        Levels(rows=row(1_000))


def test_counts_the_leaves_of_the_whole_hierarchy():
    placed = resolve(ROWS, ["9th", "Bachelors"])
    leaves = [list(counts[groups]) for counts, groups in zip(placed.leaves, placed.groups, strict=True)]
    assert leaves == [[1, 1], [1, 2], [3, 3]]


def test_adds_the_root_where_it_lacks():
    assert named(resolve([["a", "x"], ["b", "y"]], ["a", "b"]))[-1] == ["*", "*"]
    assert named(resolve([["a"], ["b"]], ["a", "b"])) == [["a", "b"], ["*", "*"]]


@pytest.mark.parametrize(
    "rows",
    [
        [["cnry20", "X", "*"], ["cnry21", "*"]],
        [["cnry20", "X", "P", "*"], ["cnry21", "X", "Q", "*"]],
        [["cnry20", "X"], ["cnry20", "Y"]],
        [],
        [[]],
    ],
    ids=["ragged", "label that splits again", "repeated value", "no rows", "no entries"],
)
def test_refuses_rows_that_are_no_hierarchy(rows):
    with pytest.raises(ValidationError) as caught:
        Levels(rows=rows)
    assert all("cnry" not in error["msg"] for error in caught.value.errors())


def test_a_value_without_a_place_is_named_by_column_and_count():
    with pytest.raises(InvalidDataset) as caught:
        resolve(ROWS, ["9th", "cnry1", "cnry2"])
    assert (caught.value.rule, caught.value.column) == ("unknown_value", "c")
    assert "2 distinct values" in caught.value.detail
    assert "cnry" not in str(caught.value)


@pytest.mark.parametrize("near", ["bachelors", " Bachelors", "Báchelors"])
def test_says_so_when_only_case_accents_or_spaces_differ(near):
    with pytest.raises(InvalidDataset) as caught:
        resolve(ROWS, [near, "other"])
    assert "some of them differ" in caught.value.detail
    assert near not in caught.value.detail


def test_composed_and_decomposed_letters_are_the_same():
    assert named(resolve([["Ma\u0301laga", "South"], ["Vigo", "North"]], ["M\u00e1laga"]))[1] == ["South"]


def test_the_missing_value_goes_straight_to_the_root():
    placed = resolve(ROWS, ["", "9th"])
    assert named(placed) == [["", "9th"], ["*", "School"], ["*", "*"]]
    assert placed.leaves[1][placed.groups[1][0]] == 3


def test_the_missing_value_has_the_place_that_a_hierarchy_gives_it():
    assert named(resolve([["", "none", "*"], ["a", "some", "*"]], ["", "a"]))[1] == ["none", "some"]
