"""The contests detect a verifier with a bug."""

from pathlib import Path

import pytest

from tests.oracles.graph_mutants import GRAPH_MUTANTS
from tests.oracles.joint_mutants import JOINT_MUTANTS
from tests.oracles.mechanism_mutants import MECHANISM_MUTANTS
from tests.oracles.mutants import Mutant, applies, survives
from tests.oracles.table_mutants import TABLE_MUTANTS

RELEASES = 3000
ALL = [*TABLE_MUTANTS, *MECHANISM_MUTANTS, *GRAPH_MUTANTS, *JOINT_MUTANTS]


def test_every_mutant_is_a_change_of_the_verifier_as_it_is() -> None:
    """If a line of the verifier changes, its mutants must change too."""
    assert [each.name for each in ALL if not applies(each)] == []
    assert len({each.name for each in ALL}) == len(ALL)


def test_a_mutant_is_killed_and_the_verifier_is_not(tmp_path: Path) -> None:
    (tmp_path / "mutant").mkdir()
    (tmp_path / "verifier").mkdir()
    assert not survives(TABLE_MUTANTS[0], tmp_path / "mutant", 100)
    assert survives(None, tmp_path / "verifier", 20).startswith("k_anonymity: 20 releases")


@pytest.mark.long
@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_no_mutant_survives(each: Mutant, tmp_path: Path) -> None:
    assert not survives(each, tmp_path, RELEASES)
