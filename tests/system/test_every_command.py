"""Every command and every method of the client, against the service and a stranger who must receive nothing.

The stranger's address is that of every webhook and portal, of the proxy in the environment, and of ANTIFAZ_URL: a
request that goes anywhere but to the stated service reaches the stranger.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from antifaz_client.commands.main import main

from tests.client.terminal.test_connection import COMMANDS
from tests.service.samples import ABOUT
from tests.strangers import Stranger, stranger
from tests.system.conftest import ROOT, Stack
from tests.system.every_method import DECLARED, EVERYTHING, Story
from tests.system.samples import patients, table_policy

CONNECTED = {command for command, parser in COMMANDS.items() if "--token" in parser._option_string_actions}


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stranger]:
    """A stranger at every address but the service's."""
    with stranger() as listening:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "ANTIFAZ_URL"):
            monkeypatch.setenv(name, listening.address)
        monkeypatch.setenv("ANTIFAZ_TOKEN", "token-for-the-stranger")
        monkeypatch.setenv("ANTIFAZ_PORTAL_KEY", "key-of-a-portal")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield listening


def documented() -> set[str]:
    """Every command that the pages write, such as `antifaz tokens create NAME ROLE`, by its words."""
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("docs/cli.md", "README.md"))
    return set(re.findall(r"(?:`|\.venv/bin/|^)antifaz ((?:[a-z]+ ?)+)", text, re.MULTILINE))


def command_of(words: str) -> tuple[str, ...]:
    """The command that written words begin with."""
    first, *rest = words.split()
    return (first, rest[0]) if rest and (first, rest[0]) in COMMANDS else (first,)


def test_every_documented_command_exists_and_every_command_is_documented():
    written = {command_of(words) for words in documented()}
    groups = {command[:1] for command in COMMANDS if len(command) > 1}
    assert written <= set(COMMANDS) | groups
    assert {command[:1] for command in COMMANDS} <= {command[:1] for command in written}


class Terminal:
    """Runs commands as roles, and remembers which."""

    def __init__(self, stack: Stack, elsewhere: Stranger, capsys: pytest.CaptureFixture[str]) -> None:
        self._stack, self._elsewhere, self._capsys = stack, elsewhere, capsys
        self.used: set[tuple[str, ...]] = set()

    def __call__(self, words: str, *more: str | Path, role: str = "steward") -> str:
        """The output of a command that must succeed, with the address after it; then the same before its words."""
        command = command_of(words)
        self.used.add(command)
        connection = ["--url", self._stack.address, "--token", self._stack.token(role)]
        inner = words.split()[len(command) :]
        status = main([*command, *connection, *inner, *map(str, more)])
        shown = self._capsys.readouterr()
        assert status == 0, (words, shown.err)
        assert self._elsewhere.received == [], words
        return shown.out


