"""Auto: the worked examples of every type, and properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.hierarchies.auto import MOST_LEVELS, Auto


def climb(values):
    placed = Auto().resolve("c", np.array(values, dtype=object), None)
    return [list(labels[groups]) for labels, groups in zip(placed.labels, placed.groups, strict=True)]


def path_of_first(values):
    return [level[0] for level in climb(values)]


@pytest.mark.parametrize(
    ("values", "path"),
    [
        (["1234", "7"], ["1234", "1230", "1200", "1000", "0"]),
        (["1234.6789", "1.25"], ["1234.6789", "1234.67", "1234.6", "1234", "1230", "1200", "1000", "0"]),
        (["1234-02-10", "1999-12-31"], ["1234-02-10", "1234-02", "1234", "1230", "1200", "1000", "0"]),
        (["1234-02-10T08:30", "1999-12-31 10:00"], ["1234-02-10T08:30", "1234-02-10", "1234-02", "1234"]),
        (["anonimización", "anon"], ["anonimización", "anon", "ano", "an", "a", "*"]),
        (["x", "y"], ["x", "*"]),
        (["true", "false"], ["true", "*"]),
    ],
)
def test_each_type_rises_as_published(values, path):
    assert path_of_first(values)[: len(path)] == path
    if path[-1] in ("0", "*"):
        assert len(climb(values)) == len(path)


def test_what_is_left_of_a_text_never_reads_as_a_number():
    values = ["07-Jun-1970", "07-Jul-1971", "12-Mar-1985"]
    assert climb(values)[-4:] == [["07-", "07-", "12-"], ["07*", "07*", "12*"], ["0*", "0*", "1*"], ["*"] * 3]
    assert climb(["12", "abc", "abd"])[1] == ["12", "ab", "ab"]


def test_negative_numbers_lose_digits_towards_zero():
    assert climb(["-12", "-5", "17"]) == [["-12", "-5", "17"], ["-10", "0", "10"], ["0", "0", "0"]]
    assert climb(["-0.25", "3.5"])[1:3] == [["-0.2", "3.5"], ["0", "3"]]


def test_the_missing_value_goes_to_the_root_alone():
    assert climb(["", "12", "17"]) == [["", "12", "17"], ["*", "10", "10"], ["*", "0", "0"], ["*", "*", "*"]]


def test_levels_that_change_nothing_are_left_out():
    assert climb(["100", "200"]) == [["100", "200"], ["0", "0"]]


@pytest.mark.parametrize("values", [[], [""], ["a"], ["0"]])
def test_small_domains_have_a_root(values):
    placed = Auto().resolve("c", np.array(values, dtype=object), None)
    assert placed.levels == 2
    assert len(set(placed.groups[-1].tolist())) <= 1


def test_long_texts_have_a_bounded_number_of_levels():
    assert len(climb(["x" * 1000, "y" * 999])) <= MOST_LEVELS + 3


@settings(deadline=None, max_examples=60)
@given(
    st.one_of(
        st.lists(st.integers(-(10**9), 10**9).map(str), min_size=1, max_size=30, unique=True),
        st.lists(st.decimals(-999, 999, places=3).map(lambda d: format(d, "f")), min_size=1, max_size=20, unique=True),
        st.lists(st.dates().map(lambda day: day.isoformat()), min_size=1, max_size=30, unique=True),
        st.lists(st.text("añb*", max_size=6), min_size=1, max_size=30, unique=True),
    )
)
def test_levels_nest_and_end_in_one_group(values):
    placed = Auto().resolve("c", np.array(values, dtype=object), None)
    for lower, upper in zip(placed.groups, placed.groups[1:], strict=False):
        pairs = set(zip(lower.tolist(), upper.tolist(), strict=True))
        assert len(pairs) == len(set(lower.tolist()))
    assert set(placed.groups[-1].tolist()) == {0}
    assert placed.leaves[-1].tolist() == [len(values)]
