"""Repeated releases keep every promise that was ever made in their lineage.

240 people whose disease follows from age and region. Neither release shows both, and in each one by itself every
class has five or six diseases; anyone who holds both knows everyone's disease.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from storage.datasets import datasets, hierarchies
from storage.jobs import jobs
from storage.releases import releases
from tests.workers.conftest import Steward

Disease = Callable[[int, int, int], int]

HIDDEN = {"role": "identifier"}
SHOWN = {"role": "quasi_identifier", "type": "text"}
K20: dict[str, Any] = {"model": "k_anonymity", "k": 20}
ALPHA = {"model": "alpha_k", "alpha": 0.2, "k": 20, "attribute": "disease"}
T = {"model": "t_closeness", "t": 0.2, "distance": "equal", "attribute": "disease"}
BETA = {"model": "beta_likeness", "beta": 0.25, "attribute": "disease"}
L5 = {"model": "l_diversity", "variant": "distinct", "l": 5, "attribute": "disease"}
DISEASES = ("asthma", "bronchitis", "cancer", "diabetes", "eczema", "flu")


def people(ages: int, regions: int, each: int, disease: Disease) -> bytes:
    """As many of either sex for every age and region."""
    lines = ["name,age,sex,region,disease"]
    for age in range(ages):
        for region in range(regions):
            for sex in "FM":
                for number in range(each):
                    sick = DISEASES[disease(age, region, number) % 6]
                    lines.append(f"Person {len(lines)},age {age},{sex},region {region},{sick}")
    return "\n".join([*lines, ""]).encode()


FOLLOWS = people(6, 5, 4, lambda age, region, _: age + region)
"""Everyone's disease follows from age and region."""
INDEPENDENT = people(2, 2, 30, lambda *of: of[2])
"""The nearest table of as many people that may be released twice: every disease is alike everywhere."""


def policy(shown: Sequence[str], *guarantees: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {
            "name": HIDDEN,
            **{name: SHOWN if name in shown else HIDDEN for name in ("age", "sex", "region")},
            "disease": {"role": "sensitive"},
        },
        "guarantees": list(guarantees),
        "method": {"name": "suppress"},
        "report": {"utility": [], "attacks": []},
        **more,
    }


def twice(
    steward: Steward, content: bytes, first: dict[str, Any], second: dict[str, Any]
) -> tuple[datasets.DatasetRecord, jobs.JobRecord]:
    """A dataset that was released by the first policy, and the job of the second."""
    dataset = steward.upload(content)
    job = steward.run(dataset, first)
    assert job.status == "released", job
    return dataset, steward.run(dataset, second)


def broken(job: jobs.JobRecord) -> dict[str, tuple[Any, Any]]:
    """A refusal's entry for each promise: its limit, and the figure that would remain."""
    assert job.status == "refused", job
    assert job.refusal is not None
    assert {reason["rule"] for reason in job.refusal["reasons"]} == {"composition"}
    # The release and the remaining possibilities come after that.
    return {
        reason["detail"].split("; release ")[0]: (reason.get("limit"), reason.get("measured"))
        for reason in job.refusal["reasons"]
    }


def joint_findings(steward: Steward, job: jobs.JobRecord) -> list[dict[str, Any]]:
    return [g for g in steward.report(job).content["guarantees"] if g["model"] == "joint_releases"]


BROKEN = {
    "alpha": ([ALPHA], {"the releases together break k": (20, 4), "the releases together break alpha": (0.2, 1.0)}),
    "t": ([T], {"the releases together break t": (0.2, 0.833334)}),
    "beta": ([BETA], {"the releases together break beta": (0.25, 5.0)}),
    "l": ([L5], {"the releases together break l": (5, 1)}),
    "k": ([K20], {"the releases together break k": (20, 4)}),
}


@pytest.mark.parametrize("case", BROKEN)
def test_two_releases_from_which_every_disease_follows_are_not_both_published(steward: Steward, case: str) -> None:
    guarantees, expected = BROKEN[case]
    first, second = policy(["age", "sex"], *guarantees), policy(["sex", "region"], *guarantees)
    dataset, job = twice(steward, FOLLOWS, first, second)
    assert broken(job) == expected
    assert len(steward.releases_of(dataset)) == 1
    assert [f["holds"] for f in joint_findings(steward, job)].count(False) == len(expected)


@pytest.mark.parametrize("case", BROKEN)
def test_the_same_two_are_published_where_diseases_are_alike_everywhere(steward: Steward, case: str) -> None:
    guarantees, _ = BROKEN[case]
    first, second = policy(["age", "sex"], *guarantees), policy(["sex", "region"], *guarantees)
    _, job = twice(steward, INDEPENDENT, first, second)
    assert job.status == "released", job
    assert all(finding["holds"] for finding in joint_findings(steward, job))


