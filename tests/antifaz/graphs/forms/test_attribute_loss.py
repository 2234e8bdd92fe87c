"""Attribute loss: ranges, hierarchies, plain and missing values, one node at a time and all clusters together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.forms.attribute_loss import cluster_losses, growing_losses
from antifaz.graphs.graph import NodeAttribute

CITIES = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]])
"""Four cities of two regions of one country."""


def numeric(codes: list[int], numbers: list[float], role: str = "quasi_identifier") -> NodeAttribute:
    return NodeAttribute("age", role, np.array(codes), len(numbers), np.array(numbers))


def placed(codes: list[int]) -> NodeAttribute:
    return NodeAttribute("city", "quasi_identifier", np.array(codes), 4, None, CITIES)


def plain(codes: list[int], size: int) -> NodeAttribute:
    return NodeAttribute("color", "quasi_identifier", np.array(codes), size)


def grown(attribute: NodeAttribute, codes: list[int]) -> float:
    """The loss of a cluster whose nodes came in this order."""
    (loss,) = growing_losses([attribute])
    loss.begin(codes[0])
    for code in codes[1:-1]:
        loss.add(code)
    return float(loss.with_each()[codes[-1]])


def test_a_range_is_a_share_of_the_whole_one():
    ages = numeric([0, 1, 2, 3], [20, 25, 30, 60])
    assert grown(ages, [0, 1]) == pytest.approx(5 / 40)
    assert grown(ages, [2, 0, 1]) == pytest.approx(10 / 40)
    assert grown(ages, [3, 0]) == 1.0


def test_numbers_that_no_node_has_do_not_widen_the_whole_range():
    assert grown(numeric([0, 1], [20, 30, 99]), [0, 1]) == 1.0


def test_one_number_for_all_loses_nothing():
    assert grown(numeric([0, 0], [7]), [0, 0]) == 0.0


def test_a_missing_number_widens_to_all_and_stays():
    ages = numeric([0, 1, 2, 3], [float("nan"), 20, 30, 60])
    assert grown(ages, [1, 0]) == 1.0
    assert grown(ages, [1, 0, 1]) == 1.0
    assert grown(ages, [0, 1, 1]) == 1.0


def test_a_hierarchy_loses_by_the_height_of_the_common_group():
    cities = placed([0, 1, 2, 3])
    assert grown(cities, [0, 0]) == 0.0
    assert grown(cities, [0, 1]) == 0.5
    assert grown(cities, [0, 2]) == 1.0
    assert grown(cities, [0, 1, 0]) == 0.5
    assert grown(cities, [0, 2, 0]) == 1.0


def test_plain_values_are_the_same_or_lost():
    colors = plain([0, 1], 2)
    assert grown(colors, [1, 1]) == 0.0
    assert grown(colors, [1, 0]) == 1.0
    assert grown(colors, [1, 0, 1]) == 1.0


def test_a_hierarchy_goes_before_numbers_and_other_roles_are_left_alone():
    both = NodeAttribute("age", "quasi_identifier", np.arange(4), 4, np.arange(4.0), CITIES)
    assert grown(both, [0, 1]) == 0.5
    assert growing_losses([numeric([0], [1.0], "sensitive"), numeric([0], [1.0], "insensitive")]) == []


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_all_clusters_at_once_are_as_they_grow(seed):
    rng = np.random.default_rng(seed)
    n, clusters = 24, int(rng.integers(1, 6))
    members = np.concatenate([np.arange(clusters), rng.integers(-1, clusters, n - clusters)])
    ages = np.where(rng.random(8) < 0.1, np.nan, np.sort(rng.integers(0, 90, 8).astype(float)))
    attributes = [
        numeric(rng.integers(0, 8, n).tolist(), ages.tolist()),
        placed(rng.integers(0, 4, n).tolist()),
        plain(rng.integers(0, 3, n).tolist(), 3),
    ]
    losses = growing_losses(attributes)
    told = cluster_losses(losses, members, clusters, [attribute.codes for attribute in attributes])
    for cluster in range(clusters):
        inside = np.flatnonzero(members == cluster)
        codes = [attribute.codes[[inside[0], *inside]].tolist() for attribute in attributes]
        expected = np.mean([grown(attribute, own) for attribute, own in zip(attributes, codes, strict=True)])
        assert told[cluster] == pytest.approx(expected)
