"""Supervisor: keeps processes running, restarts the one that dies or does nothing, stops all in reverse order.

A process that keeps dying is restarted after 1, 2, 4 … 30 seconds; after a run of one minute the delay is one again.
"""

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from stack.children import commands
from stack.children.guardian import Guardian
from stack.children.hearing import Hearing
from stack.children.processes import NotReady, end, kill_group, say, spawn, tail

LONGEST_PAUSE = 30.0
HEALTHY_AFTER = 60.0


class Supervised(Protocol):
    """Anything that can die and be started again."""

    name: str

    def alive(self) -> bool:
        """Whether it runs."""

    def restart(self) -> None:
        """Start it, again or for the first time."""

    def stop(self) -> None:
        """End it in an orderly way, with everything it started."""


@dataclass
class Child:
    """One of our own processes."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    folder: Path
    death_signal: signal.Signals = signal.SIGTERM
    farewell: Sequence[tuple[signal.Signals, float]] = ((signal.SIGTERM, commands.DRAIN_SECONDS),)
    hearing: Hearing | None = None
    """How it shows that it works; None if only its process counts."""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        """The process number."""
        if self._process is None:
            raise NotReady(f"{self.name} is not running")
        return self._process.pid

    @property
    def group(self) -> int | None:
        """Its process group, between start and stop."""
        return self._process.pid if self._process else None

    def alive(self) -> bool:
        """Whether it runs and shows that it works."""
        return self._runs() and not (self.hearing and self.hearing.is_silent())

    def restart(self) -> None:
        """Start it, after ending a silent predecessor, or the processes that a dead one left in its group."""
        if self._process is not None:
            kill_group(self._process)
        if self.hearing is not None:
            self.hearing.begin()
        self._process = spawn(
            self.command,
            environment=self.environment,
            log=self.log,
            folder=self.folder,
            death_signal=self.death_signal,
        )

    def stop(self) -> None:
        """Ask it to finish, wait, then kill its whole group."""
        if self._process is not None:
            end(self._process, self.farewell)
            self._process = None

    def obituary(self) -> str:
        """How it ended, with the end of its log."""
        code = self._process.returncode if self._process else None
        how = "it runs and does nothing" if self._runs() else f"exit code {code}"
        return f"{how}; its log ({self.log}) ends:\n{tail(self.log, 12)}"

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None


@dataclass
class _Watched:
    thing: Supervised
    started: float
    pause: float = 1.0
    due: float | None = None
    """The time of its next start; None while it runs."""


class Supervisor:
    """The processes of one installation, in the order in which they were started."""

    def __init__(self) -> None:
        self._watched: list[_Watched] = []
        self._guardian = Guardian()

    def adopt(self, thing: Supervised) -> None:
        """Supervise something that already runs."""
        self._watched.append(_Watched(thing, time.monotonic()))

    def start(self, thing: Supervised) -> None:
        """Start something and supervise it."""
        self.adopt(thing)
        self._restart(thing)

    def look(self) -> None:
        """Check everything once: restart what is due, and report what has died."""
        for watched in self._watched:
            now = time.monotonic()
            if watched.due is not None:
                if now >= watched.due:
                    self._revive(watched)
            elif not watched.thing.alive():
                self._mourn(watched, now)

    def stop(self) -> None:
        """Stop everything, the last started first."""
        while self._watched:
            thing = self._watched.pop().thing
            say(f"stopping {thing.name}")
            group = _group(thing)
            thing.stop()
            if group:
                self._guardian.forget(group)
        self._guardian.dismiss()

    def _restart(self, thing: Supervised) -> None:
        """Start it, and report the old and the new group of our own processes to the guardian."""
        former = _group(thing)
        thing.restart()
        if former:
            self._guardian.forget(former)
        if group := _group(thing):
            self._guardian.watch(group)

    def _mourn(self, watched: _Watched, now: float) -> None:
        if now - watched.started >= HEALTHY_AFTER:
            watched.pause = 1.0
        thing = watched.thing
        detail = thing.obituary() if isinstance(thing, Child) else "see its log"
        say(f"{thing.name} DIED and starts again in {watched.pause:.0f} s: {detail}")
        watched.due = now + watched.pause
        watched.pause = min(watched.pause * 2, LONGEST_PAUSE)

    def _revive(self, watched: _Watched) -> None:
        try:
            self._restart(watched.thing)
        except NotReady as cause:
            say(f"{watched.thing.name} did NOT start again, next try in {watched.pause:.0f} s: {cause}")
            watched.due = time.monotonic() + watched.pause
            watched.pause = min(watched.pause * 2, LONGEST_PAUSE)
            return
        say(f"{watched.thing.name} runs again")
        watched.due = None
        watched.started = time.monotonic()


def _group(thing: Supervised) -> int | None:
    """The process group of one of our own processes; servers manage their own groups."""
    return thing.group if isinstance(thing, Child) else None