@pytest.mark.parametrize("case", BROKEN)
def test_a_second_release_that_tells_nothing_new_is_published(steward: Steward, case: str) -> None:
    guarantees, _ = BROKEN[case]
    _, job = twice(steward, FOLLOWS, policy(["age", "sex"], *guarantees), policy(["sex"], *guarantees))
    assert job.status == "released", job


@pytest.mark.parametrize("earlier", [ALPHA, T, BETA, L5], ids=lambda guarantee: guarantee["model"])
def test_a_weaker_second_policy_keeps_the_promises_of_the_first(steward: Steward, earlier: dict[str, Any]) -> None:
    """K and another promise, then K(4) alone, which the intersection has."""
    weaker = policy(["sex", "region"], {"model": "k_anonymity", "k": 4})
    dataset, job = twice(steward, FOLLOWS, policy(["age", "sex"], K20, earlier), weaker)
    figure = {"alpha_k": "alpha", "t_closeness": "t", "beta_likeness": "beta", "l_diversity": "l"}[earlier["model"]]
    assert set(broken(job)) == {"the releases together break k", f"the releases together break {figure}"}
    assert broken(job)["the releases together break k"] == (20, 4)
    _, alike = twice(steward, INDEPENDENT, policy(["age", "sex"], K20, earlier), weaker)
    assert alike.status == "released", alike
    assert len(steward.releases_of(dataset)) == 1


def test_the_report_says_of_every_promise_what_was_required_and_what_is_left(steward: Steward) -> None:
    first, second = policy(["age", "sex"], ALPHA, T), policy(["sex", "region"], {"model": "k_anonymity", "k": 4}, BETA)
    _, job = twice(steward, INDEPENDENT, first, second)
    assert job.status == "released", job
    about = {"attribute": "disease"}
    assert [(f["required"], f["achieved"]) for f in joint_findings(steward, job)] == [
        ({"k": 20}, {"k": 30}),
        ({"promise": "alpha_k", "alpha": 0.2, **about}, {"alpha": 0.166667, **about}),
        ({"promise": "t_closeness", "t": 0.2, "distance": "equal", **about}, {"t": 0.0, **about}),
        ({"promise": "beta_likeness", "variant": "basic", "beta": 0.25, **about}, {"beta": 0.0, **about}),
    ]
    assert {f["evidence"] for f in joint_findings(steward, job)} == {"bytes+sealed_map"}


def test_a_withdrawn_release_still_binds(steward: Steward) -> None:
    dataset = steward.upload(FOLLOWS)
    first = steward.released(steward.run(dataset, policy(["age", "sex"], K20, L5)))
    with steward.main.begin() as connection:
        assert releases.withdraw(connection, steward.context.release_key, steward.tenant_id, first.id, "a mistake")
    job = steward.run(dataset, policy(["sex", "region"], {"model": "k_anonymity", "k": 4}))
    assert broken(job)["the releases together break l"] == (5, 1)


def test_a_promise_of_the_first_release_is_kept_by_the_third(steward: Steward) -> None:
    dataset = steward.upload(FOLLOWS)
    assert steward.run(dataset, policy(["age", "sex"], T)).status == "released"
    two = {"model": "k_anonymity", "k": 2}
    assert steward.run(dataset, policy(["sex"], two)).status == "released"
    assert set(broken(steward.run(dataset, policy(["sex", "region"], two)))) == {"the releases together break t"}


@pytest.mark.parametrize("role", ["sensitive", "insensitive", "identifier"])
def test_whatever_the_second_policy_calls_the_column_its_first_promise_counts(steward: Steward, role: str) -> None:
    second = policy(["sex", "region"], {"model": "k_anonymity", "k": 4})
    second["attributes"]["disease"] = {"role": role}
    _, job = twice(steward, FOLLOWS, policy(["age", "sex"], L5), second)
    assert broken(job) == {"the releases together break l": (5, 1)}
    named = role != "identifier"
    assert ("disease" in str(joint_findings(steward, job))) is named


def test_a_plain_column_of_the_first_release_is_held_to_the_promise_of_the_second(steward: Steward) -> None:
    first = policy(["age", "sex"], {"model": "k_anonymity", "k": 4})
    first["attributes"]["disease"] = {"role": "insensitive"}
    _, job = twice(steward, FOLLOWS, first, policy(["sex", "region"], L5))
    assert broken(job) == {"the releases together break l": (5, 1)}


# --- distances between values ----------------------------------------------------------------------------------------

