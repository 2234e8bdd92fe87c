"""Promises of several releases: each is judged by its own measure, and a promise without one is refused."""

from typing import Any

import numpy as np
import pytest

from tests.verifier.together import Together, promise
from verifier.joint.joint import EarlierRelease, joint_findings
from verifier.joint.promises import Promise, Values
from verifier.joint.versions import Version, joint_findings_of_versions

ONE = EarlierRelease(np.arange(4), np.zeros(4, dtype=np.int64))
HALVES = EarlierRelease(np.arange(4), np.array([0, 0, 1, 1]))
K2 = {"model": "k_anonymity", "k": 2}


def stated(*guarantees: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"guarantees": list(guarantees), **more}


def judged(first: Promise, second: Promise, *releases: EarlierRelease) -> Together:
    return Together(joint_findings([first, second], releases or (ONE, HALVES), 4))


def about(model: str, **parameters: Any) -> dict[str, Any]:
    return {"model": model, "attribute": "s", **parameters}


APART, ALIKE = {"s": [0, 0, 1, 1]}, {"s": [0, 1, 0, 1]}
MODELS = {
    "l": (about("l_diversity", l=2), 1, 2),
    "alpha": (about("alpha_k", alpha=0.5, k=2), 1.0, 0.5),
    "t": (about("t_closeness", t=0.2, distance="equal"), 0.5, 0.0),
    "beta": (about("beta_likeness", beta=0.5), 1.0, 0.0),
}


@pytest.mark.parametrize("newest", [True, False], ids=["newest", "earlier"])
@pytest.mark.parametrize("figure", MODELS)
def test_a_promise_of_any_release_holds_in_the_intersection_or_is_broken(figure: str, newest: bool) -> None:
    guarantee, broken, kept = MODELS[figure]
    for sensitive, reached, detail in ((APART, broken, f"the releases together break {figure}"), (ALIKE, kept, "")):
        made, silent = promise(stated(guarantee), sensitive), promise(stated(K2))
        found = judged(silent, made) if newest else judged(made, silent)
        assert (found.holds, found.detail, found.achieved[figure]) == (not detail, detail, reached)


def test_the_largest_k_of_any_model_counts() -> None:
    for guarantee in (about("alpha_k", alpha=1, k=3), {"model": "k_map", "k": 3, "population": "p"}):
        found = judged(promise(stated({**guarantee}), APART), promise(stated(K2)))
        assert (found.findings[0].required, found.findings[0].achieved) == ({"k": 3}, {"k": 2})
        assert not found.holds


def test_rows_and_people_are_counted_each_for_their_own_promise() -> None:
    by_person = promise(stated(K2, privacy_unit="person"), units=[0, 0, 1, 2])
    rows = promise(stated({"model": "k_anonymity", "k": 3}))
    found = judged(by_person, rows, ONE, ONE).findings
    assert [(f.required, f.achieved, f.holds) for f in found] == [
        ({"k": 3}, {"k": 4}, True),
        ({"k": 2}, {"k": 3}, True),
    ]
    found = judged(by_person, promise(stated()), ONE, HALVES).findings
    assert [(f.required, f.achieved, f.holds) for f in found] == [
        ({"k": 2}, {"k": 2}, True),
        ({"k": 2}, {"k": 1}, False),
    ]


@pytest.mark.parametrize("model", ["delta_presence", "something_new"])
def test_a_promise_without_a_joint_measure_is_refused(model: str) -> None:
    guarantee = {"model": model, "maximum": 0.5}
    for found in (
        judged(promise(stated(guarantee)), promise(stated(K2)), ONE, ONE),
        judged(promise(stated(K2)), promise(stated(guarantee)), ONE, ONE),
        judged(promise(stated(guarantee)), promise(stated(guarantee)), ONE, ONE),
    ):
        assert [f.required for f in found.findings] == [{"k": 2}, {"promise": model, "maximum": 0.5}]
        assert (found.findings[1].achieved, found.holds) == ({}, False)
        assert found.detail == f"{model} cannot be judged over several releases"


def test_a_promise_by_mechanism_is_not_one_about_classes() -> None:
    found = judged(promise(stated({"model": "local_differential_privacy", "epsilon": 1})), promise(stated()), ONE, ONE)
    assert (found.holds, len(found.findings)) == (True, 1)


