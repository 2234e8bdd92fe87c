"""Datafly: worked examples, properties and edges."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.hierarchies.levels import Levels
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.methods.datafly import Datafly
from antifaz.watch import unwatched


def protect(table, method, *guarantees):
    return method.apply(table, guarantees, np.random.default_rng(1), unwatched)


def test_six_rows_as_published(table_of, rows_of):
    rows = [("10", "10"), ("10", "11"), ("10", "21"), ("19", "10"), ("19", "11"), ("19", "21")]
    table = table_of({"a0": [row[0] for row in rows], "a1": [row[1] for row in rows]})
    released = protect(table, Datafly(), KAnonymity(k=2))
    assert rows_of(released) == [("10", "10")] * 2 + [("19", "10")] * 2
    assert released.records.tolist() == [0, 1, 3, 4]
    assert released.account["levels"] == {"a0": 0, "a1": 1}


@pytest.mark.parametrize(
    ("k", "classes", "attributes"), [(128, 100, 1), (32, 1000, 1), (8, 10000, 1), (2, 10000, 1), (32, 1000, 2)]
)
def test_linear_rows_as_published(table_of, k, classes, attributes):
    line = [str(number) for number in range(100_000)]
    table = table_of({f"a{index}": line for index in range(attributes)})
    released = protect(table, Datafly(), KAnonymity(k=k))
    assert len(class_sizes(*released_classes(released))) == classes
    assert len(released.records) == 100_000


def test_a_policy_share_takes_the_place_of_k(table_of):
    cells = ["11"] * 8 + ["25", "38"]
    table = table_of({"a": cells})
    assert len(protect(table, Datafly(suppression=0.2), KAnonymity(k=3)).records) == 8
    assert protect(table, Datafly(suppression=0.1), KAnonymity(k=3)).account["levels"] == {"a": 2}


def test_uses_the_hierarchy_of_the_policy(table_of, rows_of):
    rows = [["cat", "animal"], ["dog", "animal"], ["fir", "plant"], ["oak", "plant"]]
    cells = ["cat", "dog", "fir", "oak"] * 2
    table = table_of({"kind": cells}, hierarchies={"kind": Levels(rows=rows)})
    released = protect(table, Datafly(suppression=0), KAnonymity(k=3))
    assert Counter(rows_of(released)) == {("animal",): 4, ("plant",): 4}


def test_never_releases_nothing(table_of):
    released = protect(table_of({"a": ["1", "2", "3"]}), Datafly(), KAnonymity(k=3))
    assert len(released.records) == 3


def test_infeasible_and_bounds(table_of):
    table = table_of({"a": ["1", "2"], "s": ["x", "x"]}, {"s": "sensitive"})
    with pytest.raises(Infeasible):
        protect(table, Datafly(), KAnonymity(k=3))
    with pytest.raises(Infeasible):
        protect(table, Datafly(), LDiversity(l=2, attribute="s"))
    with pytest.raises(InvalidPolicy):
        protect(table_of({"a": ["1", "2"]}, a={"recoding": "bounds"}), Datafly(), KAnonymity(k=2))


cells = st.sampled_from(["", "a", "ab", "ñ", "b*"])
ages = st.sampled_from(["", "1", "22", "25", "-40"])


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(ages, cells, st.sampled_from("xyz")), min_size=6, max_size=60),
    st.integers(2, 5),
    st.none() | st.floats(0, 0.5),
)
def test_every_class_keeps_the_guarantees(table_of, rows, k, share):
    columns = dict(zip(["age", "city", "s"], zip(*rows, strict=True), strict=True))
    table = table_of(columns, {"s": "sensitive"}, age={"type": "integer"})
    wanted = [KAnonymity(k=k)]
    if len(set(columns["s"])) >= 2:
        wanted.append(LDiversity(l=2, attribute="s"))
    released = protect(table, Datafly(suppression=share), *wanted)
    numbers, classes = released_classes(released)
    assert class_sizes(numbers, classes).min() >= k
    if len(wanted) > 1:
        diseases = released.column("s").labels[released.column("s").codes]
        assert all(len(set(diseases[numbers == number])) >= 2 for number in range(classes))
    if share is not None:
        assert table.n - len(released.records) <= share * table.n
