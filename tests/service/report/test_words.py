"""Promises, attacks, losses and numbers in words."""

import pytest

from antifaz import catalogue
from service.report import attacks, losses, numbers, promises

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "none"),
        (1, "all"),
        (0.93, "93 of 100"),
        (0.5, "50 of 100"),
        (0.999, "more than 99 of 100"),
        (0.0042, "4 of 1,000"),
        (3e-5, "3 of 100,000"),
        (1e-9, "fewer than 1 of 1,000,000"),
    ],
)
def test_a_share_is_so_many_of_a_round_number(share, said):
    assert numbers.out_of(share) == said


def test_withheld_figures_are_bounds():
    assert numbers.show("<10") == "under 10"
    assert numbers.percent(">=0.25") == f"at least 25{NBSP}%"
    assert numbers.percent("<0.294") == f"under 29.4{NBSP}%"
    assert numbers.percent("<script>") == "<script>"


def test_dates_and_sizes():
    assert numbers.date_of("2026-11-30T23:30:00-01:00") == "1 December 2026"
    assert [numbers.size_of(size) for size in (12, 1234, 5e6, None)] == ["12 B", "1.23 kB", "5 MB", "–"]


def every(folder: str) -> list:
    return [(kind, part) for kind in ("table", "graph", "temporal_graph") for part in catalogue.parts(folder, kind)]


