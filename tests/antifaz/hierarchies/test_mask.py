"""Mask: redacting characters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.hierarchies.mask import Mask


def labels_of(mask, values):
    placed = mask.resolve("c", np.array(values, dtype=object), None)
    return [list(labels[groups]) for labels, groups in zip(placed.labels, placed.groups, strict=True)]


def test_redacts_from_the_right():
    assert labels_of(Mask(), ["13053", "13068"]) == [
        ["13053", "13068"],
        ["1305*", "1306*"],
        ["130**", "130**"],
        ["13***", "13***"],
        ["1****", "1****"],
        ["*", "*"],
    ]


def test_redacts_from_the_left_with_another_character():
    assert labels_of(Mask(direction="left", character="#"), ["abc", "xbc"])[1] == ["#bc", "#bc"]


def test_takes_steps():
    assert labels_of(Mask(steps=[2, 4]), ["13053"]) == [["13053"], ["130**"], ["1****"], ["*"]]
    for steps in ([0, 1], [2, 2], []):
        with pytest.raises(ValidationError):
            Mask(steps=steps)


def test_values_of_different_lengths_meet_at_the_root_only():
    assert labels_of(Mask(), ["1", "123"]) == [["1", "123"], ["*", "12*"], ["*", "1**"], ["*", "*"]]


def test_the_missing_value_goes_straight_to_the_root():
    assert labels_of(Mask(), ["", "12"])[1] == ["*", "1*"]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=20, unique=True), st.sampled_from(["left", "right"]))
def test_levels_nest(values, direction):
    placed = Mask(direction=direction).resolve("c", np.array(sorted(values), dtype=object), None)
    assert len(np.unique(placed.groups[0])) == len(values)
    assert len(np.unique(placed.groups[-1])) == 1
    for lower, upper in zip(placed.groups, placed.groups[1:], strict=False):
        assert len(np.unique(np.stack([lower, upper]), axis=1).T) == len(np.unique(lower))
