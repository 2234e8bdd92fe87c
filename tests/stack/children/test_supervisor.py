"""The supervisor, with real processes."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stack.children import supervisor as module
from stack.children.hearing import Hearing
from stack.children.processes import NotReady, lives, wait_until
from stack.children.supervisor import Child, Supervisor
from tests.patience import patience

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """A supervisor that leaves nothing behind."""
    made = Supervisor()
    yield made
    made.stop()


def child(folder: Path, name: str, script: str | None = None) -> Child:
    command = [sys.executable, "-c", script] if script else SLEEPER
    return Child(name, command, dict(os.environ), folder / f"{name}.log", folder, farewell=((signal.SIGTERM, 5.0),))


def eventually(happened: Callable[[], bool]) -> None:
    wait_until(happened, "the expected", alive=lambda: True, patience=patience())


def test_a_child_that_dies_is_started_again_and_its_log_is_shown(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.1)
    watched = child(tmp_path, "worker", "import time; print('last words', flush=True); time.sleep(600)")
    supervisor.start(watched)
    eventually(lambda: "last words" in watched.log.read_text())
    former = watched.pid
    os.kill(former, signal.SIGKILL)
    eventually(lambda: not watched.alive())

    def revived() -> bool:
        supervisor.look()
        return watched.alive()

    eventually(revived)
    assert watched.pid != former
    said = capsys.readouterr().err
    assert "worker DIED" in said
    assert "exit code -9" in said
    assert "last words" in said
    assert "worker runs again" in said


BEATS = "import pathlib, time\nwhile True: pathlib.Path('beat').touch(); time.sleep(0.05)"


def test_a_child_that_lives_and_does_nothing_is_replaced(
    supervisor: Supervisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = child(tmp_path, "worker", BEATS)
    watched.hearing = Hearing(tmp_path / "beat", 2.0)
    supervisor.start(watched)
    eventually((tmp_path / "beat").exists)
    former = watched.pid
    for _ in range(30):
        supervisor.look()
        time.sleep(0.1)
    assert watched.pid == former
    os.kill(former, signal.SIGSTOP)

    def replaced() -> bool:
        supervisor.look()
        return watched.pid != former and watched.alive() and (tmp_path / "beat").exists()

    eventually(replaced)
    assert not _runs(former)
    assert "worker DIED and starts again in 1 s: it runs and does nothing" in capsys.readouterr().err


def test_the_pause_doubles_while_a_child_keeps_dying(
    supervisor: Supervisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = child(tmp_path, "worker", "raise SystemExit(3)")
    supervisor.start(watched)

    def died_twice() -> bool:
        supervisor.look()
        return "starts again in 2 s: exit code 3" in said()

    heard: list[str] = []

    def said() -> str:
        heard.append(capsys.readouterr().err)
        return "".join(heard)

    eventually(died_twice)
    assert "starts again in 1 s: exit code 3" in said()


def test_children_are_stopped_in_reverse_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    supervisor = Supervisor()
    children = [child(tmp_path, name) for name in ("first", "second", "third")]
    for each in children:
        supervisor.start(each)
    numbers = [each.pid for each in children]
    supervisor.stop()
    said = capsys.readouterr().err
    assert said.index("stopping third") < said.index("stopping second") < said.index("stopping first")
    assert not any(lives(number) for number in numbers)


def test_a_grandchild_is_ended_with_its_parent(supervisor: Supervisor, tmp_path: Path) -> None:
    script = (
        "import subprocess, sys, time\n"
        "made = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(made.pid, flush=True); time.sleep(600)"
    )
    watched = child(tmp_path, "worker", script)
    supervisor.start(watched)
    eventually(lambda: watched.log.read_text().endswith("\n"))
    grandchild = int(watched.log.read_text())
    os.kill(watched.pid, signal.SIGKILL)
    eventually(lambda: not watched.alive())
    watched.restart()
    eventually(lambda: not _runs(grandchild))
    watched.stop()


def test_a_child_that_ignores_the_farewell_is_killed(tmp_path: Path) -> None:
    script = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    )
    stubborn = child(tmp_path, "worker", script)
    stubborn.farewell = ((signal.SIGTERM, 0.2),)
    stubborn.restart()
    eventually(lambda: "deaf" in stubborn.log.read_text())
    number = stubborn.pid
    stubborn.stop()
    assert not lives(number)


def test_waiting_ends_at_the_deadline_and_at_a_death() -> None:
    with pytest.raises(NotReady, match="the thing was not ready after 0 s"):
        wait_until(lambda: False, "the thing", alive=lambda: True, patience=0.05)
    with pytest.raises(NotReady, match="the thing ended before it was ready"):
        wait_until(lambda: False, "the thing", alive=lambda: False)


def test_waiting_is_loud(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 6))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(NotReady):
        wait_until(lambda: False, "PostgreSQL", alive=lambda: True, patience=60)
    assert "still waiting for PostgreSQL (12 s of at most 60 s)" in capsys.readouterr().err


def _runs(process: int) -> bool:
    """A killed grandchild may wait for its new parent to take note: that is not running."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return lives(process) and not Path("/proc").exists()
