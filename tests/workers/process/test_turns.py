"""If several processes need a kernel at the same time, one compiles it; a dead process blocks no other."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.patience import patience

COMPILE = """
import sys
from antifaz.kernels.graphs.moves import accept_within
from workers.process.turns import take_turns
from workers.process import turns
turns._LONGEST_WAIT = float(sys.argv[1]) if sys.argv[1:] else turns._LONGEST_WAIT
take_turns()
stats = accept_within.compile().stats
print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))
"""
HOLD = """
import time
from antifaz.kernels.numba import compiled
from workers.process.turns import take_turns
take_turns()
with compiled.taking_turns("antifaz.kernels.graphs.moves.accept_within"):
    print("held", flush=True)
    time.sleep(3600)
"""


def start(code: str, cache: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_compile_a_kernel_once(tmp_path):
    both = [start(COMPILE, tmp_path / "cache") for _ in range(2)]
    assert sorted(process.communicate(timeout=patience())[0].split() for process in both) == [["0", "1"], ["1", "0"]]


def test_a_killed_process_gives_its_turn_back(tmp_path):
    holder = start(HOLD, tmp_path / "cache")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waiting = start(COMPILE, tmp_path / "cache")
    holder.send_signal(signal.SIGKILL)
    holder.wait(patience())
    assert waiting.communicate(timeout=patience())[0].split() == ["1", "0"]
    holder.stdout.close()


def test_a_stopped_process_holds_up_no_other_for_ever(tmp_path):
    """The kernel is compiled twice; both write the same file atomically."""
    holder = start(HOLD, tmp_path / "cache")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGSTOP)
    waiting = start(COMPILE, tmp_path / "cache", "1")
    assert waiting.communicate(timeout=patience())[0].split() == ["1", "0"]
    holder.kill()
    holder.wait(patience())
    holder.stdout.close()
