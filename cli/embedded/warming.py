"""Warming: the kernels are compiled in the background, once for every state of their source."""

import signal
import subprocess
from pathlib import Path

from cli.embedded import commands
from cli.embedded.databases import ROOT
from cli.embedded.options import Options
from cli.embedded.plan import bare_environment
from cli.embedded.processes import end, say, spawn, tail


class Warming:
    """Compiles the kernels while everything else starts and works; a failure is said once and stops nothing.

    Nobody waits for it: a job compiles what it needs unless this has done so, or waits for the one kernel that this is
    compiling.
    """

    name = "the compilation of the kernels"

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self._process = process
        self._log = log
        self._said = False

    def alive(self) -> bool:
        """An ended compilation is no reason to start it again."""
        if self._process.poll() not in (None, 0) and not self._said:
            self._said = True
            say(f"compiling the kernels FAILED; first jobs will be slow. The log ends:\n{tail(self._log)}")
        return True

    def restart(self) -> None:
        """Never needed: `alive` does not ask for it."""

    def stop(self) -> None:
        """End it if it still runs."""
        end(self._process, ((signal.SIGTERM, 5.0),))


def start_warming(options: Options) -> Warming:
    """Start compiling early, behind everything else: what the first jobs need comes first."""
    log = options.data_dir / "logs" / "warm.log"
    return Warming(spawn(commands.warm(), environment=bare_environment(), log=log, folder=ROOT), log)
