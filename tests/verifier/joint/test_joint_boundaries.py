"""Edge cases of repeated releases."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.verifier.boundary_samples import whole
from tests.verifier.together import judge_releases
from verifier.joint.joint import EarlierRelease
from verifier.people.sensitive import levels_of

# --- repeated releases -----------------------------------------------------------------------------------------------


def release(records: Sequence[int], classes: Sequence[int]) -> EarlierRelease:
    return EarlierRelease(whole(*records), whole(*classes))


K2 = {"guarantees": [{"model": "k_anonymity", "k": 2}]}
TOGETHER = (
    "the attacker holds every release of this table and knows the quasi-identifiers, and does not reason from how the "
    "method decides (minimality attack)"
)


def test_a_joint_finding_says_what_was_asked_and_what_is_left() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    found = judge_releases(K2, [halves, halves], 4, {})
    (finding,) = found.findings
    assert (finding.model, finding.required, finding.achieved) == ("joint_releases", {"k": 2}, {"k": 2})
    assert (finding.holds, finding.evidence, finding.assumes, finding.detail) == (
        True,
        "bytes+sealed_map",
        TOGETHER,
        "",
    )
    found = judge_releases(K2, [halves, release([0, 1, 2, 3], [0, 1, 0, 1])], 4, {})
    assert (found.achieved, found.holds, found.detail) == ({"k": 1}, False, "the releases together break k")


def test_without_a_k_of_its_own_a_joint_release_needs_two() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    assert judge_releases({}, [halves, halves], 4, {}).findings[0].required == {"k": 2}
    assert judge_releases({"guarantees": []}, [halves, halves], 4, {}).holds
    strictest = {"guarantees": [{"model": "k_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}]}
    found = judge_releases(strictest, [halves, halves], 4, {})
    assert (found.findings[0].required, found.holds) == ({"k": 3}, False)


def test_many_classes_in_many_releases_stay_apart() -> None:
    """Pairs of records share every class of three releases; the classes are numbered differently in each."""
    pairs = [number // 2 for number in range(12)]
    releases = [
        release(range(12), pairs),
        release(range(12), [5 - pair for pair in pairs]),
        release(range(12), [pair * pair % 7 for pair in pairs]),
    ]
    assert judge_releases(K2, releases, 12, {}).achieved == {"k": 2}
    split = release(range(12), [*pairs[:-1], 0])
    assert judge_releases(K2, [*releases, split], 12, {}).achieved == {"k": 1}


def test_absence_from_one_release_is_not_taken_for_a_class_of_another() -> None:
    all_four, first_two = release([0, 1, 2, 3], [0, 0, 1, 1]), release([0, 1], [0, 0])
    assert judge_releases(K2, [all_four, first_two], 4, {}).achieved == {"k": 2}
    assert judge_releases(K2, [first_two, all_four], 4, {}).achieved == {"k": 2}


def test_joint_releases_count_people_where_the_policy_does() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    policy = {**K2, "privacy_unit": "person"}
    assert judge_releases(policy, [halves], 4, {}, whole(1, 2, 3, 4)).achieved == {"k": 2}
    assert judge_releases(policy, [halves], 4, {}, whole(1, 1, 3, 4)).achieved == {"k": 1}
    lost = judge_releases(policy, [halves], 4, {})
    assert (lost.holds, lost.achieved) == (False, {})
    assert lost.detail == "there is no sealed map that says which rows belong to one person"


def diversity(variant: dict[str, Any], codes: Sequence[int], n: int = 4) -> Any:
    policy = {"guarantees": [{"model": "l_diversity", "attribute": "s", **variant}]}
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    return judge_releases(policy, [halves, halves], n, {"s": np.array(codes)})


@pytest.mark.parametrize(("variant", "reached"), [({"variant": "distinct"}, 2), ({"variant": "entropy"}, 2), ({}, 2)])
def test_joint_diversity_of_every_variant(variant: dict[str, Any], reached: float) -> None:
    found = diversity({**variant, "l": 2}, [0, 1, 2, 0])
    required = {"promise": "l_diversity", "variant": "distinct", "attribute": "s", **variant, "l": 2}
    assert [finding.required for finding in found.findings] == [{"k": 2}, required]
    assert (found.achieved, found.holds) == ({"k": 2, "l": reached}, True)
    found = diversity({**variant, "l": 2}, [0, 1, 0, 0])
    assert (found.achieved, found.holds, found.detail) == ({"k": 2, "l": 1}, False, "the releases together break l")


def test_joint_recursive_diversity_takes_the_ratio_of_the_policy() -> None:
    assert diversity({"variant": "recursive", "c": 1.5, "l": 2}, [0, 1, 0, 1]).holds
    found = diversity({"variant": "recursive", "c": 1, "l": 2}, [0, 1, 0, 1])
    assert (found.achieved["l"], found.holds) == (1, False)


def test_joint_diversity_needs_the_attribute_and_tells_the_least() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    stated = [
        {"model": "l_diversity", "attribute": "s", "l": 2},
        {"model": "l_diversity", "attribute": "t", "l": 1},
    ]
    found = judge_releases({"guarantees": stated}, [halves, halves], 4, {"s": whole(0, 1, 0, 1)})
    assert (found.holds, found.detail) == (False, "nothing is known of the attribute")
    assert [finding.holds for finding in found.findings] == [True, True, False]
    both = {"s": whole(0, 1, 0, 1), "t": whole(0, 0, 0, 1)}
    found = judge_releases({"guarantees": stated}, [halves, halves], 4, both)
    assert (found.achieved["l"], found.holds) == (1, True)
    turned = judge_releases({"guarantees": stated[::-1]}, [halves, halves], 4, both)
    assert (turned.achieved["l"], turned.holds) == (1, True)
    assert [finding.achieved for finding in turned.findings[1:]] == [
        {"l": 1, "attribute": "t"},
        {"l": 2, "attribute": "s"},
    ]
    assert len(judge_releases({"guarantees": stated * 2}, [halves], 4, both).findings) == 3


def test_records_that_no_release_shows_are_nobodys_business() -> None:
    halves = release([0, 1, 4, 5], [0, 0, 1, 1])
    assert judge_releases(K2, [halves, halves], 6, {}).achieved == {"k": 2}
    policy = {"guarantees": [{"model": "l_diversity", "attribute": "s", "l": 2}]}
    found = judge_releases(policy, [halves, halves], 6, {"s": whole(0, 1, 9, 9, 0, 1)})
    assert (found.achieved, found.holds) == ({"k": 2, "l": 2}, True)


def test_breaking_both_is_told_in_one_sentence_each() -> None:
    policy = {"guarantees": [*K2["guarantees"], {"model": "l_diversity", "attribute": "s", "l": 2}]}
    alone = release([0, 1], [0, 1])
    found = judge_releases(policy, [alone], 2, {"s": whole(0, 1)})
    assert found.detail == "the releases together break k; the releases together break l"


def test_a_missing_value_hangs_where_the_hierarchy_says() -> None:
    rows = [["a", "x", "*"], ["", "x", "*"], ["b", "y", "*"]]
    assert levels_of(["a", "", "b"], rows) == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
