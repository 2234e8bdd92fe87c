"""No policy without a waiver releases more than half of its records or nodes unchanged and alone.

A search that climbs towards bad releases draws gates, guarantees, kinds and invented parameters. Its seeds are fixed:
it gives the same result every time.
"""

import pytest

from tests.gate.combinations import Search, search


def assert_nothing_found(found: Search, policies: int) -> None:
    assert found.tried == policies
    # Both ends were reached, and the rules that are tested here refused some: otherwise nothing was tried.
    assert found.released > policies / 20
    assert sum(count for rules, count in found.refused.items() if "no_guarantee" in rules or "naive" in rules) > 0
    assert found.worst <= 0.5, found.worst_policy


def test_no_policy_of_a_short_search_releases_its_original() -> None:
    assert_nothing_found(search(40, seed=1), 40)


def test_no_noise_on_edges_releases_most_nodes_unchanged_at_any_epsilon() -> None:
    assert_nothing_found(search(40, seed=2, model="edge_local_dp"), 40)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_no_policy_of_a_long_search_releases_its_original(seed: int) -> None:
    found = search(600, seed=100 + seed)
    print(found.tried, found.invalid, found.released, found.worst, dict(found.refused.most_common()))
    assert_nothing_found(found, 600)
