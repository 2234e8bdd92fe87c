"""Failpoints: places where a fault test can stop a process. They do nothing unless one setting enables them.

The setting is a failpoint, ``name:action``, which acts whenever the place is reached; or ``@FILE``, a file that may
contain one. The first process that reaches the place renames the file, with its process id as suffix, and acts once.
"""

import os
import signal
import time
from pathlib import Path

from storage.errors import StorageError
from storage.settings import settings


class FailpointReached(StorageError):
    """The error that the action ``raise`` raises."""


def reach(name: str) -> None:
    """Run the action that is set for this place: ``kill``, ``stop``, ``raise`` or ``sleep=SECONDS``."""
    failpoint = settings().failpoint
    if failpoint is None:
        return
    if failpoint.startswith("@"):
        _reach_armed(name, Path(failpoint[1:]))
        return
    place, _, action = failpoint.partition(":")
    if place == name:
        _act(name, action)


def _reach_armed(name: str, file: Path) -> None:
    try:
        place, _, action = file.read_text().partition(":")
        if place != name:
            return
        # Only the process that renames the file acts.
        file.rename(file.with_name(f"{file.name}.{os.getpid()}"))
    except FileNotFoundError:
        return
    _act(name, action)


def _act(name: str, action: str) -> None:
    verb, _, argument = action.partition("=")
    if verb == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif verb == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif verb == "raise":
        raise FailpointReached(f"failpoint {name}")
    elif verb == "sleep":
        time.sleep(float(argument))
    else:
        raise ValueError("a failpoint's action is kill, stop, raise or sleep=SECONDS")
