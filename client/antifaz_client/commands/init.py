"""Init: upload a file, get the service's advice, and write a policy with a reason for each column.

The policy is JSON with comments: read it, correct it where needed, and run `antifaz publish`.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from antifaz_client import Advice, Client
from antifaz_client.terminal.connection import (
    DONE,
    Misused,
    add_connection_arguments,
    data_of,
    progress_of,
    run_command,
)
from antifaz_client.terminal.kinds import kind_of_file
from antifaz_client.terminal.output import print_columns, print_json, say
from antifaz_client.terminal.uploads import add_upload_arguments, metadata_of, policy_beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("file", type=Path, nargs="?", help="the data")
    parser.add_argument("--policy", type=Path, help="where to write the policy (default: next to the file)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing policy")
    add_upload_arguments(parser)
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Propose a policy."""
    return run_command(_propose, arguments)


def _propose(client: Client, arguments: argparse.Namespace) -> int:
    target = _target(arguments)
    data = data_of(client, arguments)
    stated = {} if arguments.dataset else metadata_of(_with_kind(arguments))
    advice = client.advice(data, arguments.name, progress=progress_of(arguments), **stated)
    target.write_text(commented(advice), encoding="utf-8")
    if arguments.json:
        print_json({**advice.document, "dataset_id": advice.dataset_id, "policy_file": str(target)})
        return DONE
    print_columns(("column", "role", "reason"), ((c["name"], c["role"], c["reason"]) for c in advice["columns"]))
    for warning in advice["warnings"]:
        say(f"warning: {warning}")
    say(f"wrote {target}; read it, then: antifaz publish --dataset {advice.dataset_id} {target}")
    print(advice.dataset_id)
    return DONE


def _with_kind(arguments: argparse.Namespace) -> argparse.Namespace:
    """The arguments, with the kind that the file shows if none is stated."""
    found = None if arguments.kind else kind_of_file(arguments.file)
    if found is None:
        return arguments
    arguments.kind = found.kind
    say(f"taken for a {found.kind.replace('_', ' ')}: {found.reason}; if it is a table of people, add --kind table")
    if found.window and arguments.window is None:
        arguments.window = found.window
        say(f"its snapshots are taken by --window {found.window}; another --window changes that")
    return arguments


def _target(arguments: argparse.Namespace) -> Path:
    if arguments.policy is None and arguments.file is None:
        raise Misused("give --policy with the file to write the policy of a stored dataset to")
    target: Path = arguments.policy or policy_beside(arguments.file)
    if target.exists() and not arguments.force:
        raise Misused(f"{target} exists; use --force to overwrite it")
    return target


def commented(advice: Advice) -> str:
    """The policy as JSON, each column's reason before it and the other choices of k at the end."""
    policy = _in_reading_order(advice.policy)
    reasons = {column["name"]: column for column in advice["columns"]}
    lines = ["{"]
    for position, (name, value) in enumerate(policy.items()):
        comma = "," if position < len(policy) - 1 else ""
        if name == "attributes" and value:
            ordered = {name: value[name] for name in [*reasons, *value] if name in value}
            lines += ['  "attributes": {', *_attributes(ordered, reasons), f"  }}{comma}"]
            continue
        if name == "privacy_unit" and advice.get("privacy_unit"):
            lines.append(f"  // {_line(advice['privacy_unit']['reason'])}")
        lines.append(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}{comma}")
    lines += [f"  // {_line(warning)}" for warning in advice["warnings"]]
    if advice["choices"]:
        lines.append("  // Other choices, with the highest risk of one person and the information lost:")
        lines += [
            f"  //   k = {each['k']}: risk {each['risk']:.3g}, loss {each['loss']:.3g}" for each in advice["choices"]
        ]
    return "\n".join([*lines, "}", ""])


def _in_reading_order(policy: Any) -> Any:
    """Names first, then the other members: databases do not keep the order of members."""
    if isinstance(policy, list):
        return [_in_reading_order(each) for each in policy]
    if not isinstance(policy, dict):
        return policy
    known = ("kind", "model", "name", "role", "attributes", "privacy_unit", "guarantees")
    first = [name for name in known if name in policy]
    return {name: _in_reading_order(policy[name]) for name in dict.fromkeys([*first, *policy])}


def _attributes(attributes: Mapping[str, Any], reasons: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for position, (name, attribute) in enumerate(attributes.items()):
        column = reasons.get(name, {})
        if column.get("reason"):
            yield f"    // {_line(column['reason'])}"
        for warning in column.get("warnings") or ():
            yield f"    // Note: {_line(warning)}"
        comma = "," if position < len(attributes) - 1 else ""
        yield f"    {json.dumps(name, ensure_ascii=False)}: {json.dumps(attribute, ensure_ascii=False)}{comma}"


def _line(text: Any) -> str:
    """One line: a line break would end the comment."""
    return " ".join(str(text).split())
