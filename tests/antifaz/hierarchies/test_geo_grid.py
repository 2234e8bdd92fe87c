"""Geo grid: cells, labels, nesting and refusals."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.geo_grid import GeoGrid


def resolve(values, **parameters):
    return GeoGrid(**parameters).resolve("c", np.array(values, dtype=object), None)


def climb(values, **parameters):
    placed = resolve(values, **parameters)
    return [list(labels[groups]) for labels, groups in zip(placed.labels, placed.groups, strict=True)]


def test_pairs_go_to_ever_larger_cells():
    levels = climb(["41.385, 2.17", "41.38,2.175", "41.39 2.17"], levels=2)
    assert levels[1] == ["[41.38, 41.39) x [2.17, 2.18)"] * 2 + ["[41.39, 41.4) x [2.17, 2.18)"]
    assert levels[2] == ["[41.38, 41.4) x [2.16, 2.18)"] * 3
    assert levels[3] == ["*"] * 3


def test_one_axis_is_a_grid_of_strips():
    levels = climb(["-33.5", "", "90"], axis="latitude", cell=10, factor=3)
    assert levels[1] == ["[-40, -30)", "*", "[90, 100)"]
    assert levels[-1] == ["*", "*", "*"]


def test_stops_once_one_cell_holds_all():
    assert len(climb(["41.385,2.17", "41.386,2.171"])) == 2


@pytest.mark.parametrize(("axis", "strange"), [("pair", "41.38"), ("latitude", "90.1"), ("longitude", "cnry")])
def test_refuses_values_that_are_no_coordinates(axis, strange):
    with pytest.raises(InvalidDataset) as caught:
        resolve(["1" if axis != "pair" else "1,1", strange], axis=axis)
    assert caught.value.rule == "unknown_value"
    assert strange not in str(caught.value)


degrees = st.decimals(-90, 90, places=5)


@settings(deadline=None, max_examples=60)
@given(st.lists(degrees, min_size=1, max_size=30, unique=True), st.sampled_from([0.01, 0.3, 1]), st.integers(2, 5))
def test_cells_nest_and_contain_their_values(places, cell, factor):
    values = [format(place, "f") for place in places]
    placed = resolve(values, axis="longitude", cell=cell, factor=factor)
    for lower, upper in zip(placed.groups, placed.groups[1:], strict=False):
        assert len(set(zip(lower.tolist(), upper.tolist(), strict=True))) == len(set(lower.tolist()))
    for labels, groups in zip(placed.labels[1:-1], placed.groups[1:-1], strict=True):
        for place, label in zip(places, labels[groups], strict=True):
            low, high = label.strip("[)").split(", ")
            assert Decimal(low) <= place < Decimal(high)
