"""Masking: how changed columns are written, and refusals."""

import time
from dataclasses import replace

import numpy as np
import pytest

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.masking.masking import (
    chosen_attributes,
    is_measured,
    number_writer,
    release_changed,
    released_type,
    require,
    why_left_out,
    write_column,
    write_numbers,
)
from antifaz.tables.table import ProtectedTable
from antifaz.tables.texts.value_types import ValueType
from tests.patience import shortest


def test_equal_labels_become_one_and_unused_ones_go(table_of):
    attribute = table_of({"a": ["x", "y", "z"]}).attributes[0]
    losses = np.array([0.0, 1.0, 0.5, 0.9])
    column = write_column(attribute, np.array([0, 1, 2]), ["p", "q", "p", "r"], "", losses)
    assert list(column.labels) == ["p", "q"]
    assert column.codes.tolist() == [0, 1, 0]
    assert column.losses.tolist() == [0.25, 1.0]


def test_equal_labels_lose_what_their_records_lose_on_average(table_of):
    attribute = table_of({"a": ["x", "x", "x", "y"]}).attributes[0]
    column = write_column(attribute, np.array([0, 0, 0, 1]), ["p", "p"], "", np.array([0.0, 1.0]))
    assert column.losses.tolist() == [0.25]


@pytest.mark.parametrize(
    ("kind", "texts", "released"),
    [
        ("integer", ["1", "", "-20"], "integer"),
        ("integer", ["1", "2.5"], "decimal"),
        ("integer", ["1", "*"], "text"),
        ("decimal", ["1", "2.5"], "decimal"),
        ("date", ["2020-01-01"], "date"),
        ("date", ["2020-01"], "text"),
        ("boolean", ["true"], "boolean"),
        ("boolean", ["*"], "text"),
        ("text", ["1"], "text"),
    ],
)
def test_a_type_survives_where_all_labels_are_of_it(kind, texts, released):
    assert released_type(ValueType(kind), np.array(texts, dtype=object)) is ValueType(released)


def test_numbers_are_written_as_their_type_does(table_of):
    table = table_of({"a": ["1", "2"], "b": ["0.25", "3"], "d": ["2020-01-01", "2020-01-02"]})
    shown = [
        list(column.labels[column.codes])
        for column in (
            write_numbers(table.attribute("a"), np.array([1.4, np.nan]), ""),
            write_numbers(table.attribute("b"), np.array([1.23456, -0.0]), ""),
            write_numbers(table.attribute("d"), np.array([0.6, 1e12]), ""),
        )
    ]
    assert shown == [["1", ""], ["1.23", "0"], ["1970-01-02", "9999-12-31"]]
    assert number_writer(ValueType.INTEGER)(1e17) == "100000000000000000"
    assert number_writer(ValueType.DATETIME)(60.2) == "1970-01-01T00:01:00+00:00"


def test_named_attributes_must_exist_and_fit(table_of):
    table = table_of({"a": ["1"], "b": ["x"], "n": ["y"]}, {"n": "identifier"})
    assert [a.name for a in chosen_attributes(table, None, is_measured, "numbers")] == ["a"]
    for names in (["b"], ["n"], ["none"]):
        with pytest.raises(InvalidPolicy):
            chosen_attributes(table, names, is_measured, "numbers")


def test_identifiers_are_never_released_and_bounds_are_refused(table_of):
    table = table_of({"a": ["1"], "n": ["y"]}, {"n": "identifier"})
    assert [column.name for column in release_changed(table, {}, None, {}).columns] == ["a"]
    with pytest.raises(InvalidPolicy) as caught:
        release_changed(table_of({"a": ["1"]}, a={"recoding": "bounds"}), {}, None, {"method": "test"})
    assert caught.value.pointer == "/attributes/a/recoding"


def test_guarantees_are_judged_on_what_is_released(table_of):
    table = table_of({"a": ["1", "1", "1"], "s": ["x", "y", "y"]}, {"s": "sensitive"})
    as_it_is = release_changed(table, {}, None, {})
    require(table, as_it_is, [KAnonymity(k=3), LDiversity(l=2, attribute="s")])
    hidden = write_column(table.attribute("s"), np.zeros(3, dtype=np.int64), ["*"], "")
    with pytest.raises(Infeasible) as caught:
        require(table, release_changed(table, {"s": hidden}, None, {}), [LDiversity(l=2, attribute="s")])
    assert caught.value.reasons[0].rule == "l_diversity"
    with pytest.raises(Infeasible) as caught:
        require(table, as_it_is, [KAnonymity(k=4)])
    assert caught.value.nearest == {"k": 3.0}


def test_distributions_are_compared_with_that_of_the_released_rows(table_of):
    table = table_of({"a": ["1", "1", "2", "2"], "s": ["x", "y", "y", "y"]}, {"s": "sensitive"})
    half = release_changed(table, {}, np.array([0, 1]), {})
    near = TCloseness(t=0.01, distance="equal", attribute="s")
    require(table, half, [near])
    with pytest.raises(Infeasible):
        require(table, release_changed(table, {}, None, {}), [near])


def test_people_are_those_of_the_released_rows(table_of):
    table = replace(table_of({"a": ["1"] * 5}), unit=np.array([7, 7, 7, 1, 2]))
    released = release_changed(table, {}, np.array([2, 3, 4]), {})
    require(table, released, [KAnonymity(k=3)])
    with pytest.raises(Infeasible) as caught:
        require(table, released, [KAnonymity(k=4)])
    assert caught.value.reasons[0].measured == 3


def test_only_rows_that_were_left_out_are_counted_as_such(table_of):
    table = table_of({"a": ["1", "2", "2"]})
    whole, labels, kept = release_changed(table, {}, None, {}), np.array([0, 1, 1]), np.array([True, False, False])
    assert why_left_out(table, whole, [KAnonymity(k=3)], labels, kept) == {"k_anonymity": 2}


def test_an_empty_release_is_refused(table_of):
    table = table_of({"a": ["1"]})
    with pytest.raises(Infeasible):
        require(table, ProtectedTable((), np.zeros(0, dtype=np.int64)), [])


def test_spellings_are_compared_once_for_all_guarantees(table_of):
    """With thousands of values it is nearly all of the work, and nothing can stop it."""
    doses = [f"{dose} mg" for dose in range(10_000)]
    table = table_of({"q": ["a"] * len(doses), "d": doses}, {"d": "sensitive"})
    released = release_changed(table, {}, None, {})

    def seconds(count: int) -> float:
        started = time.thread_time()
        require(table, released, [LDiversity(l=2, attribute="d")] * count)
        return time.thread_time() - started

    seconds(1)  # loads what it needs
    assert shortest(lambda: seconds(8) / seconds(1), 4.0) < 4.0


def test_a_column_that_still_shows_both_truth_values_is_boolean():
    assert released_type(ValueType.BOOLEAN, np.array(["true", "false"], dtype=object)) is ValueType.BOOLEAN


@pytest.mark.parametrize(
    ("kind", "scale", "first", "last"),
    [
        (ValueType.DATE, 1, "0001-01-01", "9999-12-31"),
        (ValueType.DATETIME, 86400, "0001-01-01T00:00:00+00:00", "9999-12-31T00:00:00+00:00"),
    ],
)
def test_dates_beyond_the_calendar_become_its_first_or_last_day(kind, scale, first, last):
    write = number_writer(kind)
    assert [write(-1e7 * scale), write(-719162.0 * scale), write(1e7 * scale)] == [first, first, last]
    assert write(-719161.0 * scale) == f"0001-01-02{first[10:]}"
