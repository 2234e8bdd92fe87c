"""Findings about sensitive values: an oracle in fractions, releases that must be refused, and hand-checked ones."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from verifier import Artifact, verify
from verifier.people.sensitive import levels_of, matrix_loss, ranks_of

Write = Callable[..., Artifact]
Row = tuple[str, str]
FORMATS = ("csv", "parquet", "jsonl")
TREE = [["1", "few", "*"], ["2", "few", "*"], ["10", "many", "*"], ["11", "many", "*"], ["30", "lots", "*"]]
VALUES = [row[0] for row in TREE]


def policy_for(**guarantee: Any) -> dict[str, Any]:
    settings: dict[str, Any] = {"role": "sensitive"}
    if guarantee.get("distance") == "hierarchical":
        settings["hierarchy"] = {"kind": "levels", "rows": TREE}
    return {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier"}, "s": settings},
        "guarantees": [{"attribute": "s", **guarantee}],
        "waivers": [{"rule": "observed_domain", "reason": "the tests' own"}],
    }


def judge(write: Write, rows: Sequence[Row], form: str = "csv", **guarantee: Any) -> Any:
    return verify(policy_for(**guarantee), [write(form, ("q", "s"), rows)]).findings[0]


# --- the oracle ------------------------------------------------------------------------------------------------------


def shares(cells: Sequence[str]) -> dict[str, Fraction]:
    return {value: Fraction(count, len(cells)) for value, count in Counter(cells).items()}


def cost(distance: str, first: str, second: str, known: Sequence[str]) -> Fraction:
    if distance == "equal":
        return Fraction(first != second)
    if distance == "ordered":
        return Fraction(abs(known.index(first) - known.index(second)), max(len(known) - 1, 1))
    group = {row[0]: row[1] for row in TREE}
    return Fraction(0) if first == second else Fraction(1, 2) if group[first] == group[second] else Fraction(1)


def transported(inside: Sequence[str], everyone: Sequence[str], distance: str) -> Fraction:
    """Move what a class has too much of to where it has too little, by the best plan for each ground distance."""
    known = [value for value in VALUES if value in everyone]
    part, whole = shares(inside), shares(everyone)
    surplus = {value: part.get(value, Fraction(0)) - whole[value] for value in known}
    pairs = [(x, y) for x in known for y in known if surplus[x] > 0 > surplus[y]]
    if distance != "ordered":  # nearest first is best in a tree
        pairs.sort(key=lambda pair: cost(distance, *pair, known))
    total = Fraction(0)
    for giver, taker in pairs:  # and from the lowest to the lowest is best on a line
        moved = min(surplus[giver], -surplus[taker])
        surplus[giver] -= moved
        surplus[taker] += moved
        total += moved * cost(distance, giver, taker, known)
    return total


def classes_of(rows: Sequence[Row]) -> list[list[str]]:
    return [[s for q, s in rows if q == label] for label in dict.fromkeys(q for q, _ in rows)]


def farthest(rows: Sequence[Row], distance: str) -> Fraction:
    everyone = [s for _, s in rows]
    return max(transported(inside, everyone, distance) for inside in classes_of(rows))


def largest_share(rows: Sequence[Row]) -> Fraction:
    return max(max(shares(inside).values()) for inside in classes_of(rows))


def gains(rows: Sequence[Row]) -> list[tuple[Fraction, Fraction]]:
    """Every gain, with the share of its value in the whole release."""
    whole = shares([s for _, s in rows])
    return [(share / whole[v] - 1, whole[v]) for c in classes_of(rows) for v, share in shares(c).items()]


def random_rows(rng: np.random.Generator) -> list[Row]:
    size = int(rng.integers(1, 16))
    labels = rng.integers(0, rng.integers(1, 5), size)
    values = rng.integers(0, rng.integers(1, 6), size)
    return [(f"c{label}", VALUES[value]) for label, value in zip(labels, values, strict=True)]


BOUNDS = [0.05, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.3333333333333333, 0.4, 0.5, 0.6, 0.6666666666666666, 0.75, 0.9, 1.0]


def compare_with_the_oracle(write: Write, seed: int, tables: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(tables):
        rows, bound = random_rows(rng), float(rng.choice(BOUNDS))
        limit = Fraction(str(bound))
        form = str(rng.choice(FORMATS))
        for distance in ("equal", "ordered", "hierarchical"):
            finding = judge(write, rows, form, model="t_closeness", t=bound, distance=distance)
            expected = farthest(rows, distance)
            assert finding.holds is (expected <= limit), (rows, distance, bound)
            assert finding.achieved["t"] == pytest.approx(float(expected), abs=2e-6)
        smallest = min(len(inside) for inside in classes_of(rows))
        finding = judge(write, rows, form, model="alpha_k", alpha=bound, k=2)
        assert finding.holds is (largest_share(rows) <= limit and smallest >= 2)
        assert finding.achieved["k"] == smallest
        basic = judge(write, rows, form, model="beta_likeness", beta=bound)
        assert basic.holds is all(gain <= limit for gain, _ in gains(rows))
        enhanced = judge(write, rows, form, model="beta_likeness", variant="enhanced", beta=bound)
        assert enhanced.holds is all(gain <= limit and gain <= 1e-12 - math.log(p) for gain, p in gains(rows))


def test_agrees_with_an_oracle_in_fractions(write: Write) -> None:
    compare_with_the_oracle(write, 1, 200)


@pytest.mark.long
def test_agrees_with_an_oracle_in_fractions_on_many_tables(write: Write) -> None:
    compare_with_the_oracle(write, 2, 3000)


# --- refusing --------------------------------------------------------------------------------------------------------

GOOD: list[Row] = [("x", "1"), ("x", "2"), ("x", "10"), ("y", "1"), ("y", "2"), ("y", "10")]
STRICT = [
    {"model": "t_closeness", "t": 0.01, "distance": "equal"},
    {"model": "t_closeness", "t": 0.01, "distance": "ordered"},
    {"model": "t_closeness", "t": 0.01, "distance": "hierarchical"},
    {"model": "alpha_k", "alpha": 0.34, "k": 3},
    {"model": "beta_likeness", "beta": 0.01},
    {"model": "beta_likeness", "beta": 0.01, "variant": "enhanced"},
]


@pytest.mark.parametrize("guarantee", STRICT, ids=str)
@pytest.mark.parametrize("form", FORMATS)
def test_refuses_once_a_row_is_moved_or_a_value_changed(write: Write, guarantee: dict[str, Any], form: str) -> None:
    assert judge(write, GOOD, form, **guarantee).holds
    moved = [("y", "1"), *GOOD[1:]]
    changed = [("x", "2"), *GOOD[1:]]
    for broken in (moved, changed):
        finding = judge(write, broken, form, **guarantee)
        assert not finding.holds
        assert finding.detail


@pytest.mark.parametrize(
    "guarantee",
    [
        {"model": "t_closeness", "t": 2, "distance": "equal"},
        {"model": "t_closeness", "t": 0.5, "distance": "nearest"},
        {"model": "t_closeness", "t": 0.5},
        {"model": "t_closeness", "t": 0.5, "distance": "equal", "attribute": "q"},
        {"model": "alpha_k", "alpha": 0.5, "k": 1},
        {"model": "alpha_k", "alpha": "0.5", "k": 2},
        {"model": "beta_likeness", "beta": 0},
        {"model": "beta_likeness", "beta": 1, "variant": "best"},
    ],
    ids=str,
)
def test_nonsense_never_holds(write: Write, guarantee: dict[str, Any]) -> None:
    assert not judge(write, GOOD, **guarantee).holds


def test_a_value_that_a_class_lacks_counts(write: Write) -> None:
    # Two classes {a, b} and {b, b}: a never occurs in the second, which is a quarter away, whatever occurs there.
    rows = [("1", "1"), ("1", "2"), ("2", "2"), ("2", "2")]
    finding = judge(write, rows, model="t_closeness", t=0.25, distance="equal")
    assert finding.holds
    assert not judge(write, rows, model="t_closeness", t=0.24, distance="equal").holds


def test_the_largest_of_several_tables_decides(write: Write) -> None:
    broken = [("x", "2"), *GOOD[1:]]
    policy = policy_for(model="t_closeness", t=0.01, distance="equal")
    both = [write("csv", ("q", "s"), GOOD), write("parquet", ("q", "s"), broken)]
    assert not verify(policy, both).findings[0].holds


def test_a_hierarchy_that_is_not_written_out_comes_with_the_sealed_map(write: Write) -> None:
    policy = policy_for(model="t_closeness", t=0.5, distance="hierarchical")
    policy["attributes"]["s"]["hierarchy"] = {"id": "h1"}
    artifact = write("csv", ("q", "s"), GOOD)
    assert not verify(policy, [artifact]).holds
    assert verify(policy, [artifact], {"hierarchies": {"s": TREE}}).holds


# --- reading values --------------------------------------------------------------------------------------------------


def test_numbers_are_ranked_by_size_and_texts_by_code_point() -> None:
    assert ranks_of(["10", "9", "-1"], {}) == [2, 1, 0]
    assert ranks_of(["10", "9", ""], {}) == [2, 1, 0]
    assert ranks_of(["010", "9"], {}) == [0, 1]
    assert ranks_of(["010", "9"], {"type": "integer"}) == [1, 0]
    assert ranks_of(["2020-01-02", "2019-12-31"], {}) == [1, 0]
    assert ranks_of(["2020-01-01T10:00+02:00", "2020-01-01T09:00Z"], {}) == [0, 1]
    assert ranks_of(["low", "high", "mid"], {"order": ["low", "mid", "high"]}) == [0, 2, 1]
    assert isinstance(ranks_of(["low"], {"order": ["high"]}), str)
    assert isinstance(ranks_of(["low"], {"type": "integer"}), str)


def test_a_hierarchy_without_a_root_gets_one_and_the_missing_value_hangs_from_it() -> None:
    levels = levels_of(["a", "b", ""], [["a", "x"], ["b", "x"]])
    assert levels == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    assert isinstance(levels_of(["c"], [["a", "x"]]), str)
    assert isinstance(levels_of(["c"], None), str)


# --- local differential privacy --------------------------------------------------------------------------------------


def local_finding(write: Write, matrices: dict[str, Any] | None, epsilon: float) -> Any:
    policy = policy_for()
    policy["guarantees"] = [{"model": "local_differential_privacy", "epsilon": epsilon}]
    artifact = write("csv", ("q", "s"), [("x", "1"), ("x", "2")])
    return verify(policy, [artifact], None if matrices is None else {"mechanism": matrices}).findings[0]


def test_two_coins_lose_the_logarithm_of_three(write: Write) -> None:
    coins = {"s": [[0.75, 0.25], [0.25, 0.75]]}
    finding = local_finding(write, coins, math.log(3))
    assert finding.holds
    assert finding.evidence == "mechanism"
    assert finding.achieved["epsilon"] == pytest.approx(math.log(3))
    assert not local_finding(write, coins, 1.09).holds


@pytest.mark.parametrize(
    "matrices",
    [
        None,
        {},
        {"s": [[0.9, 0.2], [0.2, 0.8]]},
        {"s": [[1.0, 0.0], [0.5, 0.5]]},
        {"s": [[1.0], [1.0]]},
        {"s": [[0.5, 0.5], [1.0]]},
    ],
    ids=str,
)
def test_a_mechanism_that_is_unknown_or_no_mechanism_is_not_private(write: Write, matrices: Any) -> None:
    assert not local_finding(write, matrices, 5).holds


def test_a_matrix_that_treats_all_values_alike_is_two_numbers(write: Write) -> None:
    alike = {"s": {"values": 3, "keep": 0.6, "other": 0.2}}
    assert local_finding(write, alike, math.log(3)).holds
    assert not local_finding(write, alike, 1.09).holds
    for wrong in ({"keep": 0.7}, {"values": 1, "keep": 1.0}, {"values": 2.5}, {"keep": 1.0, "other": 0.0}):
        assert not local_finding(write, {"s": {**alike["s"], **wrong}}, 50).holds


def test_equal_rows_lose_nothing() -> None:
    assert matrix_loss([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]], 2) == 0.0


def test_alpha_k_counts_people_where_the_policy_names_a_privacy_unit(write: Write) -> None:
    artifact = write("csv", ("q", "s"), [("x", "a"), ("x", "b"), ("x", "a"), ("x", "b")])
    policy = {
        "kind": "table",
        "attributes": {"p": {"role": "identifier"}, "q": {"role": "quasi_identifier"}, "s": {"role": "sensitive"}},
        "guarantees": [{"model": "alpha_k", "alpha": 0.5, "k": 3, "attribute": "s"}],
        "privacy_unit": "p",
    }
    held = verify(policy, [artifact], {"units": [1, 2, 3, 3]}).findings[0]
    assert held.holds
    assert held.achieved == {"attribute": "s", "alpha": 0.5, "k": 3}
    assert held.evidence == "bytes+sealed_map"
    broken = verify(policy, [artifact], {"units": [1, 2, 1, 2]}).findings[0]
    assert not broken.holds
    assert broken.achieved["k"] == 2
    assert not verify(policy, [artifact]).findings[0].holds
