"""Declared domains: cells depend only on the policy, whatever the data contains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.tables.reading.domains import (
    declared_bins,
    declared_values,
    even_bins,
    faults_of_edges,
    faults_of_values,
    stated_domains,
)
from antifaz.tables.table import Column
from antifaz.tables.texts.value_types import ValueType


def column(*texts: str) -> Column:
    return Column("x", ValueType.TEXT, np.arange(len(texts), dtype=np.int32), np.array(texts, dtype=object))


def codes(domain, *texts: str, seed: int = 1) -> list[int]:
    return domain.encode(column(*texts), np.random.default_rng(seed)).tolist()


def texts(domain, *cells: int, seed: int = 1) -> list[str]:
    places, labels = domain.decode(np.array(cells), np.random.default_rng(seed))
    return labels[places].tolist()


def test_values_are_found_by_what_they_fold_to_and_written_as_they_were_declared() -> None:
    domain = declared_values("x", ["Flu", "HIV", ""], None)
    assert codes(domain, "flu ", "HIV", "") == [0, 1, 2]
    assert texts(domain, 2, 0, 1) == ["", "Flu", "HIV"]


def test_numbers_among_values_are_put_in_their_order() -> None:
    domain = declared_values("x", ["10", "9", "2"], None)
    assert (domain.labels, domain.ordered, domain.type) == (("2", "9", "10"), True, ValueType.INTEGER)
    assert not declared_values("x", ["b", "a"], None).ordered


def test_what_is_not_declared_counts_as_the_named_value_or_as_any_at_random() -> None:
    assert codes(declared_values("x", ["a", "b", "c"], "b"), "z", "") == [1, 1]
    loose = declared_values("x", ["a", "b", "c"], None)
    drawn = [codes(loose, "z", seed=seed)[0] for seed in range(60)]
    assert set(drawn) == {0, 1, 2}


def test_numbers_beyond_the_edges_count_as_the_nearest_bin() -> None:
    domain = declared_bins("x", [0, 10, 20], 30, None)
    assert codes(domain, "-5", "0", "9", "10", "19.9", "20", "30", "1000000000000") == [0, 0, 0, 1, 1, 2, 2, 2]
    assert codes(domain, "12,5") == [1]


def test_what_is_no_number_has_a_cell_of_its_own_if_the_policy_names_it() -> None:
    domain = declared_bins("x", [0, 10], 20, "")
    assert codes(domain, "", "many", "nan", "inf", "11") == [2, 2, 2, 2, 1]
    assert texts(domain, 2) == [""]
    assert set(codes(declared_bins("x", [0, 10], 20, None), "many", seed=3)) <= {0, 1}


def test_whole_edges_make_whole_numbers_each_in_its_bin() -> None:
    domain = declared_bins("x", [0, 1, 5], 9, None)
    assert texts(domain, 0) == ["0"]
    assert {texts(domain, 1, seed=seed)[0] for seed in range(80)} == {"1", "2", "3", "4"}
    assert {texts(domain, 2, seed=seed)[0] for seed in range(80)} == {"5", "6", "7", "8", "9"}
    assert texts(declared_bins("x", [-1, 0], 1, None), 0) == ["-1"]


def test_decimals_are_those_of_the_edges() -> None:
    domain = declared_bins("x", [0, 0.29], 0.57, None)
    assert domain.type is ValueType.DECIMAL
    found = {float(texts(domain, 1, seed=seed)[0]) for seed in range(200)}
    assert min(found) >= 0.29
    assert max(found) <= 0.57
    assert all(len(f"{number:.2f}".rstrip("0")) >= len(f"{number}".rstrip("0")) for number in found)


def test_bounds_of_whole_numbers_are_divided_into_whole_bins() -> None:
    assert even_bins(17.0, 20.0, 64) == [17, 18, 19, 20]
    assert even_bins(0.0, 9.0, 5) == [0, 2, 4, 6, 8]
    assert even_bins(0.0, 1.5, 3) == [0, 0.5, 1.0]


@pytest.mark.parametrize("edges", [[1, 1], [2, 1], [0, 1e-7], [0, 1e13], [0.123456, 9e9]])
def test_edges_that_are_none_are_named(edges: list[float]) -> None:
    assert len(list(faults_of_edges(edges))) == 1


def test_values_that_are_one_are_named_and_so_is_a_substitute_that_is_not_declared() -> None:
    assert list(faults_of_values(["a", "b"], "b")) == []
    assert len(list(faults_of_values(["a", "A "], "z"))) == 2


@given(
    low=st.integers(-1000, 1000),
    width=st.integers(1, 2000),
    bins=st.integers(2, 100),
    cells=st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=30),
    seed=st.integers(0, 2**20),
)
def test_whatever_the_cells_are_only_declared_numbers_come_back_and_in_their_own_bin(low, width, bins, cells, seed):
    domain = stated_domains({}, {}, {"x": (float(low), float(low + width))}, bins, {})["x"]
    rng = np.random.default_rng(seed)
    written = [repr(cell) for cell in cells]
    assert domain.size <= bins
    places = domain.encode(column(*written), rng)
    again, labels = domain.decode(places, rng)
    numbers = [int(label) for label in labels]
    assert low <= min(numbers) <= max(numbers) <= low + width
    assert codes(domain, *labels[again].tolist()) == places.tolist()
