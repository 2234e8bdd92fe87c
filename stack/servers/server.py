"""Server: common parts of the embedded PostgreSQL and Redis: a locked folder, a port, a password and a process.

Both require a random password, log no statements and no parameters, and end with this process. If root starts them,
they run as another user: PostgreSQL refuses root, and neither needs its rights.
"""

import json
import os
import secrets
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Self, TextIO

from stack.children.processes import NotReady, end, kill_group, say, tail, wait_until, works_in
from stack.servers.folders import AlreadyRunning, hold, settle, write_private
from stack.servers.ports import free_port, port_is_free


class Server:
    """Common parts of both servers: a locked folder, a permanent port and password, and a process."""

    name: str
    death_signal: signal.Signals
    farewell: tuple[tuple[signal.Signals, float], ...]

    def __init__(self, data_dir: Path, *, durable: bool, port: int | None, install: bool) -> None:
        self.durable = durable
        self._fixed_port = port
        self.install = install
        self._process: subprocess.Popen[bytes] | None = None
        data_dir.mkdir(parents=True, exist_ok=True)
        self._data_dir = data_dir
        self._lock = self._claim()
        try:
            self.account, self.home = settle(data_dir)
            memory = self.remembered()
            self.port: int = port or int(memory.get("port", 0)) or free_port()
            self.password = str(memory.get("password") or secrets.token_urlsafe(24))
            self._note()
        except BaseException:
            self._lock.close()
            raise

    @classmethod
    def start(cls, data_dir: Path, *, durable: bool, port: int | None = None, install: bool = False) -> Self:
        """Create missing files of the server, start it, and wait until it answers.

        Without `durable`, which is for tests, a power failure can lose data. `install` lets root install the
        distribution's package as a last resort.
        """
        server = cls(data_dir, durable=durable, port=port, install=install)
        try:
            server.prepare()
            server._launch()
        except BaseException:
            server.stop()
            raise
        return server

    @property
    def log(self) -> Path:
        """The server's log: start-up, shutdown and errors without values."""
        return self.home / "server.log"

    @property
    def pid(self) -> int:
        """The process number of the server."""
        if self._process is None:
            raise NotReady(f"{self.name} is not running")
        return self._process.pid

    def alive(self) -> bool:
        """Whether the server's process exists."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Shut down in an orderly way and release the data directory."""
        self._end()
        self._lock.close()

    def kill(self) -> None:
        """Kill the server as a power failure would; `restart` brings it back on the same port."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)

    def restart(self) -> None:
        """Start again on the same data directory and port, after `stop`, `kill`, a crash, or while running."""
        self._end()
        if self._lock.closed:
            self._lock = self._claim()
        self._launch(tries=5, keep_port=True)

    def _claim(self) -> TextIO:
        return hold(self._data_dir / "lock", f"{self.name} already runs on {self._data_dir}")

    def _end(self) -> None:
        if self._process is not None:
            end(self._process, self.farewell)
            self._process = None

    def _launch(self, tries: int = 5, *, keep_port: bool = False) -> None:
        """Start and wait; choose another port if it was taken meanwhile, unless the caller fixed it."""
        fixed = keep_port or self._fixed_port is not None
        for attempt in range(1, tries + 1):
            if not fixed and not port_is_free(self.port):
                self.port = free_port()
                self._note()
            _shorten(self.log)
            self._process = self.spawn_process()
            try:
                wait_until(self.answers, self.name, alive=self.alive)
            except NotReady as cause:
                kill_group(self._process)
                if attempt == tries:
                    raise NotReady(f"{cause}; its log ends:\n{tail(self.log)}") from None
                say(f"{cause}; trying again ({attempt} of {tries - 1})")
                time.sleep(attempt)
            else:
                self._note()
                return

    def remembered(self) -> dict[str, Any]:
        file = self.home / "server.json"
        return dict(json.loads(file.read_text())) if file.exists() else {}

    def _note(self) -> None:
        running = self._process.pid if self._process else None
        note = {"port": self.port, "password": self.password, "pid": running}
        write_private(self.home / "server.json", json.dumps(note))

    def wait_for_predecessor(self, process: int, folder: Path) -> None:
        """Wait for a server whose owner was killed and which is still shutting down."""
        deadline = time.monotonic() + 30
        while works_in(process, folder):
            if time.monotonic() > deadline:
                self._lock.close()
                raise AlreadyRunning(f"{self.name} already runs on {folder} (process {process})")
            time.sleep(0.1)

    def hand_over(self, folder: Path) -> None:
        """Give one of our folders to the server's user, closed to everyone else."""
        folder.chmod(0o700)
        if self.account:
            os.chown(folder, self.account.uid, self.account.gid)

    def prepare(self) -> None:
        """Create the files that the server needs."""
        raise NotImplementedError

    def spawn_process(self) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    def answers(self) -> bool:
        raise NotImplementedError


def _shorten(log: Path, limit: int = 16 * 2**20) -> None:
    """Keep one earlier log, so that years of restarts do not fill the disk."""
    if log.exists() and log.stat().st_size > limit:
        log.replace(log.with_suffix(".log.1"))
