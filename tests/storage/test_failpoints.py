"""Failpoints: inactive unless armed, and then at exactly one place."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage import failpoints
from storage.failpoints import FailpointReached, reach
from storage.settings import Settings
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
from storage.failpoints import reach
reach('other')
print('before', flush=True)
reach('here')
print('after')
"""


@pytest.fixture
def failpoint(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    chosen = Settings(failpoint=request.param)
    monkeypatch.setattr(failpoints, "settings", lambda: chosen)


@pytest.mark.usefixtures("failpoint")
@pytest.mark.parametrize("failpoint", [None], indirect=True)
def test_does_nothing_when_unset() -> None:
    reach("here")


@pytest.mark.usefixtures("failpoint")
@pytest.mark.parametrize("failpoint", ["here:raise"], indirect=True)
def test_raises_at_its_place_alone() -> None:
    reach("there")
    with pytest.raises(FailpointReached):
        reach("here")


@pytest.mark.usefixtures("failpoint")
@pytest.mark.parametrize("failpoint", ["here:sleep=0.05"], indirect=True)
def test_sleeps() -> None:
    began = time.monotonic()
    reach("here")
    assert time.monotonic() - began >= 0.05


@pytest.mark.usefixtures("failpoint")
@pytest.mark.parametrize("failpoint", ["here:explode", "here"], indirect=True)
def test_an_unknown_action_is_loud() -> None:
    with pytest.raises(ValueError, match="action"):
        reach("here")


def start(action: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "ANTIFAZ_FAILPOINT": f"here:{action}"}
    return subprocess.Popen([sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, stdout=subprocess.PIPE)


def test_kills_the_process() -> None:
    process = start("kill")
    output, _ = process.communicate(timeout=patience())
    assert (output, process.returncode) == (b"before\n", -signal.SIGKILL)


def test_stops_the_process_until_it_is_continued() -> None:
    process = start("stop")
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    process.send_signal(signal.SIGCONT)
    output, _ = process.communicate(timeout=patience())
    assert (output, process.returncode) == (b"before\nafter\n", 0)


def test_a_failpoint_in_a_file_acts_once_and_says_who_acted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    armed = tmp_path / "failpoint"
    chosen = Settings(failpoint=f"@{armed}")
    monkeypatch.setattr(failpoints, "settings", lambda: chosen)
    reach("here")
    armed.write_text("here:raise")
    reach("there")
    assert armed.exists()
    with pytest.raises(FailpointReached):
        reach("here")
    assert [file.name for file in tmp_path.iterdir()] == [f"failpoint.{os.getpid()}"]
    reach("here")
