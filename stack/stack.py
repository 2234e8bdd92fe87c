"""Stack: starts all of Antifaz on this machine and keeps it running until it is stopped.

The steps: lock the data directory, start PostgreSQL and Redis unless addresses are given, bring the databases to the
newest schema, create logins and keys, start the API, the worker, the sweeper and the courier with only the credentials
that each needs, wait until the API is ready, print how to use it, and supervise.
"""

import contextlib
import os
import time
from dataclasses import replace
from pathlib import Path

import httpx

from stack.announcement import announce
from stack.children.processes import NotReady, say, wait_until
from stack.children.signals import Stopped, stopping_on_signals, unmoved_by_signals
from stack.children.supervisor import Child, Supervisor
from stack.options import SHORTEST_TOKEN, CannotStart, Options
from stack.plan import Servers, bare_environment, connections, make_keys, plan
from stack.servers import databases
from stack.servers.broker import RedisServer
from stack.servers.databases import KEYRING, MAIN
from stack.servers.folders import AlreadyRunning, hold
from stack.servers.memory import Memory
from stack.servers.ports import port_is_free
from stack.servers.postgres import PostgresServer
from stack.servers.programs import NoProgram
from stack.warming import start_warming

API_PATIENCE = 300.0
"""Seconds for the API, which shares the machine with the compilation at the first start."""


def run(processes: int) -> int:
    """Run until stopped. Return 0 after an orderly stop, 1 if it could not start."""
    try:
        up(replace(Options.from_environment(os.environ), processes=processes))
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
    """Check the options before anything starts."""
    token = options.bootstrap_token
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise CannotStart(f"ANTIFAZ_BOOTSTRAP_TOKEN has {len(token)} characters; it needs at least {SHORTEST_TOKEN}")
    if not port_is_free(options.port, "" if options.host in ("::", "localhost") else options.host):
        raise CannotStart(
            f"cannot listen on {options.host} port {options.port}: it is in use or not an address of this machine; "
            "choose another with ANTIFAZ_HOST and ANTIFAZ_PORT"
        )


def open_data_dir(data_dir: Path) -> None:
    """Create the data directory; if root owns it, the servers' user may enter but not list it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    data_dir.chmod(0o711 if os.geteuid() == 0 else 0o700)
    for name in ("logs", "keys"):
        (data_dir / name).mkdir(exist_ok=True)
        (data_dir / name).chmod(0o700)


def start(options: Options, supervisor: Supervisor) -> str | None:
    """Start every process in order. Return the token at the first start."""
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
    """Start PostgreSQL unless both databases are given, and Redis unless the broker is."""
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
    """Create the databases, schema and logins."""
    if servers.postgres:
        for name in (MAIN, KEYRING):
            databases.create_database(servers.postgres.address, name)
    owner = connections(options, servers, memory, None)
    say("bringing the databases to the newest schema")
    databases.migrate(owner.database, owner.keyring, bare_environment())
    if servers.postgres and not options.database_url and not options.keyring_url:
        passwords = {login.name: memory.password(login) for login in databases.LOGINS}
        databases.grant_logins(servers.postgres.address, passwords)


def is_ready(address: str) -> bool:
    """Whether the API and its servers answer; work that waits from before may still wait for its worker to start."""
    try:
        checks = httpx.get(f"{address}/readyz", timeout=5, trust_env=False).json().get("checks", {})
    except (httpx.HTTPError, ValueError):
        return False
    return all(checks.get(name) == "ok" for name in ("database", "keyring", "broker"))


def keeps_trying(supervisor: Supervisor, api: Child) -> bool:
    """While waiting for the API, restart other processes that die; the API itself must not die at its start."""
    if not api.alive():
        say(f"the API DIED: {api.obituary()}")
        return False
    supervisor.look()
    return True


def settle_token(options: Options, memory: Memory, token: str | None) -> str | None:
    """The token to show: the pending one, if the database accepted it (it may already have an administrator)."""
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


def supervise(supervisor: Supervisor) -> None:
    """Supervise everything until a signal ends it."""
    while True:
        supervisor.look()
        time.sleep(0.2)
