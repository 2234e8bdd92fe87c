"""Machine-learning accuracy: what a classifier learns from a release, on people it has not seen."""

import numpy as np
import pytest

from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.utility.ml_accuracy import MlAccuracy
from antifaz.watch import unwatched


def measure(table, released, **parameters):
    return MlAccuracy(**parameters).measure(table, released, np.random.default_rng(1), unwatched)


@pytest.fixture(scope="module")
def table(table_of):
    rng = np.random.default_rng(8)
    ages = rng.integers(0, 100, 1500)
    ill = np.where(rng.random(1500) < 0.9, ages >= 50, ages < 50)
    columns = {"age": ages.astype(str), "ill": np.where(ill, "yes", "no"), "ward": rng.choice(list("NS"), 1500)}
    return table_of(columns, {"ill": "sensitive", "ward": "insensitive"})


def test_an_original_teaches_as_well_as_itself(table):
    outcome = measure(table, release_classes(table, np.arange(1500), 1500))
    assert outcome["value"] == outcome["original"]
    assert outcome["loss"] == 0.0
    assert outcome["original"] == pytest.approx(0.9, abs=0.04)
    assert outcome["majority"] == pytest.approx(0.5, abs=0.07)
    assert outcome["target"] == "ill"
    assert outcome["judged"] == 450


def test_a_moderate_release_teaches_nearly_as_much_and_one_class_nothing(table):
    rng = np.random.default_rng(2)
    moderate = measure(table, Mondrian().apply(table, [KAnonymity(k=25)], rng, unwatched))
    assert moderate["value"] > 0.8
    nothing = measure(table, release_classes(table, np.zeros(1500, dtype=np.int64), 1))
    assert nothing["value"] == pytest.approx(nothing["majority"])
    assert nothing["loss"] > 0.3


def test_the_target_may_be_named(table):
    outcome = measure(table, release_classes(table, np.arange(1500), 1500), target="ward")
    assert outcome["target"] == "ward"
    assert outcome["value"] == pytest.approx(0.5, abs=0.1)


def test_without_a_target_nothing_is_learned(table_of):
    table = table_of({"a": ["1", "2", "3", "4"]})
    assert measure(table, release_classes(table, np.zeros(4, dtype=np.int64), 1))["judged"] == 0
    assert MlAccuracy.default is False


def test_a_single_person_is_judged_and_without_anyone_there_is_nothing_to_tell(table):
    release = release_classes(table, np.arange(1500), 1500)
    assert measure(table, release, judged=1)["judged"] == 1
    assert measure(table, release, target="height") == dict.fromkeys(
        ("value", "original", "majority", "loss", "judged"), 0
    )
