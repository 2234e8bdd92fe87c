"""Joint releases: a property of each release may fail in their intersection."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.together import judge_releases, judge_versions, promise
from verifier.joint import versions as checks
from verifier.joint.joint import ASSUMES, EarlierRelease, joint_findings, lost_map
from verifier.joint.promises import Promise, Values
from verifier.joint.versions import UNTOLD, Version


def release(classes: list[int]) -> EarlierRelease:
    return EarlierRelease(np.arange(len(classes)), np.array(classes))


def policy(k: int, diversity: int | None = None) -> dict:
    guarantees = [{"model": "k_anonymity", "k": k}]
    if diversity:
        guarantees.append({"model": "l_diversity", "variant": "distinct", "l": diversity, "attribute": "s"})
    return {"guarantees": guarantees}


def test_two_releases_of_k_two_can_single_out_everybody():
    finding = judge_releases(policy(2), [release([0, 0, 1, 1]), release([0, 1, 0, 1])], 4, {})
    assert ASSUMES == (
        "the attacker holds every release of this table and knows the quasi-identifiers, and does not reason from how "
        "the method decides (minimality attack)"
    )
    assert {each.assumes for each in finding.findings} == {ASSUMES}
    assert not finding.holds
    assert finding.achieved == {"k": 1}
    assert {each.evidence for each in finding.findings} == {"bytes+sealed_map"}


def test_a_release_with_the_same_classes_gives_nothing_away():
    finding = judge_releases(policy(2), [release([0, 0, 1, 1]), release([5, 5, 3, 3])], 4, {})
    assert finding.holds
    assert finding.achieved == {"k": 2}


def test_absence_from_an_earlier_release_tells_records_apart():
    earlier = EarlierRelease(np.array([0, 1, 2]), np.array([0, 0, 0]))
    assert not judge_releases(policy(2), [earlier, release([0, 0, 0, 0])], 4, {}).holds


def test_a_record_that_only_the_newest_release_leaves_out_is_their_difference():
    newest = EarlierRelease(np.array([0, 1, 2, 3]), np.array([0, 0, 0, 0]))
    finding = judge_releases(policy(2), [release([0, 0, 0, 0, 0]), newest], 5, {})
    assert finding.achieved == {"k": 1}
    assert not finding.holds


def test_the_intersection_must_stay_diverse():
    sensitive = {"s": np.array([0, 0, 1, 1, 0, 0, 1, 1])}
    first, second = release([0, 0, 0, 0, 1, 1, 1, 1]), release([0, 0, 1, 1, 0, 0, 1, 1])
    finding = judge_releases(policy(2, 2), [first, second], 8, sensitive)
    assert not finding.holds
    assert finding.achieved == {"k": 2, "l": 1}


@pytest.mark.parametrize(("other", "reached"), [("HIV ", 1), ("hiv", 1), ("flu", 2)])
def test_the_intersection_is_diverse_by_values_and_not_by_spellings(other, reached):
    values = {"s": Values(np.array([0, 1, 0, 1]), ["HIV", other])}
    promised = Promise(policy(2, 2), values)
    found = joint_findings([promised, promised], [release([0, 0, 0, 0]), release([0, 0, 1, 1])], 4)
    assert [each.achieved["l"] for each in found if "l" in each.achieved] == [reached]
    assert all(each.holds for each in found) == (reached == 2)


def test_the_intersection_must_keep_the_variant_of_the_policy():
    sensitive = {"s": np.array([0, 0, 0, 1])}
    entropy = {"model": "l_diversity", "variant": "entropy", "l": 2, "attribute": "s"}
    finding = judge_releases({"guarantees": [entropy]}, [release([0] * 4), release([1] * 4)], 4, sensitive)
    assert not finding.holds
    assert 1 < finding.achieved["l"] < 2


def test_nothing_is_claimed_when_a_map_is_gone():
    (finding,) = lost_map([promise(policy(3))])
    assert (finding.required, finding.achieved, finding.holds) == ({"k": 3}, {}, False)
    assert finding.detail == "the map of an earlier release is gone, so nothing can be verified"


@settings(deadline=None, max_examples=3 * settings().max_examples)
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
    finding = judge_releases(policy(k), releases, n, {})
    assert finding.achieved == {"k": smallest}
    assert finding.holds == (smallest >= k)


def test_k_counts_people_where_the_policy_names_a_privacy_unit():
    releases = [release([0, 0, 0, 0]), release([0, 0, 1, 1])]
    by_person = {**policy(2), "privacy_unit": "person"}
    assert judge_releases(by_person, releases, 4, {}, np.array([1, 2, 1, 2])).holds
    found = judge_releases(by_person, releases, 4, {}, np.array([1, 1, 2, 3]))
    assert not found.holds
    assert found.achieved == {"k": 1}


def test_people_are_not_counted_without_knowing_whose_rows_are():
    found = judge_releases({**policy(2), "privacy_unit": "person"}, [release([0, 0, 0])], 3, {})
    assert not found.holds
    assert found.achieved == {}


def test_only_people_of_some_release_are_counted():
    earlier = EarlierRelease(np.array([1, 2]), np.array([0, 0]))
    by_person = {**policy(2), "privacy_unit": "person"}
    assert not judge_releases(by_person, [earlier], 4, {}, np.array([1, 5, 5, 2])).holds
    assert judge_releases(by_person, [earlier], 4, {}, np.array([5, 5, 6, 6])).holds


# --- versions --------------------------------------------------------------------------------------------------------


def version(persons: list[int], classes: list[int], values: list[int] | None = None) -> Version:
    return Version([release(classes)], np.array(persons), {} if values is None else {"s": np.array(values)})


def judged(*versions: Version, k: int = 2, diversity: int | None = None):
    return judge_versions(policy(k, diversity), versions, nobody=-1)


def test_the_same_classes_in_two_versions_give_nobody_away():
    finding = judged(version([1, 2, 3, 4], [0, 0, 1, 1]), version([4, 3, 2, 1], [5, 5, 7, 7]))
    assert (finding.holds, finding.achieved, finding.detail) == (True, {"k": 2}, "")
    assert {each.evidence for each in finding.findings} == {"bytes+sealed_map"}
    assert finding.findings[0].assumes == (
        "the attacker holds every release of all versions of this table, and knows the quasi-identifiers of one record "
        "of a person in each version, and in which versions there is none, and does not reason from how the method "
        "decides (minimality attack)"
    )


def test_other_classes_in_another_version_single_people_out():
    finding = judged(version([1, 2, 3, 4], [0, 0, 1, 1]), version([1, 3, 2, 4], [0, 0, 1, 1]))
    assert (finding.holds, finding.achieved) == (False, {"k": 1})
    assert finding.detail == "the versions together break k"


def test_a_person_who_comes_alone_into_a_class_of_known_people_is_known():
    """The new version's class has three people, two of whom are known from the old one."""
    finding = judged(version([1, 2], [0, 0]), version([1, 2, 3], [0, 0, 0]))
    assert (finding.holds, finding.achieved) == (False, {"k": 1})