@pytest.mark.parametrize("place", [0, 1])
def test_values_that_any_release_shows_changed_are_not_judged(place: int) -> None:
    releases = [ONE, ONE]
    releases[place] = EarlierRelease(ONE.records, ONE.classes, frozenset("s"))
    found = judged(promise(stated(MODELS["l"][0]), ALIKE), promise(stated()), *releases)
    assert (found.holds, found.achieved) == (False, {"k": 4})
    assert found.detail == "a release shows other values of the attribute than the original has"
    releases[place] = EarlierRelease(ONE.records, ONE.classes, frozenset("t"))
    assert judged(promise(stated(MODELS["l"][0]), ALIKE), promise(stated()), *releases).holds


def test_ranks_count_the_values_that_somebody_can_see() -> None:
    """Of the grades 1 to 5 the releases show 1 and 5 alone, which are as far apart as can be."""
    values = {"s": Values(np.array([0, 0, 4, 4, 1, 2]), ["1", "2", "3", "4", "5"])}
    ranked = Promise(stated(about("t_closeness", t=0.4, distance="ordered")), values)
    found = Together(joint_findings([ranked, ranked], [ONE, HALVES], 6))
    assert (found.achieved["t"], found.holds) == (0.5, False)


def test_two_orders_of_one_attribute_are_two_promises() -> None:
    guarantee = about("t_closeness", t=0.2, distance="ordered")
    values = {"s": Values(np.array([0, 1, 1, 2]), ["a", "b", "c"])}
    orders = [stated(guarantee, attributes={"s": {"order": list(order)}}) for order in ("abc", "bac", "abc")]
    found = joint_findings([Promise(order, values) for order in orders], [ONE, HALVES], 4)
    assert [f.achieved["t"] for f in found[1:]] == [0.25, 0.125]
    assert [f.holds for f in found[1:]] == [False, True]


@pytest.mark.parametrize(
    ("guarantee", "detail"),
    [
        (about("l_diversity", l=2, variant="other"), "no verifier of this variant"),
        (about("l_diversity", l=2, variant="recursive"), "c is not a number"),
        (about("l_diversity", l="many"), "l is not a number"),
        (about("beta_likeness", beta=1, variant="other"), "no verifier of this variant"),
        (about("t_closeness", t=1, distance="other"), "no verifier of this distance"),
        (about("t_closeness", t=1, distance="hierarchical"), "there is no hierarchy of the attribute"),
        ({**about("alpha_k", alpha=1, k=2), "attribute": "t"}, "nothing is known of the attribute"),
    ],
)
def test_what_cannot_be_measured_does_not_hold(guarantee: dict[str, Any], detail: str) -> None:
    found = judged(promise(stated(guarantee), ALIKE), promise(stated()), ONE, ONE)
    assert (found.holds, found.detail) == (False, detail)


# --- versions --------------------------------------------------------------------------------------------------------


def version(values: list[int], changed: frozenset[str] = frozenset()) -> Version:
    classes = EarlierRelease(np.arange(4), np.zeros(4, dtype=np.int64), changed)
    return Version([classes], np.arange(1, 5), {"s": np.array(values)})


def between(guarantee: dict[str, Any], *versions: Version) -> Together:
    promises = [Promise(stated(guarantee)), Promise(stated())]
    return Together(joint_findings_of_versions(promises, versions, nobody=0))


def test_between_versions_what_did_not_change_keeps_every_promise() -> None:
    """Both versions have every value twice; of what is the same in both, three of four are one value."""
    first, second = version([0, 0, 1, 1]), version([0, 0, 1, 0])
    found = between(about("alpha_k", alpha=0.7, k=2), first, second)
    assert (found.achieved, found.detail) == ({"k": 4, "alpha": 0.75}, "the versions together break alpha")
    assert between(about("alpha_k", alpha=0.75, k=2), first, second).holds
    assert between(about("t_closeness", t=0.1, distance="equal"), first, second).achieved == {"k": 4, "t": 0.0}


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_between_versions_distances_of_values_are_not_judged(distance: str) -> None:
    found = between(about("t_closeness", t=1, distance=distance), version([0, 1, 0, 1]), version([0, 1, 0, 1]))
    assert (found.holds, found.detail) == (False, "distances between values cannot be judged over several versions")


def test_between_versions_changed_values_and_presence_are_not_judged() -> None:
    plain = version([0, 1, 0, 1])
    found = between(about("l_diversity", l=1), version([0, 1, 0, 1], frozenset("s")), plain)
    assert found.detail == "a release shows other values of the attribute than the original has"
    found = between({"model": "delta_presence", "maximum": 1}, plain, plain)
    assert found.detail == "delta_presence cannot be judged over several releases"
