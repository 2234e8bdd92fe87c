"""`antifaz-mcp`: the client as tools of an assistant, over the Model Context Protocol on standard input and output.

Tools take paths and ids, and return ids, reports and figures. None returns the content of a file or an original (the
service has no such operation), and none withdraws or deletes. ANTIFAZ_URL and ANTIFAZ_TOKEN are the address of the
service and the token; a steward's token is enough.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from antifaz_client.client import Client
from antifaz_client.errors import AntifazError, Problem, Refused

PROTOCOL = "2025-06-18"
_PARSE_ERROR, _INVALID_REQUEST, _UNKNOWN_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602
_TEXT = {"type": "string"}
_POLICY = {
    "anyOf": [{"type": "string"}, {"type": "object"}],
    "description": "the policy: the path of a JSON file, or the policy itself",
}
_DATA = {
    "path": {**_TEXT, "description": "a file on this machine; it is uploaded and never shown"},
    "dataset_id": {**_TEXT, "description": "id of a stored dataset, instead of a path"},
    "kind": {"type": "string", "enum": ["table", "graph", "temporal_graph"]},
    "name": {**_TEXT, "description": "name of the new dataset"},
}


@dataclass(frozen=True)
class Tool:
    """One tool of the assistant."""

    summary: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    run: Callable[[Client, Mapping[str, Any]], Any]
    changes: bool = False
    """Whether something new is stored or published."""

    def described(self, name: str) -> dict[str, Any]:
        """Its entry in the list of tools."""
        schema = {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }
        hints = {"readOnlyHint": not self.changes, "destructiveHint": False}
        return {"name": name, "description": self.summary, "inputSchema": schema, "annotations": hints}


def _data(client: Client, given: Mapping[str, Any]) -> Any:
    if given.get("dataset_id"):
        return client.dataset(given["dataset_id"])
    if not given.get("path"):
        raise ValueError("give a path or a dataset_id")
    return Path(given["path"])


def _metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    if given.get("dataset_id"):
        return {}
    return {"kind": given["kind"]} if given.get("kind") else {}


def _advise(client: Client, given: Mapping[str, Any]) -> Any:
    advice = client.advice(_data(client, given), given.get("name"), progress=False, **_metadata(given))
    return {"dataset_id": advice.dataset_id, **advice.document}


def _publish(client: Client, given: Mapping[str, Any]) -> Any:
    data = _data(client, given)
    release = client.publish(data, given["policy"], given.get("name"), progress=False, **_metadata(given))
    saved = [str(path) for path in release.save(given["folder"])] if given.get("folder") else []
    return {"release_id": release.id, "guarantees": release.guarantees, "saved": saved}


def _try(client: Client, given: Mapping[str, Any]) -> Any:
    data = _data(client, given)
    return client.trial(data, given["policy"], given.get("name"), progress=False, **_metadata(given)).report()


def _compare(client: Client, given: Mapping[str, Any]) -> Any:
    dataset, repeats = client.dataset(given["dataset_id"]), given.get("repeats", 1)
    comparison = client.compare(dataset, given["policy"], vary=given["vary"], repeats=repeats, progress=False)
    return comparison.document


def _report(client: Client, given: Mapping[str, Any]) -> Any:
    try:
        return client.release(given["id"]).report()
    except Problem as problem:
        if problem.status != 404:
            raise
    return client.job(given["id"]).report()


def _verify(client: Client, given: Mapping[str, Any]) -> Any:
    found = client.release(given["release_id"]).verify()
    return {"release_id": found.release_id, "holds": found.holds, "guarantees": found.guarantees}


def _save(client: Client, given: Mapping[str, Any]) -> Any:
    return [str(path) for path in client.release(given["release_id"]).save(given["folder"])]


_FOLDER = {"folder": {**_TEXT, "description": "where to save the released files"}}
_ONE_RELEASE = {"release_id": _TEXT}
TOOLS: dict[str, Tool] = {
    "propose_policy": Tool("Propose a policy for data, with a reason for each column.", _DATA, (), _advise, True),
    "validate_policy": Tool(
        "Check a policy without running it.",
        {"policy": _POLICY, "dataset_id": _TEXT},
        ("policy",),
        lambda client, given: client.validate(given["policy"], given.get("dataset_id")),
    ),
    "try_policy": Tool(
        "Run a policy and report, without releasing anything.", {**_DATA, "policy": _POLICY}, ("policy",), _try, True
    ),
    "compare_policies": Tool(
        "Vary settings of a policy on a dataset: risk and loss of each.",
        {
            "dataset_id": _TEXT,
            "policy": _POLICY,
            "vary": {"type": "object", "description": 'for example {"/guarantees/0/k": [2, 5, 10]}'},
            "repeats": {"type": "integer", "minimum": 1},
        },
        ("dataset_id", "policy", "vary"),
        _compare,
        True,
    ),
    "publish": Tool(
        "Protect data by a policy, verify and release it within the tenant.",
        {**_DATA, **_FOLDER, "policy": _POLICY},
        ("policy",),
        _publish,
        True,
    ),
    "list_datasets": Tool(
        "Datasets, newest first.", {}, (), lambda client, given: [each.document for each in client.datasets(limit=50)]
    ),
    "list_jobs": Tool(
        "Jobs, newest first.", {}, (), lambda client, given: [each.document for each in client.jobs(limit=50)]
    ),
    "list_releases": Tool(
        "Releases, newest first.", {}, (), lambda client, given: [each.document for each in client.releases(limit=50)]
    ),
    "read_report": Tool("The report of a release or a job.", {"id": _TEXT}, ("id",), _report),
    "verify_release": Tool(
        "Compare a release with its digests and its report.", _ONE_RELEASE, ("release_id",), _verify
    ),
    "save_release": Tool(
        "Save the files of a release in a folder.", {**_ONE_RELEASE, **_FOLDER}, ("release_id", "folder"), _save
    ),
}


def serve(client: Client, lines: TextIO, answers: TextIO) -> None:
    """Answer messages, one to a line, until there are no more."""
    for line in lines:
        if line.strip():
            answer = answer_line(client, line)
            if answer is not None:
                answers.write(json.dumps(answer, ensure_ascii=False) + "\n")
                answers.flush()


def answer_line(client: Client, line: str) -> dict[str, Any] | None:
    """The answer to a message; None to a notification."""
    try:
        message = json.loads(line)
    except ValueError:
        return _error(None, _PARSE_ERROR, "the message is not JSON")
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _error(None, _INVALID_REQUEST, "the message has no method")
    # JSON-RPC: a message without an id is a notification, which gets no answer, not even an error.
    if "id" not in message:
        return None
    number, params = message["id"], message.get("params") or {}
    method = message["method"]
    if method == "initialize":
        return _result(number, _introduction())
    if method == "ping":
        return _result(number, {})
    if method == "tools/list":
        return _result(number, {"tools": [tool.described(name) for name, tool in TOOLS.items()]})
    if method == "tools/call":
        return _called(client, number, params)
    return _error(number, _UNKNOWN_METHOD, "unknown method")


def _introduction() -> dict[str, Any]:
    from antifaz_client import __version__

    return {
        "protocolVersion": PROTOCOL,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "antifaz", "version": __version__},
        "instructions": "Publish data about people without exposing them: propose_policy, try_policy, publish.",
    }


def _called(client: Client, number: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    tool, given = TOOLS.get(params.get("name", "")), params.get("arguments") or {}
    if tool is None:
        return _error(number, _INVALID_PARAMS, "unknown tool")
    unknown, missing = set(given) - set(tool.properties), [name for name in tool.required if name not in given]
    if unknown or missing:
        return _error(number, _INVALID_PARAMS, f"unknown: {sorted(unknown)}; missing: {missing}")
    try:
        found = tool.run(client, given)
    # A refusal is an answer: the assistant gets the reasons and what would work, instead of an error of the protocol.
    except Refused as refusal:
        reasons = {"job_id": refusal.job_id, "reasons": refusal.reasons, "nearest": refusal.nearest}
        return _result(number, _content({"refused": reasons}, failed=True))
    except (AntifazError, OSError, ValueError, TypeError, LookupError) as error:
        return _result(number, _content({"error": str(error)}, failed=True))
    return _result(number, _content(found))


def _content(found: Any, *, failed: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(found, ensure_ascii=False)}], "isError": failed}


def _result(number: Any, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def main() -> None:
    """Serve the assistant that started this process."""
    with Client() as client:
        serve(client, sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
