"""Space: kernels measure exactly the loss of the labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.hierarchies.levels import Levels
from antifaz.kernels.tables.class_moves import loss_of_classes, move_records
from antifaz.tables.classes.rules import state_conditions
from antifaz.tables.labels import space as module
from antifaz.tables.labels.recode import Classes, release_classes
from antifaz.tables.labels.space import build_space, losses_by_class

ROWS = [["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"], ["d", "high", "*"], ["e", "high", "*"]]
records = st.lists(
    st.tuples(
        st.sampled_from(["", "1", "4", "9"]), st.sampled_from("uvwxyz"), st.sampled_from("abcde"), st.integers(0, 2)
    ),
    min_size=1,
    max_size=30,
)


@settings(deadline=None, max_examples=80)
@given(records)
def test_the_loss_of_a_division_is_that_of_its_labels(table_of, rows):
    number, word, leaf, labels = zip(*rows, strict=True)
    table = table_of(
        {"number": number, "word": word, "leaf": leaf},
        hierarchies={"leaf": Levels(rows=ROWS)},
        number={"type": "integer"},
    )
    classes = np.unique(labels, return_inverse=True)[1]
    count = int(classes.max()) + 1
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    released = release_classes(table, classes, count)
    lost = sum(float(column.losses[column.codes].sum()) for column in released.columns)
    assert loss_of_classes(space, matrix, classes, count) == pytest.approx(lost)


@settings(deadline=None, max_examples=80)
@given(records, st.sampled_from([0, 256]), st.booleans())
def test_the_losses_of_classes_add_up_to_that_of_the_division(table_of, rows, listed, many):
    """Also if losses are not listed, and if sets have more values than a word has bits."""
    number, word, leaf, labels = zip(*rows, strict=True)
    words = [f"{letter}{place}" for place in range(80) for letter in word[:1]] if many else []
    table = table_of(
        {
            "number": [*number, *number[:1] * len(words)],
            "word": [*word, *words],
            "leaf": [*leaf, *leaf[:1] * len(words)],
        },
        hierarchies={"leaf": Levels(rows=ROWS)},
        number={"type": "integer"},
    )
    classes = np.unique([*labels, *[labels[0]] * len(words)], return_inverse=True)[1]
    count = int(classes.max()) + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST_TABLE", listed)
        space, matrix = build_space(table.quasi_identifiers, sets=True)
    sorted_ = Classes.of(classes, count)
    losses = losses_by_class(space, matrix, sorted_.order, sorted_.bounds)
    released = release_classes(table, classes, count)
    lost = np.zeros(count)
    for column in released.columns:
        lost += np.bincount(classes, weights=column.losses[column.codes], minlength=count)
    assert losses.sum() == pytest.approx(loss_of_classes(space, matrix, classes, count))
    assert lost.sum() == pytest.approx(losses.sum())


def test_masks_of_many_values_have_several_words(table_of):
    cells = [f"v{value:03d}" for value in range(130)]
    table = table_of({"a": cells, "b": ["x", "y"] * 65})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    assert space.words[-1] == 4
    everyone = np.zeros(130, dtype=np.int64)
    assert loss_of_classes(space, matrix, everyone, 1) == pytest.approx(2 * 130)
    pairs = np.arange(130) // 2
    assert loss_of_classes(space, matrix, pairs, 65) == pytest.approx(130 * (2 / 130 + 1))


def test_text_with_very_many_values_is_an_interval(table_of):
    table = table_of({"a": [f"v{value:04d}" for value in range(1100)]})
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    assert len(space.scales) == 1
    assert loss_of_classes(space, matrix, np.arange(1100) // 2, 550) == pytest.approx(2)


@settings(deadline=None, max_examples=60)
@given(records, st.integers(1, 3))
def test_moving_records_never_costs_more_and_keeps_every_class_large_enough(table_of, rows, least):
    number, word, leaf, labels = zip(*rows, strict=True)
    table = table_of(
        {"number": number, "word": word, "leaf": leaf},
        hierarchies={"leaf": Levels(rows=ROWS)},
        number={"type": "integer"},
    )
    classes = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    before = Classes.of(classes, int(classes.max()) + 1)
    sizes = np.diff(before.bounds)
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    cost = loss_of_classes(space, matrix, classes, len(sizes))
    moved = classes.copy()
    conditions = state_conditions(table, [])._replace(least=least)
    received, half = np.zeros(len(sizes), dtype=np.bool_), len(sizes) // 2
    count = sum(
        move_records(space, conditions, matrix, moved, before.order, before.bounds, 9, 99, received, *slice_)
        for slice_ in ((0, half), (half, len(sizes)))
    )
    assert np.count_nonzero(moved != classes) == count
    assert loss_of_classes(space, matrix, moved, len(sizes)) <= cost + 1e-9
    assert np.all(np.bincount(moved, minlength=len(sizes)) >= np.minimum(sizes, least))