def test_every_command_reaches_the_service_and_nobody_else(
    stack: Stack, elsewhere: Stranger, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Terminal(stack, elsewhere, capsys)
    file, policy = tmp_path / "p.csv", tmp_path / "policy.json"
    file.write_bytes(patients(40, seed=5))
    policy.write_text(json.dumps(table_policy(3, None)))
    dataset = run("init", file).split()[-1]
    run("preview", dataset, "age", '{"kind": "intervals", "width": 10}')
    run("validate", policy, "--dataset", dataset)
    release = run("publish", "--dataset", dataset, policy, "--to", tmp_path / "out").strip()
    run("compare", policy, "--dataset", dataset)
    with stack.client() as steward:
        asked = stack.upload(patients(40, seed=6)).json()["id"]
        assert steward.put(f"/v1/datasets/{asked}/declarations", json=DECLARED).status_code == 200
        assert steward.put(f"/v1/releases/{release}/about", json=ABOUT).status_code == 200
        assert steward.post(f"/v1/releases/{release}/audience", json={"audience": "public"}).status_code == 200
    run("ask", asked, "--count", "--epsilon", "0.1", "--accuracy")
    for listing in ("datasets", "jobs", "releases"):
        run(listing, "--limit", "3")
    run("releases", release, "--to", tmp_path / "files")
    run("report", release)
    run("verify", release)
    tokens(run)
    webhooks(run, elsewhere.address)
    portals(run, elsewhere.address, release)
    assert run.used == CONNECTED, "a command that is not run here could go anywhere"


def tokens(run: Terminal) -> None:
    made = json.loads(run("tokens create", "brief", "consumer", "--days", "1", "--json", role="admin"))
    run("tokens list", role="admin")
    run("tokens revoke", made["id"], role="admin")


def webhooks(run: Terminal, address: str) -> None:
    made = json.loads(run("webhooks create", address, "--json", role="admin"))
    assert made["url"].rstrip("/") == address
    assert made["id"] in run("webhooks list", role="admin")
    for action in ("rotate", "test", "delete"):
        run(f"webhooks {action}", made["id"], role="admin")


def portals(run: Terminal, address: str, release: str) -> None:
    used, spare = (
        json.loads(run("portals create", "ckan", name, address, "--json", role="admin")) for name in ("used", "spare")
    )
    assert used["id"] in run("portals list", role="admin")
    run("portals publish", release, used["id"])
    run("portals publications", release)
    run("portals delete", spare["id"], role="admin")


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_every_method_of_the_client_reaches_the_service_and_nobody_else(
    stack: Stack, elsewhere: Stranger, tmp_path: Path, awaited: bool
) -> None:
    story = Story(stack, awaited, elsewhere.address, tmp_path)
    anyio.run(story.tell)
    assert elsewhere.received == []
    assert EVERYTHING - story.called == set(), "an operation that is not called here could go anywhere"


def test_an_auditor_verifies_without_data_and_with_the_files_that_they_have(
    stack: Stack, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job = stack.publish(patients(40, seed=8), table_policy(3, None, formats=["csv"]))
    release = job["release_id"]

    def verify(role: str, *files: str) -> tuple[int, str, str]:
        connection = ["--url", stack.address, "--token", stack.token(role)]
        status = main(["verify", release, *files, *connection])
        return status, *capfd.readouterr()

    status, out, err = verify("auditor")
    assert (status, json.loads(out)["status"]) == (3, "cannot tell")
    assert "first use" in err
    assert "were not given" in err
    (tmp_path / "received.csv").write_bytes(stack.data(release))
    assert verify("auditor", str(tmp_path / "received.csv"))[0] == 0
    status, out, _ = verify("consumer")
    assert (status, json.loads(out)["holds"]) == (0, True)
    with stack.client("consumer") as consumer:
        (tmp_path / "bundle.zip").write_bytes(consumer.get(f"/v1/releases/{release}/bundle.zip").content)
    assert main(["verify", str(tmp_path / "bundle.zip")]) == 0


def test_offline_without_a_known_key_the_status_is_another_one(
    stack: Stack, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job = stack.publish(patients(40, seed=9), table_policy(3, None, formats=["csv"]))
    with stack.client("consumer") as consumer:
        answer = consumer.get(f"/v1/releases/{job['release_id']}/bundle.zip")
        published = consumer.get("/.well-known/antifaz-keys.json")
    bundle, keys = tmp_path / "bundle.zip", tmp_path / "keys.json"
    bundle.write_bytes(answer.content)
    keys.write_bytes(published.content)
    assert main(["verify", str(bundle)]) == 5
    assert "signer unknown" in capfd.readouterr().err
    assert main(["verify", str(bundle), "--key", str(keys)]) == 0
    assert main(["verify", str(bundle)]) == 5
    assert main(["verify", str(bundle), "--url", stack.address, "--token", ""]) == 0
    assert main(["verify", str(bundle)]) == 0
    assert main(["verify", str(bundle), "--key", "00" * 32]) == 3