@pytest.mark.parametrize(("kind", "part"), every("guarantees"), ids=lambda each: getattr(each, "__name__", each))
def test_every_guarantee_is_a_sentence_with_its_figure(kind, part):
    """Of its own words and not the catalogue's, so that a new guarantee is written about."""
    policy = {"kind": kind, "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}}
    figures = {"k": 7, "epsilon": 0.5, "attribute": "disease", "beta": 2, **part.examples[0]}
    guarantee = {"model": part.wire_name(), "required": figures, "achieved": {}}
    said = promises.promise_in_words(guarantee, policy)
    assert said.endswith(".")
    assert said != (part.__doc__ or "").partition("\n")[0]
    assert "{" not in said


@pytest.mark.parametrize(("kind", "part"), every("attacks"), ids=lambda each: getattr(each, "__name__", each))
def test_every_attack_is_a_sentence_with_its_rate_and_that_of_guessing(kind, part):
    attack = {"name": part.wire_name(), "rate": 0.87, "baseline": 0.12, "attack": "vertex_refinement"}
    said = attacks.attack_in_words(attack, {"kind": kind})
    assert "87 of 100" in said
    assert "12 of 100" in said
    assert "{" not in said
    assert "who tries" not in said  # what is said of an attack without a story


@pytest.mark.parametrize(("kind", "part"), every("attacks"), ids=lambda each: getattr(each, "__name__", each))
@pytest.mark.parametrize("rate", [0, 1])
def test_nobody_and_everybody_read_as_people_say_it(kind, part, rate):
    attack = {"name": part.wire_name(), "rate": rate, "baseline": 0.5, "attack": "vertex_refinement"}
    said = attacks.attack_in_words(attack, {"kind": kind}).partition(";")[0]
    assert any(form in said for form in ((" no ", " 0 of 100 times"), (" all ", " 100 of 100 times"))[rate])
    assert not any(form in said for form in ("none ", " no times", "all times"))


def test_a_bound_that_excludes_nothing_is_a_number_of_times():
    answer = {"rate": None, "baseline": None, "bound": 1.0, "bounded_by": "differential_privacy"}
    assert attacks.answer_in_words("membership", answer, {}).endswith("right more than 100 of 100 times.")


def test_the_issue_of_seeds_reads_as_people_say_it():
    attack = {"name": "seed_propagation", "rate": 0.93, "baseline": 0.001, "known": 7}
    said = attacks.attack_in_words(attack, {})
    assert said.startswith("Someone who knows 7 people in it and the original's shape finds 93 of 100 others;")


def test_an_older_report_is_answered_from_its_attacks_without_those_that_measured_what_was_known():
    listed = [
        {"name": "record_linkage", "rate": 0.2, "baseline": 0.01},
        {"name": "interval_disclosure", "rate": 0.98, "baseline": 0.3},
        {"name": "homogeneity", "rate": 0.5, "baseline": 0.4},
        {"name": "static", "attack": "degree", "rate": 0.1, "baseline": 0.0},
        {"name": "edge_presence", "rate": 0.826, "baseline": 0.5},
        {"name": "degree", "rate": 1.0, "baseline": 0.0, "targets": 0},
    ]
    found = attacks.answers_of({"risk": {"attacks": listed}})
    assert found["identity"]["name"] == "record_linkage"
    assert found["attribute"]["name"] == "homogeneity"
    assert found["membership"] is None
    assert attacks.answers_of({}) == {}


def test_the_three_questions_are_answered_in_words():
    policy = {"kind": "table", "attributes": {"age": {"role": "quasi_identifier"}, "zip": {"role": "quasi_identifier"}}}
    who = {"name": "prosecutor", "question": "identity", "rate": 0.118, "baseline": 0.00003, "highest": 0.2}
    bounded = {"rate": None, "baseline": None, "bound": 0.731, "bounded_by": "differential_privacy"}
    answers = {"identity": who, "attribute": None, "membership": bounded}
    rows = attacks.question_rows({"policy": policy, "risk": {"answers": answers}})
    assert [row["title"] for row in rows] == ["Who is it?", "What do they have?", "Are they in it?"]
    assert [row["bad"] for row in rows] == [True, False, False]
    first, second, third = (row["words"].replace(NBSP, " ") for row in rows)
    assert first == (
        "Someone who knows that a person is in the table, and their age and zip, picks the right row for 12 of 100 "
        "people; guessing does so for 3 of 100,000. For the most exposed person the chance is 20 %."
    )
    assert second == "Not measured: the policy declares no column sensitive."
    assert third == "If someone is in it as likely as not, no attacker is right more than 73 of 100 times."


def test_an_estimate_says_what_its_attacker_knows_besides_the_column():
    policy = {"attributes": {"age": {"role": "quasi_identifier"}, "zip": {"role": "quasi_identifier"}}}
    attack = {"name": "interval_disclosure", "rate": 0.5, "baseline": 0.1, "column": "age", "columns": {"age": {}}}
    assert attacks.attack_in_words(attack, policy).startswith("Someone who knows the zip of a person estimates age")


def test_a_column_in_braces_stays_as_it_is():
    policy = {"attributes": {"{hubs}": {"role": "quasi_identifier"}}}
    said = attacks.attack_in_words({"name": "record_linkage", "rate": 0.5, "baseline": 0.1}, policy)
    assert "{hubs}" in said


def test_an_attack_no_better_than_guessing_says_so():
    said = attacks.attack_in_words({"name": "degree", "rate": 0.01, "baseline": 0.01}, {})
    assert said.startswith("No attack did clearly better than guessing.")


def test_what_a_graph_lost_is_edges_and_the_property_that_changed_most():
    report = {
        "kind": "graph",
        "dataset": {"edges": 100},
        "transformation": {"edges_added": 6, "edges_removed": 4},
        "utility": {"diameter": {"loss": 0.0}, "transitivity": {"loss": 0.08}},
    }
    said = losses.loss_in_words(report).replace(NBSP, " ")
    assert "6 connections were added and 4 removed, 10 % of the original connections." in said
    assert "transitivity changed the most (8 %)" in said
    assert losses.loss_headline(report) == f"10{NBSP}%"


def test_a_guarantee_that_fails_or_cannot_be_reached_is_named():
    assert "k anonymity did not verify" in losses.reason_in_words({"rule": "guarantee:k_anonymity", "detail": "no"})
    assert "k anonymity cannot be reached: 3 measured, 5 required" in losses.reason_in_words(
        {"rule": "k_anonymity", "limit": 5, "measured": 3}
    )
