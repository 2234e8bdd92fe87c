"""Noise on the weights of edges: it covers at least the effect of rounding, and surviving weights are counted."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.kinds.edge_weights import add_noise
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Protected
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.tables.reading.attributes import cast_column
from formats.core.raw import RawColumn

EDGES = 20_000
MOST = 0.42
"""A normal number with a deviation of one step is rounded to none with a chance of 0.3829. Of 20,000 the share that
does has a deviation of 0.0034: ten of these are below here, so that a right noise fails with a chance below 1e-24. A
tenth of a deviation, rounded, would leave 0.9996 of the whole numbers up to five as they are."""


def noised(cells: list[str], seed: int = 5) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Weights before and after, and the account."""
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    column = cast_column("weight", values, codes.astype(np.int32), None)
    every = np.arange(len(cells))
    found = add_noise(column, every, np.zeros(len(cells), dtype=np.bool_), np.random.default_rng(seed))
    assert column.numbers is not None
    return column.numbers[column.codes], found.column.values, found.account


def cells_of(kind: str) -> list[str]:
    rng = np.random.default_rng(8)
    whole = rng.integers(1, 6, EDGES)
    return {
        "small integers": [str(w) for w in whole],
        "yes or no": [str(w % 2) for w in whole],
        "all the same": ["7"] * EDGES,
        "tenths": [f"0.{w}" for w in whole],
        "halves": [str(w / 2) for w in whole],
        "thousands": [str(1000 * w) for w in whole],
        "one more than thousands": [str(1000 * w + 1) for w in whole],
        "very large": [str(int(w) * 10**17) for w in whole],
    }[kind]


KINDS = {
    "small integers": 1.0,
    "yes or no": 1.0,
    "all the same": 1.0,
    "tenths": 0.1,
    "halves": 0.5,
    "thousands": 1000.0,
    "one more than thousands": 1000.0,
    "very large": 1e17,
}


@pytest.mark.parametrize("kind", KINDS)
def test_most_weights_change_however_small_or_coarse_they_are(kind: str) -> None:
    before, after, account = noised(cells_of(kind))
    assert account["step"] == pytest.approx(KINDS[kind])
    assert account["deviation"] >= account["step"]
    assert account["unchanged"] == np.mean(before == after) < MOST


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_weight_that_occurs_is_not_the_original_either(kind: str) -> None:
    """An attacker who knows the weights rounds to them. An end of the range keeps what falls beyond it: of five
    numbers, 0.3829 of the inner ones and half of the rest of the outer ones, 0.51 in all; of two, 0.69; and one alone
    can hide nothing."""
    before, after, _ = noised(cells_of(kind))
    known = np.unique(before)
    guess = known[np.abs(after[:, None] - known[None, :]).argmin(axis=1)]
    # Twenty deviations of such a share are less than 0.07. Noise of a tenth of a deviation is guessed in all cases.
    most = {1: 1.0, 2: 0.77, 5: 0.58}[len(known)]
    assert np.mean(guess == before) <= most


def test_one_odd_weight_among_coarse_ones_does_not_make_the_noise_fine() -> None:
    before, after, account = noised([*cells_of("thousands"), "2501"])
    assert account["step"] == 1
    assert account["deviation"] >= 499
    assert np.mean(np.abs(after - before) >= 250) > 0.5


def test_released_weights_lie_on_the_grid_of_the_others() -> None:
    _, after, _ = noised(cells_of("halves"))
    assert (after * 2 == np.rint(after * 2)).all()
    _, after, _ = noised(cells_of("one more than thousands"))
    assert (after % 1000 == 1).all()


def test_fine_weights_get_a_tenth_of_their_deviation() -> None:
    rng = np.random.default_rng(2)
    before, after, account = noised([f"{x:.4f}" for x in rng.normal(50, 10, EDGES)])
    assert account["deviation"] == pytest.approx(0.1 * before.std())
    # The deviation of the noise is estimated to half a per cent: a fifth is forty times that.
    assert np.std(after - before) == pytest.approx(account["deviation"], rel=0.2)
    assert account["unchanged"] < 0.01


def test_numbers_with_exponents_and_missing_ones_are_read() -> None:
    before, after, account = noised(["1e-3", "2.5e-3", "", "4"] * 2000)
    assert account["step"] == pytest.approx(0.0015)
    assert not np.isnan(after).any()
    assert np.isnan(before).any()
    assert max(-int(Decimal(str(float(x))).as_tuple().exponent) for x in after) <= 4


def test_an_added_edge_counts_neither_as_changed_nor_as_unchanged() -> None:
    values, codes = np.unique(np.array(["3", "9"], dtype=object), return_inverse=True)
    column = cast_column("weight", values, codes.astype(np.int32), None)
    places = np.zeros(50, dtype=np.int64)
    account = add_noise(column, places, np.ones(50, dtype=np.bool_), np.random.default_rng(1)).account
    assert account["unchanged"] == 0


# --- through the engine ----------------------------------------------------------------------------------------------


def released(edge_attributes: str) -> tuple[Protected, list[str]]:
    """A long ring of small weights."""
    n = 3000
    graph = Graph.from_pairs(n, np.arange(n), (np.arange(n) + 1) % n)
    weight = RawColumn("weight", (np.arange(n) % 3).astype(np.int32), np.array(["1", "2", "3"], dtype=object))
    policy = parse_policy(
        {
            "kind": "graph",
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
            "method": {"name": "k_degree"},
            "edge_attributes": edge_attributes,
        }
    )
    dataset = GraphDataset((), n, graph=graph, edges=(weight,))
    return protect(check(dataset, policy), policy, np.random.default_rng(6)), policy.warnings()


def test_the_account_says_how_many_weights_came_out_as_they_were() -> None:
    protected, warnings = released("noise")
    account = protected.account["edge_noise"]["weight"]
    assert set(account) == {"step", "deviation", "unchanged"}
    assert 0 < account["unchanged"] < 0.5
    assert any("Noise on weights of edges is no guarantee" in warning for warning in warnings)


def test_without_noise_there_is_no_account_of_it() -> None:
    for kept in ("keep", "drop"):
        protected, warnings = released(kept)
        assert "edge_noise" not in protected.account
        assert not any("Noise on weights" in warning for warning in warnings)


def test_a_pair_has_the_same_noise_wherever_it_has_the_same_number() -> None:
    pairs = np.repeat(np.arange(500), 3)
    cells = np.array([str(5 if place % 3 < 2 else 9) for place in range(1500)], dtype=object)
    values, codes = np.unique(cells, return_inverse=True)
    column = cast_column("weight", values, codes.astype(np.int32), None)
    order = np.random.default_rng(3).permutation(1500)
    found = add_noise(column, order, np.zeros(1500, dtype=np.bool_), np.random.default_rng(4), pairs)
    noise = np.empty(1500)
    noise[order] = found.column.values - column.numbers[column.codes][order]
    by_pair = noise.reshape(500, 3)
    assert (by_pair[:, 0] == by_pair[:, 1]).all()
    # Of two independent draws of a deviation of one step or more, 0.29 at most are equal: never all of 500.
    assert (by_pair[:, 0] != by_pair[:, 2]).any()
    assert len(set(by_pair[:, 0])) > 1
