"""Keeper: runs one command in a container and ends when the command shows no sign of life, so that it is restarted.

    python -m stack.children.keeper python -m workers.process.sweeper

A container engine restarts a container whose command ends, not one that does nothing.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from stack.children.hearing import Hearing
from stack.children.processes import kill_group, say
from storage.settings import Settings

SILENCE = 2.0
"""Silence that a supervisor accepts, as a multiple of `consumer_seconds`: by then readiness has long reported it."""


def keep(command: Sequence[str], file: Path, limit: float) -> int:
    """Run the command to its end, or until it is silent for too long. Return the exit code."""
    hearing = Hearing(file, limit)
    hearing.begin()
    process = subprocess.Popen(
        command, env=os.environ | {"ANTIFAZ_BEAT_FILE": str(file)}, stdin=subprocess.DEVNULL, start_new_session=True
    )
    asked: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, forward)
    while process.poll() is None:
        # A process that was asked to end takes no more work, and the one who asked waits for it.
        if not asked and hearing.is_silent():
            say(f"no sign of life for {limit:.0f} s: ending it")
            kill_group(process)
            return os.EX_TEMPFAIL
        time.sleep(0.2)
    kill_group(process)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def main() -> int:
    """Keep the command on the command line."""
    settings = Settings()
    file = settings.beat_file or Path(tempfile.mkdtemp(prefix="antifaz-")) / "beat"
    return keep(sys.argv[1:], file, SILENCE * settings.consumer_seconds)


if __name__ == "__main__":
    sys.exit(main())
