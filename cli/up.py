"""Up: starts the whole of Antifaz on this machine and keeps it running until it is asked to stop.

The story: claim the data directory, start PostgreSQL and Redis unless addresses were given, bring the databases to the
newest schema, make logins and keys, start the API, the worker and the sweeper with no more credentials than each
needs, wait until the API is ready, say how to use it, and supervise.
"""

import argparse
import contextlib
import hashlib
import json
import os
import secrets
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import httpx

from cli import commands, databases, kernels
from cli.databases import KEYRING, MAIN, ROOT, Login
from cli.processes import NotReady, end, say, spawn, tail, wait_until
from cli.programs import NoProgram
from cli.servers import AlreadyRunning, PostgresServer, RedisServer, hold, port_is_free, write_private
from cli.supervisor import Child, Supervisor

EXAMPLES = ROOT / "examples"
SHORTEST_TOKEN = 32
API_PATIENCE = 300.0
"""Seconds for the API, which shares the machine with the compilation at the first start."""
_OURS = (
    "ANTIFAZ_DATABASE_URL",
    "ANTIFAZ_KEYRING_URL",
    "ANTIFAZ_BROKER_URL",
    "ANTIFAZ_DATABASE_ROLE",
    "ANTIFAZ_BOOTSTRAP_TOKEN",
    "ANTIFAZ_WORKER_KEY_FILE",
    "ANTIFAZ_WORKER_PUBLIC_KEY_FILE",
    "ANTIFAZ_RELEASE_KEY_FILE",
    "ANTIFAZ_TOKEN_KEY_FILE",
    "ANTIFAZ_AUDIT_KEY_FILE",
)
"""Credentials: each process is given its own, and none by inheritance."""


class Stopped(BaseException):
    """We were asked to stop."""


class CannotStart(Exception):
    """A setting is wrong or something is in the way; the message says what to do."""


@dataclass(frozen=True)
class Options:
    """What the environment and the command line say."""

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 2
    database_url: str | None = None
    keyring_url: str | None = None
    broker_url: str | None = None
    bootstrap_token: str | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Options":
        """Read ANTIFAZ_* variables; an empty one counts as not given."""
        given = {name: value for name, value in environment.items() if value}
        try:
            port = int(given.get("ANTIFAZ_PORT", "8000"))
        except ValueError:
            raise CannotStart("ANTIFAZ_PORT is not a number") from None
        return cls(
            data_dir=Path(given.get("ANTIFAZ_DATA_DIR", ".antifaz")).absolute(),
            host=given.get("ANTIFAZ_HOST", "127.0.0.1"),
            port=port,
            database_url=given.get("ANTIFAZ_DATABASE_URL"),
            keyring_url=given.get("ANTIFAZ_KEYRING_URL"),
            broker_url=given.get("ANTIFAZ_BROKER_URL"),
            bootstrap_token=given.get("ANTIFAZ_BOOTSTRAP_TOKEN"),
        )

    @property
    def address(self) -> str:
        """Where a client on this machine finds the API."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


@dataclass(frozen=True)
class Connections:
    """The addresses that one process is given."""

    database: str
    keyring: str
    broker: str
    role: str | None = None
    """The role to take, where all processes share one external login."""

    def environment(self) -> dict[str, str]:
        """As the process's environment variables."""
        variables = {
            "ANTIFAZ_DATABASE_URL": self.database,
            "ANTIFAZ_KEYRING_URL": self.keyring,
            "ANTIFAZ_BROKER_URL": self.broker,
        }
        return variables | ({"ANTIFAZ_DATABASE_ROLE": self.role} if self.role else {})


@dataclass(frozen=True)
class Servers:
    """The servers in use: each is ours, or None where an external address was given."""

    postgres: PostgresServer | None
    redis: RedisServer | None


