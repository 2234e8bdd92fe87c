"""t-Closeness: its three distances, against a linear program, and as a condition of the cut."""

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.optimize import linprog

from antifaz.errors import InvalidPolicy
from antifaz.hierarchies.levels import Levels
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.classes.rules import classes_satisfy, state_conditions
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched

TREE = Levels(
    rows=[["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"], ["d", "high", "*"], ["e", "odd", "*"]],
)
METHODS = [Mondrian(), Mondrian(effort="fast"), Mondrian(cut="range"), Mondrian(cut="range", mode="relaxed")]


def table_with(table_of, values, quasi=None, hierarchy=None):
    columns = {"q": list(quasi or ["1"] * len(values)), "s": list(values)}
    return table_of(columns, {"s": "sensitive"}, {"s": hierarchy} if hierarchy else None)


def transport(first, second, costs):
    """The earth mover's distance as the linear program that defines it."""
    size = len(first)
    rows = np.kron(np.eye(size), np.ones(size))
    columns = np.kron(np.ones(size), np.eye(size))
    answer = linprog(costs.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([first, second]))
    return answer.fun


def costs_of(distance, values):
    places = np.arange(len(values))
    if distance == "equal":
        return (places[:, None] != places[None, :]).astype(float)
    if distance == "ordered":
        return np.abs(places[:, None] - places[None, :]) / max(len(values) - 1, 1)
    group = {row[0]: row[1] for row in TREE.rows}
    same = np.array([[group[x] == group[y] for y in values] for x in values])
    return np.where(places[:, None] == places[None, :], 0.0, np.where(same, 0.5, 1.0))


def judge(table, labels, t, distance):
    conditions = state_conditions(table, [TCloseness(t=t, distance=distance, attribute="s")])
    return classes_satisfy(conditions, labels, int(labels.max()) + 1)


def test_the_published_example(table_of):
    # Li et al.: nine salaries 3k…11k; {3k, 4k, 5k} is 0.375 away by ranks, {6k, 8k, 11k} only 0.167.
    salaries = [f"{value}000" for value in range(3, 12)]
    for members, distance in (((0, 1, 2), 0.375), ((3, 5, 8), 1 / 6)):
        labels = np.ones(9, dtype=np.int64)
        labels[list(members)] = 0
        table = table_with(table_of, salaries)
        assert judge(table, labels, distance + 1e-9, "ordered")[0]
        assert not judge(table, labels, distance - 1e-9, "ordered")[0]


def test_numbers_may_be_codes_without_an_order(table_of):
    table = table_with(table_of, ["1", "2", "3", "4"])
    labels = np.array([0, 0, 1, 1])
    # Half of the probability is moved: by one of three ranks on average two apart, or at full cost.
    assert judge(table, labels, 0.33334, "ordered").all()
    assert not judge(table, labels, 0.33, "ordered").any()
    assert judge(table, labels, 0.5, "equal").all()
    assert not judge(table, labels, 0.49, "equal").any()


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_agrees_with_the_linear_program(table_of, distance):
    rng = np.random.default_rng(4)
    for _ in range(40):
        cells = rng.choice(list("abcde"), rng.integers(4, 14))
        labels = np.unique(rng.integers(0, 3, len(cells)), return_inverse=True)[1]
        table = table_with(table_of, cells, hierarchy=TREE)
        codes, values = table.attributes[1].column.codes, table.attributes[1].column.values
        whole = np.bincount(codes, minlength=len(values)) / len(codes)
        for number in range(labels.max() + 1):
            inside = codes[labels == number]
            part = np.bincount(inside, minlength=len(values)) / len(inside)
            expected = transport(part, whole, costs_of(distance, values))
            assert judge(table, labels, max(expected, 0) + 1e-7, distance)[number]
            if expected > 1e-6:
                assert not judge(table, labels, expected - 1e-7, distance)[number]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_is_a_condition_of_the_cut(table_of, method, distance):
    rng = np.random.default_rng(6)
    cells = rng.choice(list("abcde"), 400, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    table = table_with(table_of, cells, [str(value) for value in rng.integers(0, 80, 400)], TREE)
    wanted = [KAnonymity(k=3), TCloseness(t=0.2, distance=distance, attribute="s")]
    released = method.apply(table, wanted, rng, unwatched)
    numbers, classes = released_classes(released)
    assert classes > 1
    assert judge(table, numbers[np.argsort(released.records)], 0.2, distance).all()


def test_the_policy_states_the_distance():
    with pytest.raises(ValidationError):
        TCloseness(t=0.2, attribute="s")


@pytest.mark.parametrize("t", [0, -0.1, 1.1, float("nan")])
def test_t_is_a_share(t):
    with pytest.raises(ValidationError):
        TCloseness(t=t, distance="equal", attribute="s")


def test_needs_a_sensitive_attribute_and_for_a_hierarchy_one(table_of):
    table = table_with(table_of, "ab")
    TCloseness(t=0.1, distance="ordered", attribute="s").admit(table)
    for attribute, distance, pointer in (("q", "equal", "/attribute"), ("s", "hierarchical", "/distance")):
        with pytest.raises(InvalidPolicy) as caught:
            TCloseness(t=0.1, distance=distance, attribute=attribute).admit(table)
        assert caught.value.pointer == pointer


def test_a_constant_column_is_close_to_itself(table_of):
    table = table_with(table_of, ["7", "7", "7"])
    for distance in ("equal", "ordered"):
        assert judge(table, np.array([0, 0, 1]), 0.01, distance).all()
