"""Recut: similar classes are divided again, never with a higher loss and never against the conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.hierarchies.levels import Levels
from antifaz.kernels.tables.class_moves import loss_of_classes
from antifaz.tables.classes.rules import classes_satisfy, state_conditions
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.labels.space import build_space
from antifaz.tables.lattice.recut import recut

ROWS = [["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"], ["d", "high", "*"], ["e", "high", "*"]]


def test_two_classes_that_lie_across_each_other_are_put_right(table_of):
    table = table_of({"a": ["1", "9", "1", "9"]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    conditions = state_conditions(table, [KAnonymity(k=2)])
    labels, classes = recut(space, conditions, matrix, np.array([0, 0, 1, 1]), 2, 0)
    assert classes == 2
    assert labels[0] == labels[2] != labels[1] == labels[3]


def test_classes_that_lose_nothing_are_left_alone(table_of):
    table = table_of({"a": ["1", "1", "9", "9"]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    labels, classes = recut(space, state_conditions(table, [KAnonymity(k=2)]), matrix, np.array([0, 0, 1, 1]), 2, 0)
    assert (labels.tolist(), classes) == ([0, 0, 1, 1], 2)


def test_one_class_alone_may_be_cut(table_of):
    table = table_of({"a": ["1", "1", "9", "9"]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    labels, classes = recut(space, state_conditions(table, [KAnonymity(k=2)]), matrix, np.zeros(4, np.int64), 1, 0)
    assert classes == 2
    assert labels[0] == labels[1] != labels[2] == labels[3]


@pytest.mark.parametrize(
    "guarantees",
    [
        [],
        [LDiversity(l=2, attribute="s")],
        [LDiversity(variant="recursive", l=2, c=2.0, attribute="s")],
        [TCloseness(t=0.3, distance="equal", attribute="s")],
    ],
    ids=str,
)
@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["", "1", "4", "9"]), st.sampled_from("uvwxyz"), st.sampled_from("abcde")),
        min_size=4,
        max_size=30,
    ),
    turn=st.integers(0, 5),
    size=st.integers(2, 4),
)
def test_the_loss_never_rises_and_every_class_keeps_the_conditions(table_of, guarantees, rows, turn, size):
    number, word, leaf = zip(*rows, strict=True)
    values = [("p", "q", "p", "q", "r")[place % 5] for place in range(len(rows))]
    table = table_of(
        {"number": number, "word": word, "leaf": leaf, "s": values},
        {"s": "sensitive"},
        hierarchies={"leaf": Levels(rows=ROWS)},
        number={"type": "integer"},
    )
    labels = np.minimum(np.arange(len(rows)) // size, max(len(rows) // size - 1, 0)).astype(np.int64)
    classes = int(labels.max()) + 1
    conditions = state_conditions(table, [KAnonymity(k=2), *guarantees])
    if not classes_satisfy(conditions, labels, classes).all():
        labels, classes = np.zeros(len(rows), dtype=np.int64), 1
        if not classes_satisfy(conditions, labels, classes).all():
            return
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    before, given_labels, given_matrix = loss_of_classes(space, matrix, labels, classes), labels.copy(), matrix.copy()
    fresh, count = recut(space, conditions, matrix, labels, classes, turn)
    assert loss_of_classes(space, matrix, fresh, count) <= before + 1e-9
    assert sorted(set(fresh.tolist())) == list(range(count))
    assert classes_satisfy(conditions, fresh, count).all()
    assert (labels == given_labels).all()
    assert (matrix == given_matrix).all()
