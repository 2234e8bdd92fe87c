"""The connection of a command: no argument of a command takes the place of its address or its token."""

import argparse
from collections.abc import Iterator

import pytest
from antifaz_client.commands.main import _Parser, build_parser, main
from antifaz_client.terminal.connection import add_connection_arguments

from tests.strangers import stranger

OF_THE_TREE = {"command", "run", "action"}
"""Names that the parsers use themselves."""


def leaves(
    parser: argparse.ArgumentParser, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every command that can be run, with its parser."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield above, parser
    for action in below:
        for name, inner in action.choices.items():
            yield from leaves(inner, (*above, name))


COMMANDS = dict(leaves(build_parser()))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_two_arguments_of_a_command_share_a_name(command):
    names = [action.dest for action in COMMANDS[command]._actions]
    assert len(names) == len(set(names))
    assert not OF_THE_TREE & set(names)


def test_connected_commands_are_nearly_all():
    connected = {command for command, parser in COMMANDS.items() if "--token" in parser._option_string_actions}
    assert set(COMMANDS) - connected == {("up",), ("completion",)}
    assert all(COMMANDS[command]._option_string_actions["--url"].dest == "service_url" for command in connected)


@pytest.mark.parametrize("name", ["service_url", "service_token", "json"])
def test_a_parser_refuses_an_argument_that_would_replace_another(name):
    parser = _Parser(prog="antifaz")
    parser.add_argument(name)
    with pytest.raises(ValueError, match=name):
        add_connection_arguments(parser)


@pytest.mark.parametrize("stated", ["before", "after", "in the environment"])
@pytest.mark.parametrize(
    "words", [["webhooks", "create"], ["portals", "create", "ckan", "city"]], ids=["webhooks", "portals"]
)
def test_the_address_of_a_webhook_or_portal_is_not_that_of_the_service(words, stated, monkeypatch, capsys):
    monkeypatch.setenv("ANTIFAZ_PORTAL_KEY", "key-of-the-portal")
    monkeypatch.setattr("antifaz_client.transport.calls.TRIES", 1)
    monkeypatch.setenv("ANTIFAZ_URL", "127.0.0.1:9")
    monkeypatch.setenv("ANTIFAZ_TOKEN", "token-of-an-admin")
    connection = ["--url", "127.0.0.1:9", "--token", "token-of-an-admin"]
    with stranger() as elsewhere:
        given = {
            "before": [*connection, *words[2:], elsewhere.address],
            "after": [*words[2:], elsewhere.address, *connection],
            "in the environment": [*words[2:], elsewhere.address],
        }
        status = main([*words[:2], *given[stated]])
    assert elsewhere.received == []
    assert status == 4
    assert "no answer from http://127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["webhooks", "create", "https://hooks.example"],
        ["portals", "create", "ckan", "city", "https://data.example"],
        ["tokens", "create", "x", "steward"],
        ["webhooks", "delete", "x"],
        ["tokens", "revoke", "x"],
        ["webhooks", "list"],
    ],
    ids=" ".join,
)
def test_a_command_that_reaches_something_else_than_the_service_does_not_succeed(words, monkeypatch, capsys):
    monkeypatch.setenv("ANTIFAZ_PORTAL_KEY", "key-of-the-portal")
    with stranger() as elsewhere:
        status = main([*words, "--url", elsewhere.address, "--token", "x"])
    assert status == 1
    assert "check the address of the service" in capsys.readouterr().err