class Memory:
    """What is remembered from one start to the next: the logins' passwords, and whether the token was shown."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._notes: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}

    def password(self, login: Login) -> str:
        """The login's password, made at the first start."""
        return self._keep(f"password:{login.name}", secrets.token_urlsafe(24))

    def pending_token(self, given: str | None) -> str | None:
        """The bootstrap token while it is still to be shown, and None from then on."""
        if "token_shown" in self._notes:
            return None
        return self._keep("token", given or secrets.token_urlsafe(32), replace=bool(given))

    def token_shown(self) -> None:
        """Forget the token: only its digest is kept, to recognise a given one."""
        token = self._notes.pop("token", "")
        self._keep("token_shown", hashlib.sha256(token.encode()).hexdigest())

    def recognises(self, token: str) -> bool:
        """Whether this is the token of the first start."""
        return self._notes.get("token_shown") == hashlib.sha256(token.encode()).hexdigest()

    def _keep(self, name: str, value: str, *, replace: bool = False) -> str:
        if name not in self._notes or replace:
            self._notes[name] = value
            write_private(self._file, json.dumps(self._notes))
        return self._notes[name]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own options; everything else is an ANTIFAZ_* variable."""
    parser.add_argument("--processes", type=int, default=2, help="worker processes (2)")


def main(arguments: argparse.Namespace) -> int:
    """Run until stopped; 0 after an orderly stop, 1 when it could not start."""
    try:
        options = replace(Options.from_environment(os.environ), processes=arguments.processes)
        up(options)
    except (AlreadyRunning, CannotStart, NoProgram, NotReady) as cause:
        say(str(cause))
        return 1
    return 0


def up(options: Options) -> None:
    """Start everything, supervise it, and stop it in reverse order, whatever happens."""
    check(options)
    open_data_dir(options.data_dir)
    with contextlib.closing(hold(options.data_dir / "lock", f"Antifaz already runs on {options.data_dir}")):
        supervisor = Supervisor()
        with stopping_on_signals():
            try:
                token = start(options, supervisor)
                announce(options, token)
                supervise(supervisor)
            except Stopped:
                say("stopping")
            finally:
                with unmoved_by_signals():
                    supervisor.stop()
        say("stopped; nothing is left running")


def check(options: Options) -> None:
    """Refuse before anything starts what could not work."""
    token = options.bootstrap_token
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise CannotStart(f"ANTIFAZ_BOOTSTRAP_TOKEN has {len(token)} characters; it needs at least {SHORTEST_TOKEN}")
    if not port_is_free(options.port, "" if options.host in ("::", "localhost") else options.host):
        raise CannotStart(
            f"cannot listen on {options.host} port {options.port}: it is in use or not an address of this machine; "
            "choose another with ANTIFAZ_HOST and ANTIFAZ_PORT"
        )


def open_data_dir(data_dir: Path) -> None:
    """Make the data directory; root's may be passed through (not listed) by the servers' user."""
    data_dir.mkdir(parents=True, exist_ok=True)
    data_dir.chmod(0o711 if os.geteuid() == 0 else 0o700)
    for name in ("logs", "keys"):
        (data_dir / name).mkdir(exist_ok=True)
        (data_dir / name).chmod(0o700)


def start(options: Options, supervisor: Supervisor) -> str | None:
    """Start every process in order; answers the token when this is the first start."""
    memory = Memory(options.data_dir / "secrets.json")
    warming = start_warming(options)
    supervisor.adopt(warming)
    servers = start_servers(options, supervisor)
    prepare_databases(options, servers, memory)
    token = memory.pending_token(options.bootstrap_token)
    children = plan(options, servers, memory, make_keys(options.data_dir / "keys"), token)
    for child in children:
        say(f"starting the {child.name}")
        supervisor.start(child)
    wait_until(
        lambda: is_ready(options.address),
        "the API",
        alive=lambda: keeps_trying(supervisor, children[0]),
        patience=API_PATIENCE,
    )
    return settle_token(options, memory, token)


def start_servers(options: Options, supervisor: Supervisor) -> Servers:
    """PostgreSQL unless both databases were given, Redis unless the broker was."""
    postgres = redis = None
    if not (options.database_url and options.keyring_url):
        say("starting PostgreSQL")
        postgres = PostgresServer.start(options.data_dir / "postgres", durable=True)
        supervisor.adopt(postgres)
    if not options.broker_url:
        say("starting Redis")
        redis = RedisServer.start(options.data_dir / "redis", durable=True)
        supervisor.adopt(redis)
    return Servers(postgres, redis)


def prepare_databases(options: Options, servers: Servers, memory: Memory) -> None:
    """Databases, schema and logins."""
    if servers.postgres:
        for name in (MAIN, KEYRING):
            databases.create_database(servers.postgres.address, name)
    owner = connections(options, servers, memory, None)
    say("bringing the databases to the newest schema")
    databases.migrate(owner.database, owner.keyring, bare_environment())
    if servers.postgres and not options.database_url and not options.keyring_url:
        passwords = {login.name: memory.password(login) for login in databases.LOGINS}
        databases.grant_logins(servers.postgres.address, passwords)


def connections(options: Options, servers: Servers, memory: Memory, login: Login | None) -> Connections:
    """The addresses for a login, or for the owner; with an external database, one login that takes a role."""
    external = bool(options.database_url or options.keyring_url)
    own = login if login and not external else None
    word = memory.password(own) if own else None

    def address(given: str | None, database: str) -> str:
        if given:
            return given
        assert servers.postgres is not None, "PostgreSQL is started unless both addresses are given"
        return servers.postgres.url(database, own.name if own else None, word)

    broker = options.broker_url or (servers.redis.work_url if servers.redis else "")
    role = login.role if login and external else None
    return Connections(address(options.database_url, MAIN), address(options.keyring_url, KEYRING), broker, role)


def make_keys(folder: Path) -> dict[str, str]:
    """Make the keys that do not exist yet; answers the variable that names each file."""
    from storage.keys import ensure_keys

    ensure_keys(folder)
    return {
        "ANTIFAZ_WORKER_PUBLIC_KEY_FILE": str(folder / "worker.pub"),
        "ANTIFAZ_WORKER_KEY_FILE": str(folder / "worker.key"),
        "ANTIFAZ_RELEASE_KEY_FILE": str(folder / "release.key"),
        "ANTIFAZ_TOKEN_KEY_FILE": str(folder / "token.key"),
        "ANTIFAZ_AUDIT_KEY_FILE": str(folder / "audit.key"),
    }


def plan(
    options: Options, servers: Servers, memory: Memory, keys: dict[str, str], token: str | None
) -> tuple[Child, Child, Child]:
    """The API, the worker and the sweeper, each with its own credentials and no other's."""
    logs = options.data_dir / "logs"
    service = connections(options, servers, memory, databases.API).environment()
    work = connections(options, servers, memory, databases.WORKER).environment()
    serving = {name: path for name, path in keys.items() if name != "ANTIFAZ_WORKER_KEY_FILE"}
    of_api = ("ANTIFAZ_TOKEN_KEY_FILE", "ANTIFAZ_AUDIT_KEY_FILE")
    working = {name: path for name, path in keys.items() if name not in of_api}
    signing = {name: path for name, path in keys.items() if name == "ANTIFAZ_AUDIT_KEY_FILE"}
    first = {"ANTIFAZ_BOOTSTRAP_TOKEN": token} if token else {}
    base = bare_environment()
    api = Child(
        "API", commands.api(options.host, options.port), base | service | serving | first, logs / "api.log", ROOT
    )
    worker = Child(
        "worker",
        commands.worker(processes=options.processes),
        base | work | working,
        logs / "worker.log",
        ROOT,
        # Should we be killed, the worker must not go on with a job for minutes: its lease ends, another takes it.
        death_signal=signal.SIGQUIT,
        farewell=((signal.SIGTERM, commands.DRAIN_SECONDS), (signal.SIGQUIT, 5.0)),
    )
    sweeper = Child("sweeper", commands.sweeper(), base | work | signing, logs / "sweeper.log", ROOT)
    return api, worker, sweeper


