"""Generalize: stated levels, checks and refusals."""

import numpy as np
import pytest

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.hierarchies.mask import Mask
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched

HOSPITAL = """13053 28 Russian arrhythmia,13068 29 Spanish arrhythmia,13068 21 Japanese infection,
13053 23 Spanish infection,14853 50 Indian cancer,14853 55 Russian arrhythmia,14850 47 Spanish infection,
14850 49 Spanish infection,13053 31 Spanish cancer,13053 37 Indian cancer,13068 36 Japanese cancer,
13068 35 Spanish cancer"""


def protect(table, method, *guarantees):
    return method.apply(table, guarantees, np.random.default_rng(1), unwatched)


@pytest.fixture
def hospital(table_of):
    cells = [row.split() for row in HOSPITAL.split(",")]
    columns = dict(zip(["zip", "age", "nation", "disease"], zip(*cells, strict=True), strict=True))
    return table_of(columns, {"disease": "sensitive"}, {"zip": Mask()}, zip={"type": "text"})


def test_every_attribute_goes_to_its_level(hospital, rows_of):
    released = protect(hospital, Generalize(levels={"zip": 2, "age": 1, "nation": "top"}))
    assert rows_of(released)[0] == ("130**", "20", "*", "arrhythmia")
    assert released.column("age").type is ValueType.INTEGER
    assert released.column("zip").type is ValueType.TEXT
    assert released.account["levels"] == {"zip": 2, "age": 1, "nation": released.account["levels"]["nation"]}


def test_an_attribute_that_is_not_named_stays_as_it_is(hospital, rows_of):
    assert rows_of(protect(hospital, Generalize(levels={"zip": 1})))[4] == ("1485*", "50", "Indian", "cancer")


def test_what_comes_out_is_checked(hospital):
    method = Generalize(levels={"zip": 2, "age": "top", "nation": "top"})
    assert len(protect(hospital, method, KAnonymity(k=4)).records) == 12
    with pytest.raises(Infeasible) as caught:
        protect(hospital, method, KAnonymity(k=5))
    assert caught.value.nearest == {"k": 4.0}
    assert caught.value.reasons[0].measured == 4


def test_a_homogeneous_class_is_refused(table_of):
    table = table_of({"a": ["1", "1", "2", "2"], "s": ["x", "x", "x", "y"]}, {"s": "sensitive"})
    with pytest.raises(Infeasible) as caught:
        protect(table, Generalize(), KAnonymity(k=2), LDiversity(l=2, attribute="s"))
    assert [reason.rule for reason in caught.value.reasons] == ["l_diversity"]


@pytest.mark.parametrize("levels", [{"disease": 1}, {"none": 0}, {"zip": 9}])
def test_levels_that_do_not_exist_are_faults_of_the_policy(hospital, levels):
    with pytest.raises(InvalidPolicy) as caught:
        protect(hospital, Generalize(levels=levels))
    assert caught.value.pointer == f"/method/levels/{next(iter(levels))}"


def test_bounds_are_refused(table_of):
    with pytest.raises(InvalidPolicy):
        protect(table_of({"a": ["1", "2"]}, a={"recoding": "bounds"}), Generalize())


def test_losses_are_shares_of_the_leaves(table_of):
    released = protect(table_of({"a": ["11", "12", "25", ""]}), Generalize(levels={"a": 1}))
    column = released.column("a")
    assert dict(zip(column.labels, column.losses, strict=True)) == {"10": 0.5, "20": 0.0, "*": 1.0}
