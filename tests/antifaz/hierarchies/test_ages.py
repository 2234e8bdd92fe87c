"""Ages: five years, ten years, stages of life."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.ages import Ages
from tests.antifaz.hierarchies.walks import nests, walk


def ages(*texts, **stated):
    numbers = np.array([float(text) if text else np.nan for text in texts])
    return walk(Ages(**stated), *texts, numbers=numbers)


def test_places_ages_in_five_years_ten_years_and_stages_of_life():
    assert ages("0", "9", "23", "38", "59", "79", "84", "90", "104") == [
        ["0", "[0, 4]", "[0, 9]", "[0, 9]", "*"],
        ["9", "[5, 9]", "[0, 9]", "[0, 9]", "*"],
        ["23", "[20, 24]", "[20, 29]", "[20, 39]", "*"],
        ["38", "[35, 39]", "[30, 39]", "[20, 39]", "*"],
        ["59", "[55, 59]", "[50, 59]", "[40, 59]", "*"],
        ["79", "[75, 79]", "[70, 79]", "[60, 79]", "*"],
        ["84", "[80, 84]", "[80, 89]", ">= 80", "*"],
        ["90", ">= 90", ">= 90", ">= 80", "*"],
        ["104", ">= 90", ">= 90", ">= 80", "*"],
    ]


def test_ages_with_decimals_are_within_their_labels():
    assert ages("0.5", "24.5") == [
        ["0.5", "[0, 5)", "[0, 10)", "[0, 10)", "*"],
        ["24.5", "[20, 25)", "[20, 30)", "[20, 40)", "*"],
    ]


def test_a_missing_age_is_hidden_at_once():
    assert ages("", "40")[0] == ["", "*", "*", "*", "*"]


def test_what_is_no_age_is_an_error_that_counts_and_names_the_column():
    for texts in (("-1", "12"), ("131", "12")):
        with pytest.raises(InvalidDataset) as caught:
            ages(*texts)
        assert (caught.value.rule, caught.value.column, caught.value.count) == ("unknown_value", "c", 1)
        assert list(caught.value.unplaced) == [0]


def test_what_is_no_age_can_be_hidden():
    assert ages("12", "999", otherwise="*")[1] == ["999", "*", "*", "*", "*"]
    assert walk(Ages(otherwise="*"), "12", "old", "") == [
        ["12", "[10, 14]", "[10, 19]", "[10, 19]", "*"],
        ["old", "*", "*", "*", "*"],
        ["", "*", "*", "*", "*"],
    ]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 130), min_size=1, max_size=40, unique=True))
def test_levels_nest_and_labels_contain_their_ages(numbers):
    texts = np.array([str(number) for number in numbers], dtype=object)
    placed = Ages().resolve("c", texts, np.array(numbers, dtype=np.float64))
    assert nests(placed)
    for number, path in zip(numbers, placed.paths(), strict=True):
        for label in path[1:-1]:
            low, high = (float(label[3:]), 131) if label.startswith(">=") else map(float, label[1:-1].split(", "))
            assert low <= number <= high
