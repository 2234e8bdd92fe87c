"""Optimal: the true optimum by exhaustion, published figures on Adult, minimal nodes, large lattices."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.hierarchies.levels import Levels
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.methods import optimal
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.methods.optimal import Optimal
from antifaz.tables.utility.ncp import Ncp
from antifaz.watch import unwatched
from tests import datasets


def protect(table, method, *guarantees, watch=unwatched):
    return method.apply(table, guarantees, np.random.default_rng(1), watch)


def loss_of(table, released):
    return Ncp().measure(table, released, np.random.default_rng(1), unwatched)["value"]


def test_the_cheapest_levels_win(table_of, rows_of):
    # One level up on the first attribute loses 2/4 of its domain, on the second all of it.
    table = table_of({"a": ["11", "12", "21", "22"], "b": ["x", "x", "y", "y"]})
    released = protect(table, Optimal(), KAnonymity(k=2))
    assert rows_of(released) == [("10", "x"), ("10", "x"), ("20", "y"), ("20", "y")]
    assert released.account["levels"] == {"a": 1, "b": 0}
    assert released.account["exact"] is True


def test_precision_counts_levels_and_not_leaves(table_of):
    columns = {"a": ["1", "1", "1", "2"], "b": ["1111", "1112", "1113", "1114"]}
    by_leaves = protect(table_of(columns), Optimal(), KAnonymity(k=4)).account["levels"]
    by_height = protect(table_of(columns), Optimal(measure="precision"), KAnonymity(k=4)).account["levels"]
    assert by_leaves["a"] == by_height["a"] == 1
    assert by_height["b"] == 1


def candidates(table):
    tops = [3] * len(table.quasi_identifiers)
    for levels in itertools.product(*(range(top + 1) for top in tops)):
        yield dict(zip([attribute.name for attribute in table.quasi_identifiers], levels, strict=True))


def exhaust(table, guarantees, allowed):
    """The least loss over every choice of levels, each made with other methods."""
    best = np.inf
    for levels in candidates(table):
        whole = protect(table, Generalize(levels=levels))
        numbers, _ = released_classes(whole)
        kept = np.ones(table.n, dtype=bool)
        sensitive = table.attribute("s").column.codes
        for number in set(numbers.tolist()):
            members = numbers == number
            short = members.sum() < guarantees[0].k
            if len(guarantees) > 1:
                shares = np.bincount(sensitive[members]) / members.sum()
                entropy = -sum(share * np.log(share) for share in shares if share)
                short |= entropy < np.log(guarantees[1].l) - 1e-9
            if short:
                kept &= ~members
        left_out = int((~kept).sum())
        if left_out <= allowed and kept.any():
            lost = [column.losses[column.codes[kept]].sum() for column in whole.columns if column.losses is not None]
            best = min(best, (sum(lost) + left_out * len(lost)) / (table.n * len(lost)))
    return best


LETTERS = Levels(rows=[["p", "P", "A"], ["q", "P", "A"], ["r", "R", "A"], ["t", "T", "B"]])
NUMBERS = Levels(rows=[["1", "1-2", "1-4"], ["2", "1-2", "1-4"], ["3", "3-4", "1-4"], ["9", "9", "9+"]])


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from("pqrt"), st.sampled_from("1239"), st.sampled_from("xyz")), min_size=4, max_size=25
    ),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.booleans(),
)
def test_no_choice_of_levels_loses_less(table_of, rows, k, suppression, diverse):
    columns = dict(zip(["a", "b", "s"], zip(*rows, strict=True), strict=True))
    table = table_of(columns, {"s": "sensitive"}, {"a": LETTERS, "b": NUMBERS}, b={"type": "text"})
    guarantees = [KAnonymity(k=k)]
    if diverse:
        guarantees.append(LDiversity(variant="entropy", l=2, attribute="s"))
    expected = exhaust(table, guarantees, int(suppression * table.n))
    try:
        released = protect(table, Optimal(suppression=suppression), *guarantees)
    except Infeasible:
        assert expected == np.inf or protect_as_one(table, guarantees)
        return
    assert loss_of(table, released) == pytest.approx(expected)


def protect_as_one(table, guarantees):
    """Whether all records as one class fall short, which is refused before any are left out."""
    try:
        protect(table, Generalize(levels={"a": "top", "b": "top"}), *guarantees)
    except Infeasible:
        return True
    return False


def test_incognito_lists_every_minimal_choice(table_of):
    # Pairs agree once the second attribute is gone and the first one's units are, or once the first one is gone.
    table = table_of({"a": ["11", "12", "21", "22"], "b": ["1", "2", "1", "2"]})
    released = protect(table, Optimal(search="incognito"), KAnonymity(k=2))
    assert released.account["minimal_levels"] == [[1, 1], [2, 0]]
    for levels in released.account["minimal_levels"]:
        chosen = dict(zip(["a", "b"], levels, strict=True))
        assert len(protect(table, Generalize(levels=chosen), KAnonymity(k=2)).records) == 4
        for name in ("a", "b"):
            if chosen[name]:
                with pytest.raises(Infeasible):
                    protect(table, Generalize(levels={**chosen, name: chosen[name] - 1}), KAnonymity(k=2))


def test_a_lattice_that_is_too_large_to_list_is_searched_from_the_top(table_of, monkeypatch):
    table = table_of({"a": ["11", "12", "21", "22"], "b": ["x", "x", "y", "y"]})
    monkeypatch.setattr(optimal, "LARGEST_LATTICE", 1)
    released = protect(table, Optimal(), KAnonymity(k=2))
    assert released.account["levels"] == {"a": 1, "b": 0}
    assert released.account["exact"] is True
    hurried = protect(table, Optimal(looks=2), KAnonymity(k=2))
    assert hurried.account["exact"] is False
    assert class_sizes(*released_classes(hurried)).min() >= 2


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.sampled_from(["11", "12", "21", "22", "31"])] * 3), min_size=2, max_size=25),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.2]),
    st.integers(1, 6),
)
def test_the_bound_of_a_search_that_was_not_exact_is_never_above_the_optimum(table_of, rows, k, share, looks):
    columns = {name: [row[index] for row in rows] for index, name in enumerate("abc")}
    table = table_of(columns)
    try:
        best = protect(table, Optimal(suppression=share), KAnonymity(k=k))
    except Infeasible:
        return
    assert best.account["bound"] == best.account["loss"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal, "LARGEST_LATTICE", 1)
        hurried = protect(table, Optimal(suppression=share, looks=looks), KAnonymity(k=k))
    assert hurried.account["bound"] <= best.account["loss"] + 1e-12
    assert hurried.account["loss"] >= best.account["loss"] - 1e-12


def test_two_attributes_that_cannot_both_stay_bound_the_loss(table_of, monkeypatch):
    # Either attribute may stay if the other is hidden, so one level of one of them is lost at least.
    cells = [f"{tens}{ones}" for tens in "12" for ones in "12"]
    table = table_of({"a": [a for a in cells for _ in cells], "b": cells * 4})
    monkeypatch.setattr(optimal, "LARGEST_LATTICE", 1)
    released = protect(table, Optimal(looks=1), KAnonymity(k=2))
    assert released.account["bound"] == pytest.approx(0.25)


@pytest.mark.parametrize("search", ["best", "incognito"])
def test_says_so_when_time_is_up(table_of, search):
    table = table_of({"a": ["11", "12", "21", "22"], "b": ["x", "x", "y", "y"]})
    released = protect(table, Optimal(search=search), KAnonymity(k=2), watch=lambda fraction: fraction < 0.9)
    assert released.account["exact"] is False
    assert released.account["stopped_early"] is True
    assert class_sizes(*released_classes(released)).min() >= 2


@pytest.fixture(scope="module")
def adult(table_of):
    columns = datasets.adult()
    return table_of(columns, hierarchies={name: Levels(rows=datasets.adult_hierarchy(name)) for name in columns})


@pytest.mark.parametrize(("k", "loss"), [(2, 0.6127), (5, 0.6502), (10, 0.6502), (50, 0.6502), (100, 0.7042)])
def test_adult_without_suppression_reaches_the_known_optimum(adult, k, loss):
    released = protect(adult, Optimal(), KAnonymity(k=k))
    assert loss_of(adult, released) == pytest.approx(loss, abs=5e-5)
    assert released.account["exact"] is True
    assert released.account["lattice"] == 12960


def test_adult_with_suppression_beats_every_smaller_allowance(adult):
    losses = [loss_of(adult, protect(adult, Optimal(suppression=share), KAnonymity(k=5))) for share in (0, 0.04, 0.1)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.2602


def record(looks):
    return lambda done: bool(looks.append(done))


@pytest.mark.parametrize("search", ["best", "incognito"])
def test_every_evaluation_is_preceded_by_a_look_at_the_watch(table_of, search, monkeypatch):
    rng = np.random.default_rng(5)
    table = table_of({name: rng.integers(10, 99, 60).astype(str) for name in "abcd"})
    for largest in (optimal.LARGEST_LATTICE, 1):
        monkeypatch.setattr(optimal, "LARGEST_LATTICE", largest)
        looks = []
        released = protect(table, Optimal(search=search), KAnonymity(k=3), watch=record(looks))
        assert len(looks) > released.account["looks"] > 4
        assert looks == sorted(looks)
