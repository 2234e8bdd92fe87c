"""The guardian, with real processes whose supervisor is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from stack.children.guardian import guard
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[3]
OWNER = """
import os, signal, sys, time
from pathlib import Path
from stack.children.supervisor import Child, Supervisor
folder = Path(sys.argv[1])
script = (
    "import os, subprocess, sys, time\\n"
    "made = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\\n"
    "print(os.getpid(), made.pid, flush=True); time.sleep(600)"
)
child = Child("worker", [sys.executable, "-c", script], dict(os.environ), folder / "worker.log", folder)
Supervisor().start(child)
while not child.log.read_text().endswith("\\n"):
    time.sleep(0.05)
print(child.log.read_text(), end="", flush=True)
time.sleep(600)
"""


def runs(process: int) -> bool:
    """A zombie that waits for its new parent to take note does not run."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def test_grandchildren_do_not_outlive_a_killed_supervisor(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    family = [int(word) for word in owner.stdout.readline().split()]
    assert len(family) == 2
    assert all(runs(member) for member in family)
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    deadline = time.monotonic() + patience()
    while any(runs(member) for member in family) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(runs(member) for member in family)


def test_a_group_that_was_forgotten_is_not_killed() -> None:
    assert guard(["+11\n", "+12\n", "-11\n", "+13\n", "-12\n"]) == {13}


def test_a_supervisor_that_ends_in_order_leaves_nothing_to_kill() -> None:
    assert guard(["+11\n", "-11\n"]) == set()
    assert guard([]) == set()
