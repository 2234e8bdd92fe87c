"""Losses: measured between original and release, checked by hand and against an oracle that reads both files."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from antifaz import catalogue
from antifaz.assessment import assess, refuse
from antifaz.errors import InvalidPolicy
from antifaz.hierarchies.mask import Mask
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.tables.methods.pipeline import Pipeline
from antifaz.tables.texts.value_types import ValueType
from antifaz.tables.utility.ncp import Ncp
from antifaz.tables.utility.precision import Precision
from antifaz.watch import unwatched
from tests.antifaz.protection_samples import encoded
from tests.antifaz.tables.conftest import make_table
from tests.oracles.losses import numbers_loss, texts_loss


@pytest.fixture(scope="module", autouse=True)
def every_method():
    return catalogue.parts("methods", "table")


def run(table, *steps, seed=1):
    return Pipeline(steps=list(steps)).apply(table, [], np.random.default_rng(seed), unwatched)


def losses(table, released):
    return Ncp().measure(table, released, np.random.default_rng(1), unwatched)["attributes"]


def precisions(table, released):
    return Precision().measure(table, released, np.random.default_rng(1), unwatched)["attributes"]


AGES = ["17", "22", "30", "41", "60", "67"]
ROUND_ALL = {"name": "rounding", "base": 200, "attributes": ["age"]}


@pytest.mark.parametrize("steps", [[ROUND_ALL], [ROUND_ALL, {"name": "mondrian"}], [{"name": "generalize"}, ROUND_ALL]])
def test_ages_that_all_became_0_are_lost_whatever_the_steps(steps):
    table = make_table({"age": AGES})
    released = run(table, *steps)
    assert list(released.column("age").labels) == ["0"]
    assert losses(table, released) == {"age": 1.0}
    assert precisions(table, released) == {"age": 0.0}


def test_a_gate_on_loss_refuses_what_a_first_step_destroyed():
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": {"name": "pipeline", "steps": [ROUND_ALL, {"name": "mondrian"}]},
            "gate": {"max_loss": 0.05},
        }
    )
    data = Dataset((encoded("age", AGES), encoded("disease", list("aabbcc"))), len(AGES))
    checked = check(data, policy)
    protected = protect(checked, policy, np.random.default_rng(1))
    assessment = assess(checked, protected, policy, np.random.default_rng(1))
    assert [(reason.rule, reason.measured) for reason in refuse(policy, protected, assessment)] == [("max_loss", 1.0)]


@pytest.mark.parametrize(
    ("step", "loss"),
    [
        # 17 and 22 show 20, which covers 15 to 25 (17 is the lowest); 60 shows itself, 55 to 65; 67 shows 70, 65 to 67
        # and the 70 that it says; 30 and 41 show 30 and 40, each ten wide.
        ({"name": "rounding", "base": 10}, (2 * 8 + 10 + 10 + 10 + 5) / 50 / 6),
        # 0, 20, 20, 40, 60, 60 by rounding down; the last two cover 60 to 67.
        ({"name": "rounding", "base": 20, "mode": "down"}, (4 * 20 + 2 * 7) / 50 / 6),
        # 60 and 67 show 50, which covers 50 to 67.
        ({"name": "top_bottom_coding", "bounds": {"age": {"top": 50}}}, 2 * 17 / 50 / 6),
        # Groups of three: 17 to 30 and 41 to 67.
        ({"name": "microaggregation", "size": 3}, (3 * 13 + 3 * 26) / 50 / 6),
        ({"name": "suppress", "attributes": ["age"]}, 1.0),
        ({"name": "synthetic"}, 1.0),
        ({"name": "rank_swapping", "percent": 100}, 1.0),
    ],
)
def test_hand_checked_numbers(step, loss):
    table = make_table({"age": AGES})
    assert losses(table, run(table, step))["age"] == pytest.approx(loss)


def test_a_noisy_number_covers_the_margin_of_its_noise_and_the_truth():
    table = make_table({"age": [str(age) for age in range(0, 1001, 10)]})
    deviation = 0.01 * np.std(np.arange(0, 1001, 10))
    found = losses(table, run(table, {"name": "additive_noise", "amount": 0.01}))["age"]
    assert found == pytest.approx(2 * 1.96 * deviation / 1000, rel=0.05)


def test_a_text_loses_the_share_of_its_wrong_records_over_that_of_a_random_text():
    table = make_table({"v": list("aaaabbbb"), "w": ["1"] * 8})
    released = run(table, {"name": "microaggregation", "attributes": ["v"], "size": 8})
    assert losses(table, released)["v"] == 1.0  # everyone shows a: half are wrong, as many as at random
    rare = make_table({"v": ["a"] * 95 + ["b"] * 5, "w": ["1"] * 100})
    assert losses(rare, run(rare, {"name": "microaggregation", "attributes": ["v"], "size": 100}))["v"] == 1.0


def test_a_matrix_that_says_nothing_loses_everything_and_one_that_changes_little_loses_little():
    table = make_table({"v": ["a"] * 9000 + ["b"] * 1000, "w": ["1"] * 10_000})
    step = {"name": "pram", "attributes": ["v"]}
    # By Hoeffding, shares of 5,000 draws are within .05 of their chances except with a probability below 1e-10.
    assert losses(table, run(table, {**step, "change": 0.5}))["v"] > 0.8
    little = losses(table, run(table, {**step, "change": 0.01}))["v"]
    assert 0.0 < little < 0.2


def test_a_group_counts_its_leaves_and_a_wrong_one_its_records(rows_of):
    table = make_table({"zip": ["13053", "13068", "14850"]}, hierarchies={"zip": Mask()}, zip={"type": ValueType.TEXT})
    released = run(table, {"name": "generalize", "levels": {"zip": 2}})
    assert losses(table, released)["zip"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    steps = (
        {"name": "rank_swapping", "attributes": ["zip"], "percent": 100},
        {"name": "generalize", "levels": {"zip": 2}},
    )
    swapped = run(table, *steps)
    assert {row[0] for row in rows_of(swapped)} == {"130**", "148**"}
    assert losses(table, swapped)["zip"] > losses(table, released)["zip"]


def test_labels_of_labels_are_read_to_their_values():
    table = make_table({"v": list("aabbccdd"), "n": ["1", "2", "5", "6", "11", "12", "20", "21"]})
    released = run(table, {"name": "microaggregation", "size": 2, "attributes": ["n"]}, {"name": "mondrian"})
    whole = run(table, {"name": "suppress", "attributes": ["v"]}, {"name": "mondrian"})
    assert losses(table, whole)["v"] == 1.0
    assert losses(table, released)["n"] == pytest.approx((2 * 1) * 4 / 20 / 8)


def test_records_that_were_left_out_for_missing_values_are_lost_too():
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {"age": {"role": "quasi_identifier", "missing": "suppress_row"}},
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": {"name": "mondrian"},
        }
    )
    data = Dataset((encoded("age", ["1", "1", "2", "2", "", ""]),), 6)
    checked = check(data, policy)
    protected = protect(checked, policy, np.random.default_rng(1))
    utility = assess(checked, protected, policy, np.random.default_rng(1)).utility
    assert utility["ncp"]["value"] == pytest.approx(2 / 6)
    assert utility["precision"]["value"] == pytest.approx(4 / 6)
    assert utility["suppression"]["value"] == pytest.approx(2 / 6)


# --- random pipelines ------------------------------------------------------------------------------------------------

NUMBERS = st.lists(st.integers(0, 60).map(str) | st.just(""), min_size=6, max_size=14)
STEPS = st.lists(
    st.one_of(
        st.builds(lambda base: {"name": "rounding", "base": base}, st.sampled_from([0.5, 3, 10, 200])),
        st.builds(lambda top: {"name": "top_bottom_coding", "bounds": {"n": {"top": top}}}, st.integers(-5, 70)),
        st.builds(lambda share: {"name": "top_bottom_coding", "share": share}, st.sampled_from([0.1, 0.3])),
        st.builds(lambda size: {"name": "microaggregation", "attributes": ["n"], "size": size}, st.integers(2, 4)),
        st.builds(lambda size: {"name": "microaggregation", "size": size}, st.integers(2, 4)),
        st.just({"name": "rank_swapping", "attributes": ["t"], "percent": 50}),
        st.just({"name": "pram", "change": 0.5}),
        st.just({"name": "suppress", "rarer_than": 2}),
        st.just({"name": "generalize"}),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(NUMBERS.filter(any), st.randoms(use_true_random=False), STEPS)
def test_no_random_pipeline_loses_less_than_its_files_show(numbers, random, steps):
    texts = [random.choice("abcd") for _ in numbers]
    table = make_table({"n": numbers, "t": texts}, n={"type": ValueType.INTEGER})
    if table.attribute("n").column.numbers is None:
        return
    try:
        released = run(table, *steps, seed=random.randrange(2**32))
    except InvalidPolicy:  # a step before left no numbers
        reject()
    rows: dict[str, list[str | None]] = {name: [None] * table.n for name in ("n", "t")}
    for name, shown in rows.items():
        column = released.column(name)
        for record, code in zip(released.records.tolist(), column.codes.tolist(), strict=True):
            shown[record] = str(column.labels[code])
    found = losses(table, released)
    nothing = [None] * table.n
    least = float(numbers_loss(numbers, rows["n"], nothing))
    assert found["n"] >= least - 1e-9
    if len(steps) == 1 and steps[0]["name"] != "rounding":
        assert found["n"] == pytest.approx(least)
    assert found["t"] >= float(texts_loss(texts, rows["t"])) - 1e-9


@settings(max_examples=40, deadline=None)
@given(NUMBERS.filter(any), st.sampled_from([0.5, 3, 7, 10, 200]))
def test_rounding_alone_loses_exactly_its_base(numbers, base):
    table = make_table({"n": numbers}, n={"type": ValueType.INTEGER})
    column = run(table, {"name": "rounding", "base": base}).column("n")
    shown = [str(column.labels[code]) for code in column.codes]
    half = Fraction(base) / 2
    stated = [(Fraction(cell) - half, Fraction(cell) + half) if cell else None for cell in shown]
    found = losses(table, run(table, {"name": "rounding", "base": base}))["n"]
    assert found == pytest.approx(float(numbers_loss(numbers, shown, stated)))
