"""The tests that are run repeatedly are those that draw at random."""

from bench.chance import ROOT, drawing


def test_those_that_draw_by_chance_are_run_again_and_others_are_not() -> None:
    found = drawing((ROOT / "docs" / "chance.md").read_text())
    assert {"tests/antifaz/test_noise.py", "tests/gate/test_chances.py"} <= set(found)
    # Only ids vary there, and nothing can fail randomly.
    assert not {"tests/workers/process/test_sweeper.py", "tests/service/http/test_pace.py"} & set(found)
    assert all((ROOT / file).is_file() for file in found)
