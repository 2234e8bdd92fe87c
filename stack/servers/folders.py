"""Folders: the files of servers, their owners and their locks.

Permissions are set only inside the folder that the caller gave (or, if no other user can reach that folder, inside one
of our folders below /var/lib/antifaz).
"""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from stack.children.processes import Account, NotReady, account_of, say
from stack.servers.programs import can_reach, server_account

FAR_HOMES = Path("/var/lib/antifaz")
"""Place of the files of servers started by root, if their user cannot reach the data directory (e.g. below /root)."""


class AlreadyRunning(Exception):
    """Another Antifaz process has locked the data directory."""


def settle(data_dir: Path) -> tuple[Account | None, Path]:
    """The user that runs the server, and the folder of its files: the data directory, if that user can reach it."""
    account = server_account()
    pointer = data_dir / "home"
    home = Path(pointer.read_text()) if pointer.exists() else data_dir.resolve()
    if not home.is_dir():
        raise NotReady(f"the files in {home}, which {pointer} names, are gone; remove {data_dir} to start again")
    if account is None:
        home.chmod(0o700)
        return None, home
    kept = next((home / part for part in ("cluster", "store") if (home / part).exists()), None)
    if kept is not None and kept.stat().st_uid != 0:
        account = account_of(kept.stat().st_uid)
    home.chmod(0o711)
    if not can_reach(home, account):
        home = _far_home(pointer)
    return account, home


def _far_home(pointer: Path) -> Path:
    """A new folder that every user can reach, so that a new data directory never finds old files there."""
    FAR_HOMES.mkdir(mode=0o755, parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="", dir=FAR_HOMES))
    home.chmod(0o711)
    write_private(pointer, str(home))
    say(f"the servers' user cannot reach {pointer.parent}: their files are in {home}")
    return home


def run_as(command: Sequence[str | Path], account: Account | None, folder: Path) -> None:
    """Run a short command as the server's user; its output is shown only when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        env=server_environment(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        check=False,
    )
    if done.returncode:
        raise NotReady(f"{Path(str(command[0])).name} failed:\n{done.stdout}{done.stderr}")


def server_environment() -> dict[str, str]:
    """An environment without our settings, passwords and library paths."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def write_private(file: Path, text: str, owner: Account | None = None) -> None:
    """Replace a file atomically; only its owner can ever read it."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        stream.write(text)
        if owner:
            os.fchown(stream.fileno(), owner.uid, owner.gid)
    unfinished.rename(file)


def hold(file: Path, refusal: str) -> TextIO:
    """Lock a file until it is closed or this process dies; raise AlreadyRunning if another process has locked it."""
    stream = open(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), "r+")  # noqa: SIM115 - held open on purpose
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = stream.read().strip()
        stream.close()
        raise AlreadyRunning(f"{refusal} (process {owner})" if owner else refusal) from None
    stream.truncate(0)
    stream.write(str(os.getpid()))
    stream.flush()
    return stream
