"""Explanations of releases, each against a table small enough to count by hand."""

import numpy as np

from antifaz.hierarchies.levels import Levels
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.masking.explain import explain_table
from antifaz.tables.masking.masking import release_changed
from antifaz.tables.methods.datafly import Datafly
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.methods.suppress import Suppress
from antifaz.watch import unwatched

CITIES = Levels(rows=[["a", "north", "*"], ["b", "north", "*"], ["c", "south", "*"]])


def explained(table, method, *guarantees, left_out=0):
    released = method.apply(table, guarantees, np.random.default_rng(1), unwatched)
    return explain_table(table, released, guarantees, left_out)


def test_each_attribute_says_how_far_it_rose(table_of):
    table = table_of({"city": ["a", "b", "c", "c"], "age": ["1", "1", "2", "2"]}, hierarchies={"city": CITIES})
    city, age = explained(table, Generalize(levels={"city": 1}), KAnonymity(k=2))["attributes"]
    assert city == {
        "name": "city",
        "released": True,
        "exact": 0.0,
        "suppressed": 0.0,
        "loss": 0.3333,
        "levels": {"0": 0.0, "1": 1.0, "2": 0.0},
    }
    assert (age["exact"], age["suppressed"], age["loss"]) == (1.0, 0.0, 0.0)


def test_an_attribute_that_is_hidden_is_suppressed_in_every_row(table_of):
    table = table_of({"city": ["a", "b", "c", "c"]}, hierarchies={"city": CITIES})
    (city,) = explained(table, Suppress(attributes=["city"]), KAnonymity(k=2))["attributes"]
    assert (city["exact"], city["suppressed"], city["loss"]) == (0.0, 1.0, 1.0)
    assert city["levels"] == {"0": 0.0, "1": 0.0, "2": 1.0}


def test_classes_at_the_limit_are_those_that_the_next_k_or_l_would_break(table_of):
    table = table_of(
        {"city": ["a"] * 2 + ["b"] * 3 + ["c"] * 2, "ill": ["x", "y", "x", "y", "z", "x", "y"]},
        roles={"ill": "sensitive"},
    )
    lines = explained(table, Generalize(), KAnonymity(k=2), LDiversity(l=2, attribute="ill"))["limits"]
    assert [(line["model"], line["parameter"], line["limit"]) for line in lines] == [
        ("k_anonymity", "k", 2),
        ("l_diversity", "l", 2),
    ]
    assert all(line["classes"] == 3 and line["classes_at_limit"] == 2 for line in lines)
    assert all(line["share_of_rows"] == round(4 / 7, 4) for line in lines)


def test_a_distance_is_at_its_limit_within_the_last_twentieth(table_of):
    cells = {"city": ["a"] * 4 + ["b"] * 4, "ill": ["x", "x", "x", "y", "x", "y", "y", "y"]}
    table = table_of(cells, roles={"ill": "sensitive"})
    for t, expected in ((0.26, 2), (0.3, 0)):
        (line,) = explained(table, Generalize(), TCloseness(t=t, distance="equal", attribute="ill"))["limits"]
        assert line["classes_at_limit"] == expected, t


def test_rows_that_are_left_out_are_counted_by_the_guarantee_that_their_class_broke(table_of):
    cells = {
        "city": ["a"] * 40 + ["b"] * 30 + ["c"] * 12,
        "ill": ["x", "y"] * 20 + ["x"] * 30 + [str(n) for n in range(12)],
    }
    table = table_of(cells, roles={"ill": "sensitive"})
    told = explained(table, Suppress(), KAnonymity(k=15), LDiversity(l=2, attribute="ill"), left_out=3)["suppressed"]
    assert told == {"missing_values": "<10", "method": 42, "because": {"k_anonymity": 12, "l_diversity": 30}}


def test_two_guarantees_of_one_name_count_together(table_of):
    cells = {
        "city": ["a"] * 40 + ["b"] * 30 + ["c"] * 20,
        "ill": ["x", "y"] * 20 + ["x"] * 30 + ["x", "y"] * 10,
        "work": ["u", "v"] * 35 + ["u"] * 20,
    }
    table = table_of(cells, roles={"ill": "sensitive", "work": "sensitive"})
    diverse = [LDiversity(l=2, attribute=name) for name in ("ill", "work")]
    assert explained(table, Suppress(), *diverse)["suppressed"]["because"] == {"l_diversity": 50}


def test_a_record_that_is_released_twice_is_not_two(table_of):
    table = table_of({"city": ["a"] * 30})
    for records, left_out in ((np.zeros(30, dtype=np.int64), 29), (np.full(30, -1), 30)):
        released = release_changed(table, {}, records, {})
        assert explain_table(table, released, [], 0)["suppressed"]["method"] == left_out


def test_a_label_of_several_levels_counts_at_the_lowest(table_of):
    islands = Levels(rows=[["a", "a", "*"], ["b", "north", "*"], ["c", "north", "*"]])
    table = table_of({"city": ["a", "a", "b", "c"]}, hierarchies={"city": islands})
    (city,) = explained(table, Generalize(levels={"city": 1}))["attributes"]
    assert city["levels"] == {"0": 0.5, "1": 0.5, "2": 0.0}


def test_datafly_says_the_same_of_what_it_leaves_out(table_of):
    table = table_of({"city": ["a"] * 30 + ["b"] * 30 + ["c"] * 11})
    told = explained(table, Datafly(suppression=0.2), KAnonymity(k=12))["suppressed"]
    assert told == {"missing_values": 0, "method": 11, "because": {"k_anonymity": 11}}
