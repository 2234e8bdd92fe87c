"""Processes: start children that cannot outlive this process, end them in order, and report when waiting for them.

Every child leads its own process group, so that Ctrl-C in a terminal reaches only this process, and so that the
processes a child started can be ended with it. On Linux the kernel also signals the child when this process dies.
"""

import contextlib
import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 120.0
"""Seconds that anything may take to become ready: a cold disk and two busy cores are no reason to give up."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class NotReady(Exception):
    """A process died or did not become ready in time."""


@dataclass(frozen=True)
class Account:
    """A user of the operating system that runs the servers if root starts them."""

    name: str
    uid: int
    gid: int


def account_of(uid: int) -> Account:
    """The account with the given number, with or without a name."""
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account(name=str(uid), uid=uid, gid=uid)
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def spawn(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str],
    log: Path,
    folder: Path | None = None,
    account: Account | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a child that writes its output to the log and gets a signal when this process dies."""
    parent = os.getpid()
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
        return subprocess.Popen(
            [str(word) for word in command],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
            preexec_fn=lambda: _tie_to(parent, death_signal),  # noqa: PLW1509 - this process has no threads yet
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )


def _tie_to(parent: int, death_signal: signal.Signals) -> None:
    """Run in the child after the change of user, which would clear the setting."""
    if _LIBC is None:
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def end(process: subprocess.Popen[bytes], steps: Sequence[tuple[signal.Signals, float]]) -> None:
    """Send each signal in turn and wait its seconds; then kill the rest of the group."""
    for number, seconds in steps:
        if process.poll() is not None:
            break
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and every process that it started and left running."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def works_in(process: int, folder: Path) -> bool:
    """Whether the process is alive with the folder as its working directory, which identifies our servers."""
    try:
        return Path(os.readlink(f"/proc/{process}/cwd")) == folder
    except PermissionError:
        return True
    except OSError:
        return False if Path("/proc/self").exists() else lives(process)


def lives(process: int) -> bool:
    """Whether a process with this number exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def wait_until(ready: Callable[[], bool], what: str, *, alive: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Poll until ready, with a message every ten seconds; raise NotReady on a death or at the deadline."""
    started = time.monotonic()
    said = started
    while not ready():
        now = time.monotonic()
        if not alive():
            raise NotReady(f"{what} ended before it was ready")
        if now - started > patience:
            raise NotReady(f"{what} was not ready after {patience:.0f} s")
        if now - said >= 10:
            say(f"still waiting for {what} ({now - started:.0f} s of at most {patience:.0f} s)")
            said = now
        time.sleep(0.05)


def say(text: str) -> None:
    """Print a message for the user."""
    print(f"antifaz: {text}", file=sys.stderr, flush=True)


def tail(log: Path, lines: int = 20) -> str:
    """The last lines of a log, to explain an error."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return "(no log)"
