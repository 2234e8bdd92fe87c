"""Joint releases: what holds in each release may break in their intersection."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.joint import EarlierRelease, joint_finding


def release(classes: list[int]) -> EarlierRelease:
    return EarlierRelease(np.arange(len(classes)), np.array(classes))


def policy(k: int, diversity: int | None = None) -> dict:
    guarantees = [{"model": "k_anonymity", "k": k}]
    if diversity:
        guarantees.append({"model": "l_diversity", "variant": "distinct", "l": diversity, "attribute": "s"})
    return {"guarantees": guarantees}


def test_two_releases_of_k_two_can_single_out_everybody():
    finding = joint_finding(policy(2), [release([0, 0, 1, 1]), release([0, 1, 0, 1])], 4, {})
    assert not finding.holds
    assert finding.achieved == {"k": 1}
    assert finding.evidence == "bytes+sealed_map"


def test_a_release_with_the_same_classes_gives_nothing_away():
    finding = joint_finding(policy(2), [release([0, 0, 1, 1]), release([5, 5, 3, 3])], 4, {})
    assert finding.holds
    assert finding.achieved == {"k": 2}


def test_absence_from_an_earlier_release_tells_records_apart():
    earlier = EarlierRelease(np.array([0, 1, 2]), np.array([0, 0, 0]))
    assert not joint_finding(policy(2), [earlier, release([0, 0, 0, 0])], 4, {}).holds


def test_a_record_that_only_the_newest_release_leaves_out_is_their_difference():
    newest = EarlierRelease(np.array([0, 1, 2, 3]), np.array([0, 0, 0, 0]))
    finding = joint_finding(policy(2), [release([0, 0, 0, 0, 0]), newest], 5, {})
    assert finding.achieved == {"k": 1}
    assert not finding.holds


def test_the_intersection_must_stay_diverse():
    sensitive = {"s": np.array([0, 0, 1, 1, 0, 0, 1, 1])}
    first, second = release([0, 0, 0, 0, 1, 1, 1, 1]), release([0, 0, 1, 1, 0, 0, 1, 1])
    finding = joint_finding(policy(2, 2), [first, second], 8, sensitive)
    assert not finding.holds
    assert finding.achieved == {"k": 2, "l": 1}


def test_the_intersection_must_keep_the_variant_of_the_policy():
    sensitive = {"s": np.array([0, 0, 0, 1])}
    entropy = {"model": "l_diversity", "variant": "entropy", "l": 2, "attribute": "s"}
    finding = joint_finding({"guarantees": [entropy]}, [release([0] * 4), release([1] * 4)], 4, sensitive)
    assert not finding.holds
    assert 1 < finding.achieved["l"] < 2


def test_nothing_is_claimed_when_a_map_is_gone():
    assert not joint_finding(policy(2), [], None, {}).holds


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_the_joint_check_equals_a_brute_force_intersection(data):
    n = data.draw(st.integers(1, 30))
    count = data.draw(st.integers(1, 3))
    releases, members = [], []
    for _ in range(count):
        present = data.draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
        classes = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        records = np.array([row for row in range(n) if present[row]])
        releases.append(EarlierRelease(records, np.array([classes[row] for row in records])))
        members.append([classes[row] if present[row] else None for row in range(n)])
    seen = [row for row in range(n) if any(m[row] is not None for m in members)]
    smallest = min(sum(all(m[row] == m[other] for m in members) for other in seen) for row in seen)
    k = data.draw(st.integers(2, 5))
    finding = joint_finding(policy(k), releases, n, {})
    assert finding.achieved == {"k": smallest}
    assert finding.holds == (smallest >= k)


def test_k_counts_people_where_the_policy_names_a_privacy_unit():
    releases = [release([0, 0, 0, 0]), release([0, 0, 1, 1])]
    by_person = {**policy(2), "privacy_unit": "person"}
    assert joint_finding(by_person, releases, 4, {}, np.array([1, 2, 1, 2])).holds
    found = joint_finding(by_person, releases, 4, {}, np.array([1, 1, 2, 3]))
    assert not found.holds
    assert found.achieved == {"k": 1}


def test_people_are_not_counted_without_knowing_whose_rows_are():
    found = joint_finding({**policy(2), "privacy_unit": "person"}, [release([0, 0, 0])], 3, {})
    assert not found.holds
    assert found.achieved == {}


def test_only_people_of_some_release_are_counted():
    earlier = EarlierRelease(np.array([1, 2]), np.array([0, 0]))
    by_person = {**policy(2), "privacy_unit": "person"}
    assert not joint_finding(by_person, [earlier], 4, {}, np.array([1, 5, 5, 2])).holds
    assert joint_finding(by_person, [earlier], 4, {}, np.array([5, 5, 6, 6])).holds
