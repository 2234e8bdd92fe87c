"""Suppress: attributes, rare cells, records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.methods.suppress import Suppress
from antifaz.watch import unwatched


def protect(table, method, *guarantees):
    return method.apply(table, guarantees, np.random.default_rng(1), unwatched)


def test_a_suppressed_attribute_is_a_star_everywhere(table_of, rows_of):
    table = table_of({"a": ["1", "2"], "s": ["x", "y"]}, {"s": "sensitive"})
    released = protect(table, Suppress(attributes=["a", "s"]))
    assert rows_of(released) == [("*", "*")] * 2
    assert released.column("a").losses.tolist() == [1.0]
    assert released.account["cells_suppressed"] == {"a": 2, "s": 2}


def test_rare_cells_are_stars(table_of, rows_of):
    table = table_of({"a": ["1", "1", "2", ""], "s": ["x", "y", "z", "w"]}, {"s": "sensitive"})
    released = protect(table, Suppress(rarer_than=2))
    assert rows_of(released) == [("1", "x"), ("1", "y"), ("*", "z"), ("*", "w")]
    assert released.account["cells_suppressed"] == {"a": 2}


def test_an_attribute_that_is_suppressed_shows_not_even_its_common_values(table_of, rows_of):
    table = table_of({"a": ["1", "1", "2"], "b": ["u", "u", "u"]})
    released = protect(table, Suppress(attributes=["a"], rarer_than=2))
    assert rows_of(released) == [("*", "u")] * 3
    assert released.account["cells_suppressed"] == {"a": 3, "b": 0}


def test_records_in_small_classes_are_left_out(table_of, rows_of):
    table = table_of({"a": ["1", "1", "2", "3", "3"], "b": ["u", "u", "u", "v", "v"]})
    released = protect(table, Suppress(), KAnonymity(k=2))
    assert released.records.tolist() == [0, 1, 3, 4]
    assert rows_of(released) == [("1", "u"), ("1", "u"), ("3", "v"), ("3", "v")]
    assert "2" not in released.column("a").labels


def test_a_homogeneous_class_is_left_out(table_of):
    table = table_of({"a": ["20", "20", "30", "30"], "s": ["a", "b", "c", "c"]}, {"s": "sensitive"})
    released = protect(table, Suppress(), KAnonymity(k=2), LDiversity(l=2, attribute="s"))
    assert released.records.tolist() == [0, 1]
    assert list(released.column("s").labels) == ["a", "b"]


def test_what_leaving_out_a_class_does_to_the_others_is_looked_at_again(table_of):
    # Of all, 3/8 have x: class 2 is too far from that, and class 3 from the 2/7 that are left.
    table = table_of({"a": list("11111233"), "s": list("xyyyyxxy")}, {"s": "sensitive"})
    released = protect(table, Suppress(), TCloseness(t=0.2, distance="equal", attribute="s"))
    assert released.records.tolist() == [0, 1, 2, 3, 4]
    assert released.account["suppressed_because"] == {"t_closeness": 1}


def test_labels_that_are_left_keep_their_own_losses(table_of):
    released = protect(table_of({"a": ["1", "1", "2"]}), Suppress(rarer_than=2), KAnonymity(k=2))
    assert list(released.column("a").labels) == ["1"]
    assert released.column("a").losses.tolist() == [0.0]


def test_nothing_left_is_an_answer(table_of):
    with pytest.raises(Infeasible):
        protect(table_of({"a": ["1", "2"]}), Suppress(), KAnonymity(k=2))
    with pytest.raises(Infeasible):
        protect(table_of({"a": ["1", "1", "2"]}), Suppress(records=False), KAnonymity(k=2))


def test_a_column_that_is_not_released_cannot_be_suppressed(table_of):
    table = table_of({"a": ["1", "2"], "n": ["x", "y"]}, {"n": "identifier"})
    for name in ("n", "none"):
        with pytest.raises(InvalidPolicy) as caught:
            protect(table, Suppress(attributes=["a", name]))
        assert caught.value.pointer == "/method/attributes/1"


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "1", "2"])), min_size=1, max_size=40),
    st.integers(2, 4),
    st.none() | st.integers(2, 5),
)
def test_every_class_that_is_left_is_large_enough(table_of, rows, k, rare):
    table = table_of({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})
    try:
        released = protect(table, Suppress(rarer_than=rare), KAnonymity(k=k))
    except Infeasible:
        return
    assert class_sizes(*released_classes(released)).min() >= k
