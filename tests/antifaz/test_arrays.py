"""Arrays: distinct values by sorting, and no code that hashes long arrays."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import antifaz.arrays
import verifier.verdict.arrays

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {
    "antifaz/kernels/graphs/pairs.py": "compiled code, where np.unique sorts",
}
"""Files that may call hashing functions, and why."""
SORTING = {"return_index", "return_inverse", "return_counts", "axis", "assume_unique"}
"""Arguments with which numpy sorts, or trusts that values are distinct."""
HASHING = {"np.unique", "np.union1d", "np.setdiff1d", "np.intersect1d", "np.setxor1d"}
KINDS = (np.int64, np.int32, np.uint8, np.float64, np.bool_)


@pytest.mark.parametrize("distinct", [antifaz.arrays.distinct, verifier.verdict.arrays.distinct])
@settings(max_examples=3 * settings().max_examples // 2, deadline=None)
@given(st.sampled_from(KINDS).flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(max_dims=2, min_side=0))))
def test_distinct_values_are_those_of_numpy(distinct, values):
    expected = np.unique(values)
    found = distinct(values)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("distinct", [antifaz.arrays.distinct, verifier.verdict.arrays.distinct])
def test_missing_numbers_are_one_value_and_come_last(distinct):
    np.testing.assert_array_equal(distinct(np.array([np.nan, 2.0, np.nan, 1.0, np.inf])), [1.0, 2.0, np.inf, np.nan])
    np.testing.assert_array_equal(distinct(np.array([np.nan, np.nan])), [np.nan])


def test_distinct_leaves_its_input_as_it_is():
    values = np.array([3, 1, 3])
    assert antifaz.arrays.distinct(values).tolist() == [1, 3]
    assert values.tolist() == [3, 1, 3]


@pytest.mark.parametrize("package", ["antifaz", "verifier"])
def test_nobody_hashes_arrays(package):
    found = {str(path.relative_to(ROOT)) for path in (ROOT / package).rglob("*.py") if hashing_lines(path.read_text())}
    assert found == {name for name in ALLOWED if name.startswith(f"{package}/")}


def test_what_hashes_is_noticed():
    assert hashing_lines("a = 1\nb = np.unique(a)") == [2]
    assert hashing_lines("np.union1d(a, b)\nnp.unique(a, equal_nan=False)") == [1, 2]
    assert hashing_lines("np.unique(a, return_counts=True)\nnp.intersect1d(a, b, assume_unique=True)") == []


def hashing_lines(text: str) -> list[int]:
    """The lines on which a program makes numpy put an array into a hash table."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return sorted(call.lineno for call in calls if ast.unparse(call.func) in HASHING and not _sorts(call))


def _sorts(call: ast.Call) -> bool:
    return any(keyword.arg in SORTING for keyword in call.keywords)


@given(
    values=st.lists(st.integers(0, 40), max_size=60),
    size=st.sampled_from([41, 5_000, 2**40]),
)
def test_ranks_are_those_of_sorting_whether_counted_or_sorted(values: list[int], size: int) -> None:
    found, places = antifaz.arrays.ranked(np.array(values, dtype=np.int64), size)
    assert found.tolist() == sorted(set(values))
    assert found[places].tolist() == values


@given(st.lists(st.integers(0, 50)), st.integers(1, 120))
def test_slices_cover_every_task_once_and_cost_no_more_than_wanted(costs, most):
    found = list(antifaz.arrays.slices(np.array(costs, dtype=np.int64), most))
    assert [place for part in found for place in range(part.start, part.stop)] == list(range(len(costs)))
    assert all(sum(costs[part]) <= most or part.stop - part.start == 1 for part in found)
    # No slice could have taken the next task as well.
    assert all(sum(costs[part]) + costs[part.stop] > most for part in found[:-1])


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1))
def test_the_order_by_several_keys_is_that_of_numpy(rows):
    keys, looks = np.array(rows).T, list[float]()
    found = antifaz.arrays.ordered(list(keys), lambda at: bool(looks.append(at)))
    assert np.array_equal(found, np.lexsort(list(keys)))
    assert len(looks) == 2
