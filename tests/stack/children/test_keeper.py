"""The keeper, with real processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stack.children.processes import lives
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[3]
BEATS = """
import os, pathlib, time
beat = pathlib.Path(os.environ["ANTIFAZ_BEAT_FILE"])
beat.touch()  # before anybody can stop it: until the first sign a start may take long
print(os.getpid(), flush=True)
while True:
    beat.touch()
    time.sleep(0.05)
"""


def kept(script: str, seconds: float) -> "subprocess.Popen[str]":
    environment = os.environ | {"ANTIFAZ_CONSUMER_SECONDS": str(seconds / 2)}
    command = [sys.executable, "-m", "stack.children.keeper", sys.executable, "-c", script]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def number_of(keeper: "subprocess.Popen[str]") -> int:
    assert keeper.stdout is not None
    return int(keeper.stdout.readline())


def test_a_command_that_is_stopped_ends_with_its_keeper() -> None:
    keeper = kept(BEATS, 2.0)
    child = number_of(keeper)
    os.kill(child, signal.SIGSTOP)
    assert keeper.wait(patience()) == os.EX_TEMPFAIL
    assert not lives(child)


def test_a_command_that_beats_is_left_alone_and_ended_by_a_signal() -> None:
    keeper = kept(BEATS, 2.0)
    child = number_of(keeper)
    with pytest.raises(subprocess.TimeoutExpired):
        keeper.wait(4.0)
    keeper.terminate()
    assert keeper.wait(patience()) == 128 + signal.SIGTERM
    assert not lives(child)


def test_the_code_of_a_command_is_its_keepers() -> None:
    keeper = kept("import os; print(os.getpid(), flush=True); raise SystemExit(3)", 60.0)
    number_of(keeper)
    assert keeper.wait(patience()) == 3
