"""The tools of assistants: what they are, what they cannot do, and how they answer."""

import io
import json
from typing import Any

from antifaz_client import Client
from antifaz_client.mcp import TOOLS, answer_line, serve
from antifaz_client.transport.operations import OPERATIONS


def ask(method: str, **params: Any) -> Any:
    with Client("127.0.0.1:9", "a-token-that-nobody-has") as client:
        return answer_line(client, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))


def test_an_assistant_is_introduced_and_sees_every_tool():
    assert ask("initialize", protocolVersion="2025-06-18")["result"]["serverInfo"]["name"] == "antifaz"
    listed = ask("tools/list")["result"]["tools"]
    assert {tool["name"] for tool in listed} == set(TOOLS)
    for tool in listed:
        assert tool["inputSchema"]["additionalProperties"] is False
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])


def test_no_tool_withdraws_deletes_or_revokes():
    """Every tool is run on a client that answers anything and records its calls."""
    asked: list[str] = []

    class Witness:
        """Returns itself for any attribute or call."""

        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            return lambda *args, **kwargs: self

        def __iter__(self) -> Any:
            return iter(())

    for tool in TOOLS.values():
        given = dict.fromkeys(tool.properties, "x") | {"vary": {}, "repeats": 1}
        try:
            tool.run(Witness(), given)
        except TypeError:
            continue
    assert {"publish", "advice", "compare", "trial", "validate", "verify", "save"} <= set(asked)
    assert not {name for name in asked if name in ("withdraw", "delete", "revoke_token", "create_token", "cancel")}


def test_no_operation_of_the_client_returns_an_original():
    assert not [path for method, path in OPERATIONS.values() if "original" in path or path.endswith("/file")]


def test_a_wrong_call_is_an_error_and_a_failing_tool_says_why_without_the_token():
    assert ask("tools/call", name="withdraw_release")["error"]["code"] == -32602
    assert ask("tools/call", name="read_report", arguments={"x": 1})["error"]["code"] == -32602
    assert ask("resources/list")["error"]["code"] == -32601
    answer = ask("tools/call", name="publish", arguments={"path": "/nowhere.csv", "policy": {"kind": "table"}})
    assert answer["result"]["isError"] is True
    assert "file not found" in answer["result"]["content"][0]["text"]
    assert "a-token" not in json.dumps(answer)


def test_messages_are_lines_and_notifications_get_no_answer():
    lines = io.StringIO('{"method": "notifications/initialized"}\n\nnot json\n{"id": 7, "method": "ping"}\n')
    answers = io.StringIO()
    with Client("127.0.0.1:9") as client:
        serve(client, lines, answers)
    first, second = (json.loads(line) for line in answers.getvalue().splitlines())
    assert first["error"]["code"] == -32700
    assert second == {"jsonrpc": "2.0", "id": 7, "result": {}}