def test_a_person_who_leaves_alone_is_known():
    finding = judged(version([1, 2, 3], [0, 0, 0]), version([1, 2], [0, 0]))
    assert (finding.holds, finding.achieved) == (False, {"k": 1})


def test_two_may_come_and_two_may_leave_together():
    finding = judged(version([1, 2, 3, 4], [0] * 4), version([3, 4, 5, 6], [0] * 4))
    assert (finding.holds, finding.achieved) == (True, {"k": 2})


def test_what_newcomers_have_must_be_diverse_by_itself():
    """Four of six people are known to have flu or cold, so the two others have what is left."""
    old = version([1, 2, 3, 4], [0] * 4, [0, 1, 0, 1])
    new = version([1, 2, 3, 4, 5, 6], [0] * 6, [0, 1, 0, 1, 2, 2])
    finding = judged(old, new, diversity=2)
    assert (finding.holds, finding.achieved) == (False, {"k": 2, "l": 1})
    assert finding.detail == "the versions together break l"
    assert judged(old, version([1, 2, 3, 4, 5, 6], [0] * 6, [0, 1, 0, 1, 2, 1]), diversity=2).holds


def test_a_value_that_alone_is_in_both_versions_is_told_by_them():
    """A class of flu and cold, then one of flu and cancer: anyone who had the same twice had flu."""
    old, new = version([1, 2], [0, 0], [0, 1]), version([1, 2], [0, 0], [0, 2])
    finding = judged(old, new, diversity=2)
    assert (finding.holds, finding.achieved) == (False, {"k": 2, "l": 1})
    assert judged(old, version([1, 2], [0, 0], [0, 1]), diversity=2).holds
    assert judged(old, version([1, 2], [0, 0], [2, 3]), diversity=2).holds


def test_what_two_people_share_and_keep_is_one_value():
    old, new = version([1, 2, 3], [0] * 3, [0, 0, 1]), version([1, 2, 3], [0] * 3, [0, 0, 2])
    assert judged(old, new, diversity=2).achieved == {"k": 3, "l": 1}


def test_what_lasts_is_the_same_in_all_versions_in_which_a_person_is():
    first, second = version([1, 2], [0, 0], [0, 1]), version([1, 2], [0, 0], [0, 1])
    assert judged(first, second, version([1, 2], [0, 0], [0, 2]), diversity=2).achieved == {"k": 2, "l": 1}
    others = version([7, 8], [0, 0], [0, 1])
    second = version([1, 2, 7, 8], [0, 0, 1, 1], [0, 1, 0, 1])
    third = version([1, 2, 7, 8], [0, 0, 1, 1], [0, 2, 0, 1])
    assert judged(others, second, third, diversity=2).achieved == {"k": 2, "l": 1}