def bare_environment() -> dict[str, str]:
    """Our environment without any credential, with the kernels' cache and the modules' folder."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    kept.setdefault("NUMBA_CACHE_DIR", str(kernels.cache_folder()))
    kept["PYTHONUNBUFFERED"] = "1"
    return kept


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


def is_ready(address: str) -> bool:
    """Whether the API says that it can serve."""
    try:
        return httpx.get(f"{address}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def keeps_trying(supervisor: Supervisor, api: Child) -> bool:
    """While we wait for the API the others may need a restart; the API itself must not die at its start."""
    if not api.alive():
        say(f"the API DIED: {api.obituary()}")
        return False
    supervisor.look()
    return True


def settle_token(options: Options, memory: Memory, token: str | None) -> str | None:
    """The token to show: the pending one, if the database took it (it may have had an administrator before)."""
    if token is None:
        return None
    if not accepts(options.address, token):
        memory.token_shown()
        return None
    return token


def accepts(address: str, token: str) -> bool:
    """Whether the API knows the token."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{address}/v1/datasets?limit=1", headers=headers, timeout=30, trust_env=False).status_code == 200


def announce(options: Options, token: str | None) -> None:
    """Say where it listens, the token once, and a line that publishes the bundled example."""
    memory = Memory(options.data_dir / "secrets.json")
    print(f"\nAntifaz is ready at {options.address}  (reference: {options.address}/docs)")
    print(f"Logs: {options.data_dir / 'logs'}    Stop: Ctrl-C\n")
    if token:
        print(f"Admin token of the default tenant (shown once, kept nowhere in clear): {token}\n")
    else:
        print(_token_was_shown(options, memory))
    print("Publish the bundled examples:\n")
    word = token or "$ANTIFAZ_TOKEN"
    print(publish_line(options.address, word, "patients", "table", "patients.csv") + "\n")
    print(publish_line(options.address, word, "friends", "graph", "friends.edges") + "\n", flush=True)
    if token:
        memory.token_shown()


