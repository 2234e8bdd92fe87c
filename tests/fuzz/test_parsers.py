"""Every parser, briefly; `python -m tests.fuzz.parsers` runs one for any time."""

from pathlib import Path

import pytest

from tests.fuzz import parsers
from tests.fuzz.parsers import TARGETS, Target, Watched, fire_by_hypothesis, main


@pytest.mark.parametrize("name", TARGETS)
def test_reads_or_refuses_whatever_comes(name: str) -> None:
    fire_by_hypothesis(TARGETS[name], 30)


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_reads_or_refuses_a_great_many(name: str) -> None:
    fire_by_hypothesis(TARGETS[name], 3_000)


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_are_accepted(name: str) -> None:
    assert all(TARGETS[name].fire(seed) for seed in TARGETS[name].seeds)


def test_an_error_that_is_no_refusal_gets_out() -> None:
    broken = Target(lambda content: {}[len(content)], (ValueError,), (b"seed",))
    with pytest.raises(KeyError):
        fire_by_hypothesis(broken, 10)


def test_findings_are_kept_once_with_their_bytes(tmp_path: Path) -> None:
    watched = Watched(Target(lambda content: {}[len(content)], (ValueError,), ()), tmp_path)
    for content in (b"one", b"two"):
        watched.fire(content)
    assert [path.read_bytes() for path in tmp_path.glob("*.bin")] == [b"one"]
    assert [path.read_text().startswith("KeyError at test_parsers.py:") for path in tmp_path.glob("*.txt")] == [True]


def test_a_slow_answer_and_one_that_takes_much_memory_are_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsers, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(parsers, "LARGE_KILOBYTES", -1)
    watched = Watched(Target(lambda content: sum(range(100_000)), (), ()), tmp_path)
    for content in (b"one", b"two"):
        watched.fire(content)
    assert watched.seen == {"slow", "large"}


@pytest.mark.parametrize("broken", [False, True])
def test_the_command_says_what_it_fired_and_fails_with_findings(
    broken: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    if broken:
        monkeypatch.setitem(TARGETS, "number", Target(lambda content: {}[len(content)], (), (b"seed",)))
    assert main(["number", "--seconds", "1", "--keep", str(tmp_path)]) == int(broken)
    said = capsys.readouterr().out
    assert f"{int(broken)} findings" in said
    assert ("KeyError" in said) is broken


@pytest.mark.long
def test_the_command_is_guided_by_coverage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("atheris")
    assert main(["csv", "--seconds", "10", "--keep", str(tmp_path)]) == 0
    assert "guided by coverage" in capsys.readouterr().out
