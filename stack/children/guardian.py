"""Guardian: ends the processes that a killed supervisor leaves behind.

The kernel signals the supervisor's direct children when it dies, but not their children: the forked processes of a
worker would continue to compute on private data. So a small process reads a pipe from the supervisor, which reports
each process group that starts and ends. When the pipe closes, for any reason, the guardian waits briefly for the groups
to end and kills the rest.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

GRACE_SECONDS = 5.0


class Guardian:
    """The supervisor's end of the pipe."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "stack.children.guardian"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
            start_new_session=True,
            text=True,
            bufsize=1,
        )

    def watch(self, group: int) -> None:
        """Report that a process group has started."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Report that a process group has ended: its number may be reused soon."""
        self._tell(f"-{group}\n")

    def dismiss(self) -> None:
        """Close the pipe after an orderly end; groups that were not forgotten are killed."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(GRACE_SECONDS + 30)

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line)


def guard(lines: Iterable[str]) -> set[int]:
    """Follow the groups until the lines end. Return the groups that are left."""
    groups: set[int] = set()
    for line in lines:
        change, group = line[0], int(line[1:])
        groups = groups | {group} if change == "+" else groups - {group}
    return groups


def clear(groups: set[int], grace: float = GRACE_SECONDS) -> None:
    """Wait for the groups to end by themselves, then kill the rest."""
    deadline = time.monotonic() + grace
    while any(_exists(group) for group in groups) and time.monotonic() < deadline:
        time.sleep(0.05)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def main() -> None:
    """Ignore signals that are meant for the supervisor; only the end of the pipe counts."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    clear(guard(sys.stdin))


if __name__ == "__main__":
    main()
