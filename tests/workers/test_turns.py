"""If several processes need a kernel at the same time, one compiles it; a dead process blocks no other."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

COMPILE = """
from antifaz.kernels.graph_moves import accept_within
from workers.turns import take_turns
take_turns()
stats = accept_within.compile().stats
print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))
"""
HOLD = """
import time
from antifaz.kernels import compiled
from workers.turns import take_turns
take_turns()
with compiled.taking_turns("antifaz.kernels.graph_moves.accept_within"):
    print("held", flush=True)
    time.sleep(3600)
"""


def start(code: str, cache: Path) -> "subprocess.Popen[str]":
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)


def test_two_processes_compile_a_kernel_once(tmp_path):
    both = [start(COMPILE, tmp_path / "cache") for _ in range(2)]
    assert sorted(process.communicate(timeout=PATIENCE)[0].split() for process in both) == [["0", "1"], ["1", "0"]]


def test_a_killed_process_gives_its_turn_back(tmp_path):
    holder = start(HOLD, tmp_path / "cache")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waiting = start(COMPILE, tmp_path / "cache")
    holder.send_signal(signal.SIGKILL)
    holder.wait(PATIENCE)
    assert waiting.communicate(timeout=PATIENCE)[0].split() == ["1", "0"]
    holder.stdout.close()
