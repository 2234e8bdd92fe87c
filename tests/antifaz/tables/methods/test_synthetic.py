"""Synthetic: marginals, correlations, copies."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from antifaz.errors import InvalidPolicy
from antifaz.policy.parse import parse_policy
from antifaz.tables.guarantees.differential_privacy import DifferentialPrivacy
from antifaz.tables.methods.synthetic import FAMILIES, Synthetic, best_fit
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched

SIZE = 4000


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


def numbers_of(released, name):
    column = released.column(name)
    return np.array([float(text) if text else np.nan for text in column.labels])[column.codes]


@pytest.fixture(scope="module")
def people(table_of):
    rng = np.random.default_rng(9)
    height = rng.normal(170, 8, SIZE)
    weight = 0.9 * (height - 100) + rng.normal(0, 5, SIZE)
    kind = np.where(height > 172, "tall", np.where(height > 165, "middling", "short"))
    cells = {
        "name": [f"p{number}" for number in range(SIZE)],
        "height": [f"{value:.1f}" for value in height],
        "weight": ["" if number % 10 == 0 else str(round(value)) for number, value in enumerate(weight)],
        "kind": kind.tolist(),
        "disease": rng.choice(["flu", "cold"], SIZE, p=[0.9, 0.1]).tolist(),
    }
    return table_of(cells, {"name": "identifier", "disease": "sensitive"})


@pytest.mark.parametrize("model", ["copula", "marginals"])
def test_marginals_are_kept_and_types_too(people, model):
    released = protect(people, Synthetic(model=model))
    assert [column.name for column in released.columns] == ["height", "weight", "kind", "disease"]
    assert released.column("weight").type is ValueType.INTEGER
    height, weight = numbers_of(released, "height"), numbers_of(released, "weight")
    assert np.nanmean(height) == pytest.approx(170, abs=1)
    assert np.nanstd(height) == pytest.approx(8, abs=0.6)
    assert np.isnan(weight).mean() == pytest.approx(0.1, abs=0.02)
    shares = dict(
        zip(released.column("disease").labels, np.bincount(released.column("disease").codes) / SIZE, strict=True)
    )
    assert shares["flu"] == pytest.approx(0.9, abs=0.02)


def test_only_the_copula_keeps_correlations(people):
    def correlation(model):
        released = protect(people, Synthetic(model=model))
        height, weight = numbers_of(released, "height"), numbers_of(released, "weight")
        known = ~np.isnan(weight)
        return stats.spearmanr(height[known], weight[known]).statistic

    assert correlation("copula") > 0.6
    assert abs(correlation("marginals")) < 0.1


@pytest.mark.parametrize(
    ("family", "sample"),
    [
        ("normal", lambda rng: rng.normal(5, 2, 5000)),
        ("uniform", lambda rng: rng.uniform(-1, 4, 5000)),
        ("exponential", lambda rng: rng.exponential(3, 5000) + 2),
        ("lognormal", lambda rng: rng.lognormal(1, 0.9, 5000)),
        ("laplace", lambda rng: rng.laplace(0, 2, 5000)),
        ("gamma", lambda rng: rng.gamma(3, 2, 5000)),
        ("weibull", lambda rng: 4 * rng.weibull(2.5, 5000)),
        ("logistic", lambda rng: rng.logistic(1, 2, 5000)),
    ],
)
def test_the_nearest_family_is_found(family, sample):
    cells = np.sort(sample(np.random.default_rng(5)))
    found, quantiles = best_fit(cells)
    assert found == family
    shares = np.linspace(0.05, 0.95, 19)
    assert np.abs(quantiles(shares) - np.quantile(cells, shares)).max() < 0.15 * cells.std()


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_quantiles_undo_shares(family):
    fitted = FAMILIES[family](np.sort(np.random.default_rng(6).gamma(3, 2, 500)))
    shares = np.linspace(0.01, 0.99, 25)
    assert fitted.share_below(fitted.quantile(shares)) == pytest.approx(shares)


def test_bounds_hold(people):
    released = protect(people, Synthetic(model="marginals", bounds={"height": (160, 180)}))
    height = numbers_of(released, "height")
    assert height.min() >= 160
    assert height.max() <= 180


def test_copies_are_counted(table_of):
    same = protect(table_of({"a": ["x"] * 50}), Synthetic())
    assert same.account["copies"] == 1.0
    assert same.account["unique_reappearing"] == 0.0
    rng = np.random.default_rng(3)
    apart = table_of({f"a{i}": [f"{cell:.5f}" for cell in rng.random(300)] for i in range(3)})
    assert protect(apart, Synthetic()).account["copies"] < 0.01


def test_an_empty_column_and_a_constant_one(table_of, rows_of):
    for model in ("copula", "marginals"):
        table = table_of({"a": ["", ""], "b": ["3", "3"]}, a={"type": "integer"})
        assert rows_of(protect(table, Synthetic(model=model))) == [("", "3")] * 2


# --- with noise ------------------------------------------------------------------------------------------------------

DP = DifferentialPrivacy(epsilon=2.0, delta=1e-9)
DECLARED = {
    "bounds": {"height": (130, 210)},
    "edges": {"weight": [30, 50, 60, 70, 80, 90, 120]},
    "values": {"kind": ["short", "middling", "tall"], "disease": ["flu", "cold", "hiv"]},
    "other": {"weight": ""},
}


def private(table, seed=1, guarantee=DP, **changes):
    method = Synthetic(model="dp_marginals", **{**DECLARED, **changes})
    return method.apply(table, [guarantee], np.random.default_rng(seed), unwatched)


@pytest.fixture(scope="module")
def as_text(people):
    """The table as a policy with declared domains sees it: every cell is text."""
    columns = [replace(a, column=replace(a.column, type=ValueType.TEXT, numbers=None)) for a in people.attributes]
    return replace(people, attributes=tuple(columns))


@pytest.fixture(scope="module")
def noisy(as_text):
    return private(as_text)


def test_noise_keeps_what_a_table_says_of_columns_and_pairs(noisy):
    """Limits are 10 deviations of the noise away: 4,000 records, a deviation of about 16 for every cell."""
    released = noisy
    height, weight = numbers_of(released, "height"), numbers_of(released, "weight")
    assert abs(len(height) - SIZE) < 1_000
    assert np.mean(height) == pytest.approx(170, abs=8)
    assert np.isnan(weight).mean() == pytest.approx(0.1, abs=0.1)
    tall = released.column("kind").labels[released.column("kind").codes] == "tall"
    assert height[tall].mean() > height[~tall].mean() + 3


def test_what_is_released_is_declared_and_typed_by_it(noisy):
    released = noisy
    assert [column.name for column in released.columns] == ["height", "weight", "kind", "disease"]
    assert [column.type.value for column in released.columns] == ["integer", "integer", "text", "text"]
    height, weight = numbers_of(released, "height"), numbers_of(released, "weight")
    assert 130 <= height.min() <= height.max() <= 210
    assert 30 <= np.nanmin(weight) <= np.nanmax(weight) <= 120
    assert set(released.column("disease").labels) <= {"flu", "cold", "hiv"}


def test_the_number_of_records_is_noisy_or_declared(as_text):
    assert len(private(as_text, rows=77).records) == 77
    # The number is off by some 80,000: that it is exact twice has a probability of 1e-10.
    sizes = {len(private(as_text, seed, DifferentialPrivacy(epsilon=0.001)).records) for seed in range(2)}
    assert SIZE not in sizes or len(sizes) > 1


def test_the_account_says_what_was_drawn_and_the_parts_add_up(as_text, noisy):
    told = noisy.account["public"]["dp_marginals"]
    assert (told["measure"], told["unit"], told["contributions"]) == ("zcdp", "a record", 1)
    losses = [Decimal(step["loss"]) for step in told["steps"]]
    assert sum(losses) == Decimal(told["spent"]) <= Decimal(told["budget"])
    assert {tuple(step["columns"]) for step in told["steps"][:4]} == {("height",), ("weight",), ("kind",), ("disease",)}
    pure = private(as_text, guarantee=DifferentialPrivacy(epsilon=2.0)).account["public"]["dp_marginals"]
    assert (pure["measure"], Decimal(pure["budget"])) == ("pure", 2)


def test_a_person_counts_with_a_stated_number_of_records(as_text):
    """One person has all 4,000 records, of which 3 count: with a scale of some 20 records they are not visible."""
    everybody = replace(as_text, unit=np.zeros(SIZE, dtype=np.int64))
    released = private(everybody, contributions=3)
    assert released.account["public"]["dp_marginals"]["unit"] == "a person"
    assert len(released.records) < 2_500


@pytest.mark.parametrize("n", [1, 2])
def test_hardly_any_record_is_enough(table_of, n):
    table = table_of({"s": ["x"] * n}, {"s": "sensitive"})
    method = Synthetic(model="dp_marginals", values={"s": ["x", "y"]})
    released = method.apply(table, [DifferentialPrivacy(epsilon=0.1)], np.random.default_rng(1), unwatched)
    assert len(released.records) >= 1


# --- policies --------------------------------------------------------------------------------------------------------


ROLES = {"id": {"role": "identifier"}, "age": {"role": "quasi_identifier"}, "s": {"role": "sensitive"}}


def policy(**changes):
    stated = {
        "kind": "table",
        "attributes": ROLES,
        "guarantees": [{"model": "differential_privacy", "epsilon": 1.0, "delta": 1e-9}],
        "method": {
            "name": "synthetic",
            "model": "dp_marginals",
            "bounds": {"age": [0, 99]},
            "values": {"s": ["a", "b"]},
        },
    }
    return {**stated, **changes}


def method(**changes):
    return {"method": {**policy()["method"], **changes}}


def faults(document):
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(document)
    return {pointer for pointer, _ in caught.value.faults}


def test_a_policy_that_declares_everything_is_one():
    assert parse_policy(policy()).guarantees_given() == {"differential_privacy"}
    assert parse_policy(policy(privacy_unit="id", **method(contributions=3))).privacy_unit == "id"


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (policy(**method(values={})), "/method/values/s"),
        (policy(**method(edges={"age": [0, 9]})), "/method/values/age"),
        (policy(**method(values={"s": ["a", "A"]})), "/method/values/s"),
        (policy(**method(values={"s": ["a"], "id": ["1"]})), "/method/values/id"),
        (policy(**method(bounds={"age": [9, 0]})), "/method/bounds/age"),
        (policy(**method(other={"s": "z"})), "/method/values/s"),
        (policy(**method(other={"age": "0"})), "/method/other/age"),
        (policy(**method(model="copula")), "/guarantees/0"),
        (policy(guarantees=[], waivers=[{"rule": "no_guarantee", "reason": "a test"}]), "/guarantees"),
        (policy(guarantees=[*policy()["guarantees"], {"model": "k_anonymity", "k": 2}]), "/guarantees/1"),
        (policy(gate={"max_loss": 0.5}), "/gate/max_loss"),
        (
            policy(attributes={**policy()["attributes"], "s": {"role": "sensitive", "missing": "suppress_row"}}),
            "/attributes/s/missing",
        ),
        (
            policy(attributes={**policy()["attributes"], "age": {"role": "quasi_identifier", "type": "integer"}}),
            "/attributes/age/type",
        ),
    ],
)
def test_a_contradiction_is_named_by_its_pointer(document, pointer):
    assert pointer in faults(document)


def test_other_models_take_no_domains_and_still_no_privacy_unit():
    free = {"guarantees": [], "waivers": [{"rule": "no_guarantee", "reason": "a test"}]}
    copula = {"name": "synthetic", "model": "copula", "values": {"s": ["a"]}}
    assert "/method/values" in faults(policy(**free, method=copula))
    assert "/privacy_unit" in faults(policy(**free, method={"name": "synthetic"}, privacy_unit="id"))


def test_too_many_columns_are_refused_before_anything_is_read():
    names = [f"c{number}" for number in range(61)]
    wide = {
        "attributes": {name: {"role": "insensitive"} for name in names},
        **method(bounds={}, values={name: ["a", "b"] for name in names}),
    }
    assert "/attributes" in faults(policy(**wide))
