"""Mu-Argus: small combinations are frequent, larger ones may not be."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.methods import mu_argus
from antifaz.tables.methods.mu_argus import MuArgus
from antifaz.watch import unwatched
from tests.antifaz.test_watching import longest_gap


def protect(table, method):
    return method.apply(table, [], np.random.default_rng(1), unwatched)


def rarest(rows, largest):
    """The smallest count of a combination of shown cells, up to a given size."""
    least = np.inf
    for size in range(1, largest + 1):
        for columns in combinations(range(len(rows[0])), size):
            shown = Counter(tuple(row[column] for column in columns) for row in rows)
            counts = [count for cells, count in shown.items() if "*" not in cells]
            least = min([least, *counts])
    return least


def test_generalizes_first_and_then_hides_cells(table_of, rows_of):
    table = table_of({"age": ["21", "22", "23", "24", "71"], "sex": ["F", "F", "M", "M", "M"]})
    released = protect(table, MuArgus(threshold=2, combination=2, unsafe=0.2))
    assert rows_of(released) == [("20", "F"), ("20", "F"), ("20", "M"), ("20", "M"), ("*", "M")]
    assert released.account["levels"] == {"age": 1, "sex": 0}
    assert released.account["cells_suppressed"] == {"age": 1, "sex": 0}


def test_it_is_not_k_anonymity(table_of):
    # Every pair of values occurs twice, every triple once.
    rows = ["000", "011", "101", "110", "001", "010", "100", "111"]
    table = table_of(dict(zip("abc", (list(cells) for cells in zip(*rows, strict=True)), strict=True)))
    released = protect(table, MuArgus(threshold=2, combination=2))
    assert released.account["cells_suppressed"] == {"a": 0, "b": 0, "c": 0}
    assert class_sizes(*released_classes(released)).max() == 1
    assert MuArgus.gives == ()


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "11", "12", "35"]), st.sampled_from("abc"), st.sampled_from("xy")),
        min_size=1,
        max_size=40,
    ),
    st.integers(2, 4),
    st.sampled_from([2, 3]),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_every_shown_combination_is_frequent_enough(table_of, rows_of, rows, threshold, combination, unsafe):
    columns = dict(zip(["a", "b", "c"], zip(*rows, strict=True), strict=True))
    table = table_of(columns, a={"type": "integer"})
    released = protect(table, MuArgus(threshold=threshold, combination=combination, unsafe=unsafe))
    assert rarest(rows_of(released), combination) >= threshold


@pytest.mark.parametrize("unsafe", [0.0, 1.0])
def test_no_record_is_left_out(table_of, unsafe):
    table = table_of({"a": ["1", "2", "3"]})
    assert len(protect(table, MuArgus(unsafe=unsafe)).records) == 3


def test_cells_of_many_records_are_hidden_in_slices_alike(table_of, rows_of, monkeypatch):
    rng = np.random.default_rng(3)
    table = table_of({name: rng.integers(0, 9, 50).astype(str) for name in "abcdef"})
    method, found = MuArgus(threshold=3, unsafe=1.0), []
    for cells in (mu_argus.SLICE, 1 << 9, 1 << 4):
        monkeypatch.setattr(mu_argus, "SLICE", cells)
        looks = []
        released = method.apply(table, [], np.random.default_rng(1), lambda done, looks=looks: bool(looks.append(done)))
        found.append((rows_of(released), len(looks)))
    assert found[0][0] == found[1][0] == found[2][0]
    assert found[0][1] < found[1][1] < found[2][1]
    assert rarest(found[0][0], 3) >= 3


def test_the_first_look_at_two_hundred_columns_is_soon(table_of):
    # Memory for each record and combination would be 27 GB.
    rng = np.random.default_rng(4)
    table = table_of({f"q{number}": rng.integers(0, 40, 20_000).astype(str) for number in range(200)})
    assert longest_gap(lambda watch: MuArgus().apply(table, [], rng, watch), 0.5, 1.0) < 1.0
