"""Answers: three questions apart, each by the attack that is farthest above guessing."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import antifaz
from antifaz.answers import answers, counts, headline, mean_answers, rate_of
from antifaz.tables.guarantees.delta_presence import DeltaPresence
from antifaz.tables.guarantees.differential_privacy import DifferentialPrivacy
from antifaz.tables.guarantees.k_anonymity import KAnonymity

LINKED = {"name": "record_linkage", "question": "identity", "rate": 0.25, "baseline": 0.001, "by": {"a": 1}}
COMMON = {"name": "homogeneity", "question": "attribute", "rate": 0.98, "baseline": 0.97, "column": "healthy"}
RARE = {"name": "interval_disclosure", "question": "attribute", "rate": 0.3, "baseline": 0.11}
SUPPOSED = {"name": "reconstruction", "question": "attribute", "rate": 0.9, "baseline": 0.01, "supposes": "names"}


def test_each_question_has_its_own_answer_and_the_headline_is_farthest_above_guessing():
    """98 % where guessing reaches 97 % is no risk; 25 % where guessing reaches 0.1 % is one."""
    found = answers([COMMON, LINKED, RARE, SUPPOSED])
    assert found["identity"] == {name: value for name, value in LINKED.items() if name != "by"}
    assert found["attribute"] == RARE
    assert found["membership"] is None
    assert headline(found)["name"] == "record_linkage"
    assert headline(answers([COMMON]))["name"] == "homogeneity"
    assert headline(answers([])) is None


@pytest.mark.parametrize(
    "change", [{"rate": None}, {"baseline": None}, {"targets": 0}, {"rate": "<0.1"}, {"rate": True}]
)
def test_what_was_not_measured_answers_nothing(change):
    assert not counts(LINKED | change)
    assert answers([LINKED | change])["identity"] is None


def test_a_guarantee_bounds_who_can_be_known_to_be_in_it():
    """At epsilon 1 the odds are e, so that at most e / (1 + e) of the answers are right."""
    found = answers([], [KAnonymity(k=5), DifferentialPrivacy(epsilon=1.0)])["membership"]
    assert found["bound"] == pytest.approx(0.7310585786)
    assert (found["rate"], found["bounded_by"]) == (None, "differential_privacy")
    assert headline({"membership": found}) is None
    presence = DeltaPresence(maximum=0.4, population="x")
    assert answers([], [presence])["membership"]["bound"] == 0.4


def test_means_over_runs_keep_questions_apart():
    runs = [answers([LINKED, COMMON]), answers([LINKED | {"rate": 0.35}])]
    found = mean_answers(runs)
    assert (found["identity"]["rate"], found["identity"]["name"]) == (pytest.approx(0.3), "record_linkage")
    assert found["attribute"]["rate"] == 0.98
    assert mean_answers([]) == {"identity": None, "attribute": None, "membership": None}


def test_a_limit_reads_the_rate_of_its_attack():
    assert rate_of([COMMON, LINKED], "degree", "record_linkage") == 0.25
    assert rate_of([COMMON], "record_linkage") is None


QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")


@pytest.fixture(scope="module")
def adult():
    source = Path(__file__).parents[1] / "data" / "tables" / "adult" / "adult.csv.gz"
    return pd.read_csv(gzip.open(source), sep=";", dtype=str).head(3000)


def assessed(frame, method, guarantees, **more):
    attributes = {name: {"role": "quasi_identifier"} for name in QUASI}
    attributes |= {"occupation": {"role": "sensitive"}, "salary-class": {"role": "sensitive"}}
    policy = {"kind": "table", "attributes": attributes, "guarantees": guarantees, "method": method, **more}
    release = antifaz.protect(antifaz.Table.from_pandas(frame), policy, np.random.default_rng(1))
    return antifaz.assess(release, np.random.default_rng(2))


def test_on_adult_identity_is_the_prosecutors_risk_and_not_one_minus_the_loss(adult):
    losses = []
    for k, least in ((2, 0.2), (5, 0.1), (100, 0.005)):
        found = assessed(adult, {"name": "mondrian"}, [{"model": "k_anonymity", "k": k}])
        who, what = found.answers["identity"], found.answers["attribute"]
        assert who["highest"] == pytest.approx(1 / k)
        assert least <= who["rate"] <= 1 / k
        assert who["baseline"] == pytest.approx(1 / 3000)
        assert (what["name"], what["column"]) == ("homogeneity", "occupation")
        assert what["rate"] > what["baseline"] + 0.1 > 0.2
        assert found.answers["membership"] is None
        assert "interval_disclosure" not in {answer["name"] for answer in (who, what)}
        losses.append(found.utility["ncp"]["value"])
        assert abs(who["rate"] - (1 - losses[-1])) > 0.4
    assert losses == sorted(losses)


def test_masked_values_are_linked_and_not_read_from_classes_of_one(adult):
    """Nearly every swapped record is unique; the prosecutor who finds it would have to know the swapped values."""
    waiver = [{"rule": "no_guarantee", "reason": "a test"}]
    found = assessed(adult, {"name": "rank_swapping", "percent": 15}, [], waivers=waiver, report={"attacks": []})
    assert found.after["prosecutor"]["mean"] > 0.5
    assert [attack["name"] for attack in found.attacks] == ["record_linkage"]
    assert found.answers["identity"]["name"] == "record_linkage"
    assert found.answers["identity"]["rate"] < 0.4
