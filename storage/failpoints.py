"""Failpoints: places where a fault test can stop a process, switched on by one setting and otherwise nothing."""

import os
import signal
import time

from storage.errors import StorageError
from storage.settings import settings


class FailpointReached(StorageError):
    """The error that the action ``raise`` raises."""


def reach(name: str) -> None:
    """Do what the setting says for this place: ``kill``, ``stop``, ``raise`` or ``sleep=SECONDS``."""
    failpoint = settings().failpoint
    if failpoint is None:
        return
    place, _, action = failpoint.partition(":")
    if place == name:
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
