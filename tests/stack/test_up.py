"""The steps of `antifaz up`, one by one; the whole command is tested against the running service."""

import json
import os
import shlex
import signal
import stat
import sys
from pathlib import Path

import pytest
from antifaz_client.commands import main

from stack import stack
from stack.announcement import announce, publish_line
from stack.children import commands
from stack.children.processes import spawn
from stack.children.signals import Stopped, stopping_on_signals
from stack.options import SHORTEST_TOKEN, CannotStart, Connections, Options
from stack.plan import Servers, bare_environment, connections, plan
from stack.servers import databases
from stack.servers.broker import RedisServer
from stack.servers.folders import hold
from stack.servers.memory import Memory
from stack.servers.postgres import PostgresServer
from stack.warming import Warming
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
KEYS = {
    "ANTIFAZ_WORKER_PUBLIC_KEY_FILE": "/keys/worker.pub",
    "ANTIFAZ_WORKER_KEY_FILE": "/keys/worker.key",
    "ANTIFAZ_COURIER_PUBLIC_KEY_FILE": "/keys/courier.pub",
    "ANTIFAZ_COURIER_KEY_FILE": "/keys/courier.key",
    "ANTIFAZ_RELEASE_KEY_FILE": "/keys/release.key",
    "ANTIFAZ_TOKEN_KEY_FILE": "/keys/token.key",
    "ANTIFAZ_AUDIT_KEY_FILE": "/keys/audit.key",
}
EXTERNAL = {
    "ANTIFAZ_DATABASE_URL": "postgresql+psycopg://one@db/main",
    "ANTIFAZ_KEYRING_URL": "postgresql+psycopg://one@db/keyring",
    "ANTIFAZ_BROKER_URL": "redis://broker/0",
}


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory without anything in it."""
    return Memory(tmp_path / "secrets.json")


def test_options_come_from_the_environment(tmp_path: Path) -> None:
    given = {"ANTIFAZ_DATA_DIR": str(tmp_path), "ANTIFAZ_PORT": "9001", "ANTIFAZ_HOST": "0.0.0.0", **EXTERNAL}
    options = Options.from_environment(given)
    assert options.data_dir == tmp_path
    assert options.address == "http://127.0.0.1:9001"
    assert options.broker_url == "redis://broker/0"


def test_an_empty_variable_counts_as_not_given() -> None:
    options = Options.from_environment({"ANTIFAZ_PORT": "", "ANTIFAZ_DATABASE_URL": ""})
    assert options.port == 8000
    assert options.database_url is None
    assert options.data_dir == Path.cwd() / ".antifaz"


def test_a_port_that_is_no_number_is_refused() -> None:
    with pytest.raises(CannotStart, match="ANTIFAZ_PORT is not a number"):
        Options.from_environment({"ANTIFAZ_PORT": "http"})


def test_an_ipv6_address_is_bracketed(tmp_path: Path) -> None:
    assert Options(tmp_path, host="::1", port=1).address == "http://[::1]:1"


def test_a_short_bootstrap_token_is_refused_without_being_shown(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="has 9 characters; it needs at least 32") as refusal:
        stack.check(Options(tmp_path, bootstrap_token="shorttext"))
    assert "shorttext" not in str(refusal.value)


def test_a_port_in_use_is_refused_before_anything_starts(tmp_path: Path, redis_server: RedisServer) -> None:
    if not isinstance(redis_server, RedisServer):
        pytest.skip("needs a server of our own on the loopback address")
    with pytest.raises(CannotStart, match="choose another with ANTIFAZ_HOST and ANTIFAZ_PORT"):
        stack.check(Options(tmp_path, port=redis_server.port))


def test_a_second_up_on_the_same_folder_says_that_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTIFAZ_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ANTIFAZ_PORT", "0")
    lock = hold(tmp_path / "lock", "never")
    assert main.main(["up"]) == 1
    lock.close()
    assert f"Antifaz already runs on {tmp_path} (process {os.getpid()})" in capsys.readouterr().err


def test_the_pending_token_survives_until_it_was_shown_and_then_leaves_only_a_digest(memory: Memory) -> None:
    token = memory.pending_token(None)
    assert token is not None
    assert len(token) >= SHORTEST_TOKEN
    again = Memory(memory._file)
    assert again.pending_token(None) == token
    again.token_shown()
    assert token not in memory._file.read_text()
    assert Memory(memory._file).pending_token(None) is None
    assert Memory(memory._file).recognises(token)
    assert stat.S_IMODE(memory._file.stat().st_mode) == 0o600


def test_a_given_token_replaces_a_generated_one_that_was_never_shown(memory: Memory) -> None:
    memory.pending_token(None)
    assert memory.pending_token("x" * 40) == "x" * 40


def test_passwords_last(memory: Memory) -> None:
    word = memory.password(databases.API)
    assert Memory(memory._file).password(databases.API) == word
    assert Memory(memory._file).password(databases.WORKER) != word


def test_each_process_gets_its_own_credentials_and_no_others(
    tmp_path: Path, memory: Memory, postgres: PostgresServer, redis_server: RedisServer
) -> None:
    if not isinstance(postgres, PostgresServer) or not isinstance(redis_server, RedisServer):
        pytest.skip("needs servers of our own")
    servers = Servers(postgres, redis_server)
    api, worker, questions, sweeper, courier = plan(Options(tmp_path), servers, memory, KEYS, "t" * 40)
    service_word, work_word = memory.password(databases.API), memory.password(databases.WORKER)
    assert questions.environment | {"ANTIFAZ_BEAT_FILE": ""} == worker.environment | {"ANTIFAZ_BEAT_FILE": ""}
    consumers = (worker, questions, sweeper, courier)
    assert len({each.environment["ANTIFAZ_BEAT_FILE"] for each in consumers}) == len(consumers)
    assert [each.hearing and str(each.hearing.file) for each in consumers] == [
        each.environment["ANTIFAZ_BEAT_FILE"] for each in consumers
    ]
    assert api.environment["ANTIFAZ_DATABASE_URL"] == postgres.url("antifaz", "antifaz_api", service_word)
    assert api.environment["ANTIFAZ_KEYRING_URL"] == postgres.url("antifaz_keyring", "antifaz_api", service_word)
    assert worker.environment["ANTIFAZ_DATABASE_URL"] == postgres.url("antifaz", "antifaz_work", work_word)
    assert worker.environment["ANTIFAZ_WORKER_KEY_FILE"] == "/keys/worker.key"
    assert api.environment["ANTIFAZ_BOOTSTRAP_TOKEN"] == "t" * 40
    for other in (api, sweeper, courier):
        assert "ANTIFAZ_WORKER_KEY_FILE" not in other.environment
    send_word = memory.password(databases.COURIER)
    assert courier.environment["ANTIFAZ_DATABASE_URL"] == postgres.url("antifaz", "antifaz_send", send_word)
    assert courier.environment["ANTIFAZ_COURIER_KEY_FILE"] == "/keys/courier.key"
    for name in ("KEYRING_URL", "BROKER_URL", "TOKEN_KEY_FILE", "AUDIT_KEY_FILE"):
        assert f"ANTIFAZ_{name}" not in courier.environment
    for other in (api, worker, sweeper):
        assert "ANTIFAZ_COURIER_KEY_FILE" not in other.environment
    assert api.environment["ANTIFAZ_TOKEN_KEY_FILE"] == "/keys/token.key"
    assert "ANTIFAZ_AUDIT_KEY_FILE" not in worker.environment
    for other in (api, sweeper):
        assert other.environment["ANTIFAZ_AUDIT_KEY_FILE"] == "/keys/audit.key"
    for other in (worker, sweeper):
        assert "ANTIFAZ_BOOTSTRAP_TOKEN" not in other.environment
        assert "ANTIFAZ_TOKEN_KEY_FILE" not in other.environment
    assert work_word not in json.dumps(dict(api.environment))
    assert postgres.password not in json.dumps([dict(each.environment) for each in (api, worker, sweeper)])
    assert "ANTIFAZ_DATABASE_ROLE" not in api.environment


def test_external_servers_are_used_with_a_role_for_each_process(tmp_path: Path, memory: Memory) -> None:
    options = Options.from_environment({"ANTIFAZ_DATA_DIR": str(tmp_path), **EXTERNAL})
    api, worker, questions, sweeper, courier = plan(options, Servers(None, None), memory, KEYS, None)
    for process in (api, worker, questions, sweeper):
        assert {name: process.environment[name] for name in EXTERNAL} == EXTERNAL
    assert api.environment["ANTIFAZ_DATABASE_ROLE"] == "antifaz_service"
    assert worker.environment["ANTIFAZ_DATABASE_ROLE"] == "antifaz_worker"
    assert "ANTIFAZ_BOOTSTRAP_TOKEN" not in api.environment
    assert courier.environment["ANTIFAZ_DATABASE_ROLE"] == "antifaz_courier"
    assert "ANTIFAZ_KEYRING_URL" not in courier.environment


def test_the_migrations_run_as_the_owner_without_a_role(tmp_path: Path, memory: Memory) -> None:
    options = Options.from_environment({"ANTIFAZ_DATA_DIR": str(tmp_path), **EXTERNAL})
    owner = connections(options, Servers(None, None), memory, None)
    assert owner == Connections(*EXTERNAL.values())


def test_no_credential_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_BOOTSTRAP_TOKEN", "b" * 40)
    monkeypatch.setenv("ANTIFAZ_WORKER_KEY_FILE", "/keys/worker.key")
    monkeypatch.setenv("ANTIFAZ_MAX_ROWS", "1000")
    bare = bare_environment()
    assert "ANTIFAZ_BOOTSTRAP_TOKEN" not in bare
    assert "ANTIFAZ_WORKER_KEY_FILE" not in bare
    assert bare["ANTIFAZ_MAX_ROWS"] == "1000"
    assert bare["NUMBA_CACHE_DIR"]


def test_the_printed_line_names_the_bundled_example_and_its_policy() -> None:
    line = publish_line("http://127.0.0.1:8000", "TOKEN", "patients", "table", "patients.csv")
    words = shlex.split(line.replace("\\\n", " "))
    assert words[0] == "curl"
    assert "Authorization: Bearer TOKEN" in words
    assert words[-1] == "http://127.0.0.1:8000/v1/datasets"
    forms = [words[place + 1] for place, word in enumerate(words) if word == "-F"]
    metadata, policy, file = forms
    assert json.loads(metadata.removeprefix("metadata=").removesuffix(";type=application/json"))["kind"] == "table"
    assert Path(policy.removeprefix("policy=<").removesuffix(";type=application/json")).is_file()
    assert Path(file.removeprefix("file=@")).is_file()


def test_the_token_is_announced_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(tmp_path)
    token = Memory(tmp_path / "secrets.json").pending_token(None)
    assert token
    announce(options, token)
    first = capsys.readouterr().out
    assert f"Bearer {token}" in first
    assert "shown once" in first
    announce(options, None)
    second = capsys.readouterr().out
    assert token not in second
    assert "$ANTIFAZ_TOKEN" in second
    assert "was shown at the first start" in second


def test_the_data_directory_hides_logs_and_keys(tmp_path: Path) -> None:
    stack.open_data_dir(tmp_path / "home")
    for name in ("logs", "keys"):
        assert stat.S_IMODE((tmp_path / "home" / name).stat().st_mode) == 0o700


def test_a_signal_raises_once_and_the_former_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped), stopping_on_signals():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_failed_compilation_is_said_loudly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "warm.log"
    process = spawn([sys.executable, "-c", "raise SystemExit('no compiler')"], environment={}, log=log)
    process.wait(patience())
    warming = Warming(process, log)
    assert [warming.alive(), warming.alive()] == [True, True]
    assert capsys.readouterr().err.count("compiling the kernels FAILED") == 1


def test_the_worker_takes_one_message_at_a_time() -> None:
    words = commands.worker()
    assert words[words.index("--prefetch-multiplier") + 1] == "1"
    assert words[words.index("-Q") + 1] == "small,large,fast"