def test_a_version_that_does_not_show_the_attribute_tells_nothing_of_it():
    shows, silent = version([1, 2], [0, 0], [0, 1]), version([1, 2], [0, 0])
    assert judged(silent, shows, diversity=2).achieved == {"k": 2, "l": 2}
    assert judged(shows, silent, diversity=2).achieved == {"k": 2, "l": 2}
    four = version([1, 2, 3, 4], [0] * 4, [0, 0, 1, 1])
    assert judged(four, version([1, 2, 3, 4], [0, 0, 1, 1]), diversity=2).achieved == {"k": 2, "l": 1}


def test_an_attribute_that_no_version_shows_is_diverse_in_none():
    for silent in (version([1, 2], [0, 0]), version([1, 2], [0, 0], [UNTOLD] * 2)):
        finding = judged(silent, silent, diversity=2)
        assert (finding.holds, finding.achieved) == (False, {"k": 2})
        assert finding.detail == "nothing is known of the attribute"


def test_a_value_that_no_release_shows_is_not_counted():
    old = version([1, 2, 3], [0, 0, 0], [0, 1, UNTOLD])
    new = version([1, 2, 3], [0, 0, 0], [0, 1, 1])
    assert judged(old, new, diversity=2).achieved == {"k": 3, "l": 2}
    silent = version([1, 2, 3], [0, 0, 0], [UNTOLD] * 3)
    assert judged(silent, new, diversity=2).achieved == {"k": 3, "l": 2}
    hidden = version([1, 2, 3], [0, 0, 0], [0, UNTOLD, 0])
    assert judged(hidden, new, diversity=2).achieved == {"k": 3, "l": 1}


def test_rows_of_one_person_are_one_and_each_of_them_may_be_known():
    many = version([1, 1, 1, 2, 2], [0, 0, 1, 0, 1])
    assert judged(many, version([1, 2], [0, 0])).achieved == {"k": 2}
    alone = version([1, 1, 1, 2, 2], [0, 0, 1, 0, 0])
    assert judged(alone, version([1, 2], [0, 0])).achieved == {"k": 1}


def test_versions_without_a_common_person_cannot_be_judged():
    """Their identifiers may have been written in another way."""
    finding = judged(version([1, 2], [0, 0]), version([3, 4], [0, 0]))
    assert (finding.holds, finding.achieved) == (False, {})
    assert finding.detail == "two versions have no person in common, so people cannot be matched"
    assert "all versions" in finding.findings[0].assumes
    nameless = judged(version([1, 2, -1], [0, 0, 0]), version([3, 4, -1], [0, 0, 0]))
    assert "no person in common" in nameless.detail
    assert judged(version([1, 2, -1], [0, 0, 0]), version([1, 2, -1], [0, 0, 0]), k=3).holds


def test_releases_of_one_version_are_intersected_record_by_record():
    twice = Version([release([0, 0, 0, 0]), release([0, 1, 1, 0])], np.array([1, 2, 1, 2]), {})
    assert judged(twice, version([1, 2], [0, 0])).achieved == {"k": 2}
    apart = Version([release([0, 0, 1, 1]), release([0, 1, 0, 1])], np.array([1, 2, 1, 2]), {})
    assert judged(apart, version([1, 2], [0, 0])).achieved == {"k": 1}


def test_a_version_of_which_some_records_were_never_released_judges_the_others():
    some = Version([EarlierRelease(np.array([0, 2]), np.array([0, 0]))], np.array([1, 9, 2]), {})
    assert judged(some, version([1, 2], [0, 0])).achieved == {"k": 2}


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch):
    scattered = version([1, 1, 1, 2, 2, 2], [0, 1, 2, 0, 1, 2])
    assert judged(scattered, scattered).achieved == {"k": 2}
    monkeypatch.setattr(checks, "_MOST_PLACES", 17)
    finding = judged(scattered, scattered)
    assert (finding.holds, finding.achieved) == (False, {})
    assert finding.detail == "people are in too many classes to check every combination"
    assert "all versions" in finding.findings[0].assumes
    monkeypatch.setattr(checks, "_MOST_PLACES", 18)
    assert judged(scattered, scattered).holds


@settings(deadline=None, max_examples=2 * settings().max_examples)
@given(st.data())
def test_the_check_of_versions_equals_a_search_person_by_person(data):
    def draw() -> list[tuple[int, int]]:
        return data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12))

    tables = [draw() for _ in range(data.draw(st.integers(2, 3)))]
    people = [{person for person, _ in rows} for rows in tables]
    finding = judged(*(version(*map(list, zip(*rows, strict=True))) for rows in tables))
    if any(not people[-1] & other for other in people[:-1]):
        assert finding.achieved == {}
        return
    cells: dict[tuple[object, ...], set[int]] = {}
    for person in set().union(*people):
        stands = [{class_ for own, class_ in rows if own == person} or {None} for rows in tables]
        for cell in itertools.product(*stands):
            cells.setdefault(cell, set()).add(person)
    assert finding.achieved == {"k": min(map(len, cells.values()))}