def _token_was_shown(options: Options, memory: Memory) -> str:
    given = options.bootstrap_token
    if given and memory.recognises(given):
        return "The admin token is the one in ANTIFAZ_BOOTSTRAP_TOKEN, as at the first start.\n"
    ignored = " ANTIFAZ_BOOTSTRAP_TOKEN is not used: an administrator exists." if given else ""
    return (
        f"The admin token was shown at the first start.{ignored} An administrator makes further ones with\n"
        f"POST /v1/tokens; put yours into ANTIFAZ_TOKEN for the lines below. If it is lost and nothing is to be kept,\n"
        f"stop Antifaz, remove {options.data_dir} and start again.\n"
    )


def publish_line(address: str, token: str, name: str, kind: str, file: str) -> str:
    """A curl command, ready for a shell, that uploads an example together with its policy."""
    metadata = json.dumps({"name": name, "kind": kind})
    policy = EXAMPLES / f"{name}.policy.json"
    return " \\\n  ".join(
        [
            f'curl -sS -H "Authorization: Bearer {token}"',
            f"-F {shlex.quote(f'metadata={metadata};type=application/json')}",
            f"-F {shlex.quote(f'policy=<{policy};type=application/json')}",
            f"-F {shlex.quote(f'file=@{EXAMPLES / file}')}",
            f"{address}/v1/datasets",
        ]
    )


def supervise(supervisor: Supervisor) -> None:
    """Look after everything until a signal ends it."""
    while True:
        supervisor.look()
        time.sleep(0.2)


@contextlib.contextmanager
def stopping_on_signals() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise Stopped, once, wherever we are."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in _STOPPING:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped

    former = {number: signal.signal(number, stop) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def unmoved_by_signals() -> Iterator[None]:
    """An impatient second Ctrl-C must not leave half of the processes running."""
    former = {number: signal.signal(number, signal.SIG_IGN) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
