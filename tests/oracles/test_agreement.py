"""The verifier against brute force, directly from the definitions, on random small releases as bytes."""

import pytest

from antifaz import catalogue
from tests.oracles.contests import CONTESTS, JOINT, compete

ALL = [*CONTESTS, *JOINT]
COSTLY = {"l_diversity entropy", "t_closeness equal", "t_closeness ordered", "t_closeness hierarchical"} | {
    "beta_likeness enhanced",
    "delta_presence",
    "k_neighborhood_anonymity",
    "k_neighborhood_anonymity wider",
    "k_neighborhood_anonymity labeled",
    "k_neighborhood_anonymity of circles",
    "kl_anonymity indices",
    "kl_anonymity neighbors",
}
"""Contests whose definition takes most of the time."""
WITHOUT_NEIGHBORS = {*JOINT, "k_anonymity in bounds"} | {name for name in CONTESTS if name.endswith("in bad form")}


def test_every_guarantee_of_the_catalogue_has_its_contest() -> None:
    guarantees = {part.wire_name() for part in catalogue.parts("guarantees")}
    assert guarantees == {name.split()[0] for name in CONTESTS}


@pytest.mark.parametrize("name", ALL)
def test_verdict_and_figures_are_those_of_the_definition(name: str) -> None:
    agree(name, 40 if name in COSTLY else 120, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_verdict_and_figures_are_those_of_the_definition_on_thousands(name: str) -> None:
    agree(name, 3000, seed=2)


def agree(name: str, releases: int, seed: int) -> None:
    """No disagreement, and both verdicts occurred: otherwise the comparison could not have failed."""
    outcome = compete(name, releases, seed)
    assert not outcome.disagreement, f"release {outcome.releases}: {outcome.disagreement}"
    assert outcome.releases == releases
    assert 0.1 <= outcome.accepted / releases <= 0.9
    if name not in WITHOUT_NEIGHBORS:
        assert outcome.broken >= releases // 50
