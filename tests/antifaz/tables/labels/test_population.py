"""Populations: who matches a record, and whom a label covers."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.levels import Levels
from antifaz.tables.labels.population import match_population, place_population, population_of, presence_of
from antifaz.tables.labels.recode import release_classes


def columns_of(**cells):
    found = {}
    for name, texts in cells.items():
        values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
        found[name] = (codes.astype(np.int32), values)
    return found


PEOPLE = columns_of(age=["20", "20", "21", "30", "40"], city=["Vic", "Vic", "Vic", "Lugo", "Olot"])


def test_counts_the_people_with_a_records_own_values(table_of):
    table = table_of({"age": ["20", "30"], "city": ["Vic", "Lugo"]})
    matches = match_population(table, place_population(table, PEOPLE))
    assert matches.codes.tolist() == [0, 1]
    assert matches.records.tolist() == [1, 1]
    assert matches.people.tolist() == [2, 1]


def test_the_same_number_in_another_spelling_is_the_same_value(table_of):
    table = table_of({"age": ["20"]})
    matches = match_population(table, place_population(table, columns_of(age=["020", "20", "3"])))
    assert matches.people.tolist() == [2]


def test_nobody_has_the_values_of_a_stranger(table_of):
    table = table_of({"age": ["20", "99"], "city": ["Vic", "Vic"]})
    assert match_population(table, place_population(table, PEOPLE)).people.tolist() == [2, 0]


def test_a_value_that_the_hierarchy_lacks_counts_under_the_root_alone(table_of):
    tree = Levels(rows=[["a", "low", "*"], ["b", "low", "*"]])
    table = table_of({"v": ["a", "b"]}, hierarchies={"v": tree})
    people = place_population(table, columns_of(v=["a", "b", "c", ""]), {"v": tree})
    presence = presence_of(release_classes(table, np.zeros(2, dtype=np.int64), 1), people)
    assert presence.people.tolist() == [2]  # "low"
    assert people.attributes[0].generalization.paths()[-1] == ["c", "*", "*"]


def test_a_population_without_a_quasi_identifier_is_refused(table_of):
    with pytest.raises(InvalidDataset) as caught:
        place_population(table_of({"sex": ["f"]}), PEOPLE)
    assert caught.value.column == "sex"
    with pytest.raises(InvalidDataset):
        population_of(table_of({"sex": ["f"]}), "nowhere")


def test_labels_cover_people_whose_values_the_table_lacks(table_of):
    table = table_of({"age": ["20", "30"], "city": ["Vic", "Lugo"]})
    released = release_classes(table, np.zeros(2, dtype=np.int64), 1)  # [20, 30] and ["Lugo", "Vic"]
    presence = presence_of(released, place_population(table, PEOPLE))
    assert presence.people.tolist() == [4]
    assert presence.most.tolist() == [0.5, 0.5, 0.5, 0.5, 0.0]
    assert presence.least.tolist() == presence.most.tolist()


def test_overlapping_labels_add_up(table_of):
    table = table_of({"age": ["20", "30", "21", "21"]})
    people = place_population(table, columns_of(age=["20", "21", "21", "30", "22"]))
    presence = presence_of(release_classes(table, np.array([0, 0, 1, 1]), 2), people)
    # [20, 30] covers all five; 21 covers two: everyone has 2/5, those of 21 also 2/2.
    assert presence.people.tolist() == [5, 2]
    assert presence.most.tolist() == pytest.approx([0.4, 1.4, 1.4, 0.4, 0.4])
    assert presence.least.tolist() == pytest.approx([0.4, 1.0, 1.0, 0.4, 0.4])


def test_groups_of_a_hierarchy_cover_the_populations_own_values(table_of):
    tree = Levels(rows=[["a", "low", "*"], ["b", "low", "*"], ["c", "low", "*"], ["d", "high", "*"]])
    table = table_of({"v": ["a", "b"]}, hierarchies={"v": tree})
    people = place_population(table, columns_of(v=["a", "b", "c", "d"]), {"v": tree})
    presence = presence_of(release_classes(table, np.zeros(2, dtype=np.int64), 1), people)
    assert presence.people.tolist() == [3]


def test_a_table_carries_its_populations(table_of):
    table = table_of({"age": ["20"], "city": ["Vic"]})
    people = place_population(table, PEOPLE)
    assert population_of(replace(table, populations={"p": people}), "p") is people
