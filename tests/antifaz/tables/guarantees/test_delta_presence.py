"""δ-Presence: no one in the population is certainly in the table, or certainly not."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import Infeasible, InvalidDataset
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.guarantees.delta_presence import DeltaPresence
from antifaz.tables.labels.population import place_population, presence_of
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched


def drawn(table_of, people, chosen):
    """A table of some of the people, with all of them as its population ``p``."""
    table = table_of({name: [cells[place] for place in chosen] for name, cells in people.items()})
    columns = {}
    for name, cells in people.items():
        values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
        columns[name] = (codes.astype(np.int32), values)
    return replace(table, populations={"p": place_population(table, columns)})


@pytest.mark.parametrize("wrong", [{"maximum": 1}, {"maximum": 0}, {"minimum": 0.6, "maximum": 0.5}, {"minimum": -0.1}])
def test_the_bounds_are_shares_in_order(wrong):
    with pytest.raises(ValidationError):
        DeltaPresence(population="p", **{"maximum": 0.9, **wrong})


def test_refuses_a_table_that_is_too_large_a_share_of_the_population(table_of):
    table = drawn(table_of, {"age": ["20", "21", "22", "23"]}, [0, 1, 2])
    DeltaPresence(maximum=0.75, population="p").admit(table)
    with pytest.raises(Infeasible) as caught:
        DeltaPresence(maximum=0.7, population="p").admit(table)
    assert caught.value.reasons[0].measured == 0.75
    with pytest.raises(Infeasible):
        DeltaPresence(minimum=0.8, maximum=0.9, population="p").admit(table)
    with pytest.raises(InvalidDataset):
        DeltaPresence(maximum=0.9, population="q").admit(table)


@pytest.mark.parametrize("method", [Mondrian(), Mondrian(cut="range")], ids=str)
def test_nobody_is_likelier_in_the_table_than_the_maximum(table_of, method):
    rng = np.random.default_rng(9)
    people = {"age": [str(value) for value in rng.integers(0, 60, 900)]}
    table = drawn(table_of, people, rng.choice(900, 90, replace=False))
    guarantee = DeltaPresence(maximum=0.25, population="p")
    guarantee.admit(table)
    released = method.apply(table, [guarantee], rng, unwatched)
    assert presence_of(released, table.populations["p"]).most.max() <= 0.25
    assert released_classes(released)[1] > 3


def test_labels_that_overlap_or_leave_people_out_are_not_confirmed(table_of):
    table = drawn(table_of, {"age": ["20", "21", "21", "22", "30", "40"]}, [0, 1, 4])
    overlapping = release_classes(table, np.array([0, 1, 0]), 2)
    with pytest.raises(Infeasible) as caught:
        DeltaPresence(maximum=0.8, population="p").confirm(table, overlapping)
    assert caught.value.reasons[0].measured == pytest.approx(2 / 5 + 1 / 2)
    whole = release_classes(table, np.zeros(3, dtype=np.int64), 1)
    DeltaPresence(maximum=0.8, population="p").confirm(table, whole)
    with pytest.raises(Infeasible):  # the one of 40 is surely not in the table
        DeltaPresence(minimum=0.1, maximum=0.8, population="p").confirm(table, whole)
