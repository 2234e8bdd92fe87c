"""The contests notice a verifier with a mistake in it."""

from pathlib import Path

import pytest

from tests.oracles.joint_mutants import JOINT_MUTANTS
from tests.oracles.mutants import MUTANTS, Mutant, applies, survives

RELEASES = 3000
ALL = [*MUTANTS, *JOINT_MUTANTS]


def test_every_mutant_is_a_change_of_the_verifier_as_it_is() -> None:
    """Whoever rewrites a line of the verifier rewrites its mutants."""
    assert [each.name for each in ALL if not applies(each)] == []
    assert len({each.name for each in ALL}) == len(ALL)


def test_a_mutant_is_killed_and_the_verifier_is_not(tmp_path: Path) -> None:
    (tmp_path / "mutant").mkdir()
    (tmp_path / "verifier").mkdir()
    assert not survives(MUTANTS[0], tmp_path / "mutant", 100)
    assert survives(None, tmp_path / "verifier", 20).startswith("k_anonymity: 20 releases")


@pytest.mark.long
@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_no_mutant_survives(each: Mutant, tmp_path: Path) -> None:
    assert not survives(each, tmp_path, RELEASES)
