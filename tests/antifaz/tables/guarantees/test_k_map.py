"""k-Map: classes may be smaller than k if the population has enough matching people."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import Infeasible, InvalidDataset
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.guarantees.k_map import KMap
from antifaz.tables.labels.population import place_population, presence_of
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched

METHODS = [Mondrian(), Mondrian(effort="fast"), Mondrian(cut="range"), Mondrian(cut="range", mode="relaxed")]


def drawn(table_of, people, chosen):
    """A table of some of the people, with all of them as its population ``p``."""
    table = table_of({name: [cells[place] for place in chosen] for name, cells in people.items()})
    columns = {}
    for name, cells in people.items():
        values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
        columns[name] = (codes.astype(np.int32), values)
    return replace(table, populations={"p": place_population(table, columns)})


def test_k_is_at_least_two():
    with pytest.raises(ValidationError):
        KMap(k=1, population="p")


def test_refuses_a_population_that_is_missing_or_too_small(table_of):
    table = drawn(table_of, {"age": ["20", "21", "22"]}, [0, 1])
    KMap(k=3, population="p").admit(table)
    for guarantee in (KMap(k=4, population="p"), KMap(k=2, population="q")):
        with pytest.raises(InvalidDataset):
            guarantee.admit(table)


@pytest.mark.parametrize("method", METHODS)
def test_a_value_that_nobody_has_ends_like_one_that_too_few_have(table_of, method):
    ends = []
    for age in ("21", "77"):
        table = drawn(table_of, {"age": ["20", "20", "21"]}, [0])
        alone = replace(table_of({"age": [age]}), populations=table.populations)
        KMap(k=2, population="p").admit(alone)
        with pytest.raises(Infeasible) as caught:
            method.apply(alone, [KMap(k=2, population="p")], np.random.default_rng(1), unwatched)
        ends.append((caught.value.reasons, caught.value.nearest))
    assert ends[0] == ends[1]


def test_a_single_record_may_be_its_own_class_where_enough_people_are_like_it(table_of, rows_of):
    people = {"age": ["20"] * 3 + ["50"] * 3 + ["90"]}
    table = drawn(table_of, people, [0, 3, 6])
    for method in METHODS:
        released = method.apply(table, [KMap(k=3, population="p")], np.random.default_rng(1), unwatched)
        assert ("90",) not in rows_of(released)
    loss_cut = Mondrian().apply(table, [KMap(k=3, population="p")], np.random.default_rng(1), unwatched)
    assert len(set(rows_of(loss_cut))) == 2


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_every_class_covers_at_least_k_people(table_of, method):
    rng = np.random.default_rng(7)
    people = {
        "age": [str(value) for value in rng.integers(0, 40, 2000)],
        "city": [f"c{value}" for value in rng.integers(0, 8, 2000)],
    }
    table = drawn(table_of, people, rng.choice(2000, 150, replace=False))
    released = method.apply(table, [KMap(k=12, population="p")], rng, unwatched)
    presence = presence_of(released, table.populations["p"])
    assert presence.people.min() >= 12
    assert presence.records.min() < 12
    assert released_classes(released)[1] > 5
