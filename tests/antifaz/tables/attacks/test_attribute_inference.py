"""Attribute inference: by class and by a model, before and after protection."""

import numpy as np
import pytest

from antifaz.tables.attacks.attribute_inference import AttributeInference
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched


def attack(table, released, **parameters):
    return AttributeInference(**parameters).attempt(table, released, np.random.default_rng(2), unwatched)


def dependent(table_of, size=600):
    """Ages of which the old are ill."""
    rng = np.random.default_rng(8)
    ages = rng.integers(0, 100, size)
    ill = np.where(rng.random(size) < 0.9, ages >= 50, ages < 50)
    return table_of({"age": ages.astype(str), "ill": np.where(ill, "yes", "no")}, {"ill": "sensitive"})


def test_an_unprotected_release_tells_every_value_by_its_class(table_of):
    table = table_of(
        {"a": [str(value) for value in range(40)], "s": [f"s{value % 7}" for value in range(40)]}, {"s": "sensitive"}
    )
    outcome = attack(table, release_classes(table, np.arange(40), 40))
    assert outcome["by_class"] == outcome["rate"] == 1.0
    assert outcome["baseline"] < 0.4


def test_a_model_tells_what_depends_on_the_quasi_identifiers(table_of):
    table = dependent(table_of)
    outcome = attack(table, release_classes(table, table.attributes[0].column.codes // 10, 10))
    assert outcome["by_classifier"] == pytest.approx(0.9, abs=0.05)
    assert outcome["baseline"] < 0.6


def test_protection_lowers_it_to_guessing(table_of):
    table = dependent(table_of)
    rng = np.random.default_rng(3)
    close = [KAnonymity(k=5), TCloseness(t=0.05, distance="equal", attribute="ill")]
    outcome = attack(table, Mondrian().apply(table, close, rng, unwatched))
    assert outcome["rate"] < 0.65
    assert outcome["rate"] - outcome["baseline"] < 0.12


def test_values_beyond_the_most_frequent_are_given_up(table_of):
    cells = [str(value) for value in range(300)]
    table = table_of({"a": cells, "s": cells}, {"s": "sensitive"}, s={"type": "text"})
    outcome = attack(table, release_classes(table, np.zeros(300, dtype=np.int64), 1))
    assert outcome["by_classifier"] < 0.05


def test_without_sensitive_columns_there_is_nothing_to_infer(table_of):
    table = table_of({"a": ["1", "2"]})
    outcome = attack(table, release_classes(table, np.zeros(2, dtype=np.int64), 1))
    assert outcome["rate"] == 0.0
    assert outcome["columns"] == {}


def test_it_runs_only_when_asked_for():
    assert AttributeInference.default is False


@pytest.mark.parametrize(("targets", "attacked"), [(150, 150), (10_000, 300)])
def test_it_tells_how_many_people_were_attacked(table_of, targets, attacked):
    table = dependent(table_of)
    assert attack(table, release_classes(table, np.arange(600), 600), targets=targets)["targets"] == attacked
