"""Warming: the kernels are compiled in the background, once for every version of their source."""

import signal
import subprocess
from pathlib import Path

from stack.children import commands
from stack.children.processes import end, say, spawn, tail
from stack.options import Options
from stack.plan import bare_environment
from stack.servers.databases import ROOT


class Warming:
    """Compiles the kernels while everything else starts and works; a failure is reported once and stops nothing.

    No process waits for all of it: a job compiles the kernels it needs, or waits for the one being compiled here.
    """

    name = "the compilation of the kernels"

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self._process = process
        self._log = log
        self._said = False

    def alive(self) -> bool:
        """Always true: a compilation that ended is not started again."""
        if self._process.poll() not in (None, 0) and not self._said:
            self._said = True
            say(f"compiling the kernels FAILED; first jobs will be slow. The log ends:\n{tail(self._log)}")
        return True

    def restart(self) -> None:
        """Never called, since `alive` is always true."""

    def stop(self) -> None:
        """End it if it still runs."""
        end(self._process, ((signal.SIGTERM, 5.0),))


def start_warming(options: Options) -> Warming:
    """Start compiling early with low priority; the kernels of the first jobs come first."""
    log = options.data_dir / "logs" / "warm.log"
    return Warming(spawn(commands.warm(), environment=bare_environment(), log=log, folder=ROOT), log)