ORGANS = [[name, "lungs" if name in ("asthma", "bronchitis", "flu") else "others", "*"] for name in DISEASES]


def by_distance(steward: Steward, kind: str, content: bytes) -> jobs.JobRecord:
    """A promise by ranks or by a hierarchy, then a policy that knows of neither."""
    first = policy(["age", "sex"], {**T, "distance": "hierarchical" if kind != "ordered" else "ordered"})
    if kind == "ordered":
        first["attributes"]["disease"]["order"] = list(DISEASES[::-1])
    elif kind == "stated":
        first["attributes"]["disease"]["hierarchy"] = {"kind": "levels", "rows": ORGANS}
    else:
        first["attributes"]["disease"]["hierarchy"] = {"id": str(stored_hierarchy(steward))}
    _, job = twice(steward, content, first, policy(["sex", "region"], {"model": "k_anonymity", "k": 4}))
    return job


def stored_hierarchy(steward: Steward) -> UUID:
    blob_id = steward.store(json.dumps({"kind": "levels", "rows": ORGANS}).encode())
    draft = hierarchies.HierarchyDraft(tenant_id=steward.tenant_id, name="organs", kind="levels", blob_id=blob_id)
    with steward.main.begin() as connection:
        return hierarchies.create_hierarchy(connection, steward.context.release_key, draft).id


@pytest.mark.parametrize("kind", ["ordered", "stated", "stored"])
def test_the_order_and_the_hierarchy_of_an_earlier_promise_are_remembered(steward: Steward, kind: str) -> None:
    assert set(broken(by_distance(steward, kind, FOLLOWS))) == {"the releases together break t"}
    assert by_distance(steward, kind, INDEPENDENT).status == "released"


# --- what cannot be judged -------------------------------------------------------------------------------------------

K4 = {"model": "k_anonymity", "k": 4}
L2 = {**L5, "l": 2}
CHANGED = "a release shows other values of the attribute than the original has"
UNJOINED = "earlier releases of this lineage cannot be joined"


def changing(column: str, *guarantees: dict[str, Any]) -> dict[str, Any]:
    """A policy that randomly changes every second value of a column: all of 240 stay with a probability of 2^-240."""
    steps = [{"name": "pram", "attributes": [column], "change": 0.5}, {"name": "suppress"}]
    return policy(["age", "sex"], *guarantees, method={"name": "pipeline", "steps": steps})


@pytest.mark.parametrize("first", [True, False], ids=["changed first", "changed second"])
def test_values_that_a_release_shows_changed_are_not_judged_with_others(steward: Steward, first: bool) -> None:
    """With 20 values in a class of which each changes with a chance of 1/2, that a class is left with one value has a
    chance below 1e-9."""
    as_they_are, changed = policy(["age", "sex"], L2), changing("disease", L2)
    _, job = twice(steward, FOLLOWS, *((changed, as_they_are) if first else (as_they_are, changed)))
    assert broken(job) == {CHANGED: (2, None)}


def test_another_column_may_be_shown_changed(steward: Steward) -> None:
    first, changed = policy(["age", "sex"], L2), changing("region", L2)
    for stated in (first, changed):
        stated["attributes"]["region"] = {"role": "insensitive"}
    _, job = twice(steward, FOLLOWS, first, changed)
    assert job.status == "released", job


@pytest.mark.parametrize("first", [True, False], ids=["made up first", "made up second"])
def test_records_that_were_made_up_cannot_be_followed(steward: Steward, first: bool) -> None:
    waivers = [{"rule": "no_guarantee", "reason": "nobody's records"}]
    made_up = policy(["sex"], method={"name": "synthetic", "model": "marginals"}, waivers=waivers)
    order = (made_up, policy(["sex"], K4)) if first else (policy(["sex"], K4), made_up)
    dataset, job = twice(steward, FOLLOWS, *order)
    assert broken(job) == {UNJOINED: (0, 1)}
    waived = {**order[1], "waivers": [*waivers, {"rule": "composition", "reason": "agreed"}]}
    assert steward.run(dataset, waived).status == "released"


def test_a_column_is_not_shown_as_a_pseudonym_once_it_was_generalized(steward: Steward) -> None:
    second = policy(["sex"], K4)
    second["attributes"]["age"] = {"role": "identifier", "pseudonym": True}
    dataset, job = twice(steward, FOLLOWS, policy(["age", "sex"], K4), second)
    assert broken(job) == {"one release generalizes or hides columns that another publishes unchanged: age": (0, 1)}
    named = policy(["sex"], K4)
    named["attributes"]["name"] = {"role": "identifier", "pseudonym": True}
    assert steward.run(dataset, named).status == "released"
