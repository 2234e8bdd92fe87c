"""Hierarchy reader: parses an uploaded hierarchy into its stored form, in this process or in a separate one.

`python -m service.policies.hierarchy_reader MEDIA_TYPE MAX_DEPTH` reads the upload from its standard input and writes a
line of JSON, followed by the hierarchy in its stored form. It has no credentials and ends with the request that started
it.
"""

import csv
import hashlib
import io
import json
import os
import resource
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from antifaz.errors import InvalidPolicy
from antifaz.policy.parse import hierarchy_shape, parse_hierarchy
from api_schemas.data.hierarchies import HierarchyRequest
from api_schemas.strict_json import BadJson, canonical_json, parse_json
from service.http.parsing import LONG_BYTES, READERS, WAITERS
from service.http.problems import Problem, internal_error, invalid, json_problem, policy_problem, request_faults
from storage.memory import leave_no_image

MOST_CELLS = 1_000_000
"""Limit on rows times levels of an uploaded hierarchy."""
_MEMORY_BYTES = 4 << 30
_SECONDS = 120.0
_TEXT = "text/csv"
_KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT")
"""Environment variables that the process gets; the others include addresses and secrets."""


@dataclass(frozen=True)
class ReadHierarchy:
    """A hierarchy that is valid."""

    name: str | None
    """From the JSON document; None for text."""
    kind: str
    shape: dict[str, Any]
    digest: bytes
    """Digest of the content that was sent, regardless of formatting."""
    content: bytes = field(repr=False)
    """Canonical JSON, to be sealed to the workers."""


async def read_hierarchy(content: bytes, media_type: str, max_depth: int, whose: str) -> ReadHierarchy:
    """Read an upload: a short one in a thread, a long one in a process."""
    if len(content) <= LONG_BYTES:
        return await READERS.read(whose, read, content, media_type, max_depth)
    return await WAITERS.read(whose, _read_apart, content, media_type, max_depth)


def read(content: bytes, media_type: str, max_depth: int) -> ReadHierarchy:
    """The hierarchy, or the problem with it."""
    name, document = (None, _rows(content)) if media_type == _TEXT else _document(content, max_depth)
    return parsed(name, document)


def parsed(name: str | None, document: dict[str, Any]) -> ReadHierarchy:
    """A hierarchy from its document."""
    _check_cost(document)
    try:
        hierarchy = parse_hierarchy(document)
    except InvalidPolicy as error:
        raise policy_problem(error, "/hierarchy", "invalid-hierarchy") from None
    digest = hashlib.sha256(canonical_json(document)).digest()
    stored = canonical_json(hierarchy.model_dump(mode="json"))
    return ReadHierarchy(name, hierarchy.wire_name(), hierarchy_shape(hierarchy), digest, stored)


def _check_cost(document: dict[str, Any]) -> None:
    rows = document.get("rows")
    cells = sum(len(row) for row in rows if isinstance(row, list)) if isinstance(rows, list) else 0
    if cells > MOST_CELLS:
        raise invalid("too-large", "/hierarchy/rows", f"may have at most {MOST_CELLS} cells (rows times levels)")


def _document(content: bytes, max_depth: int) -> tuple[str, dict[str, Any]]:
    try:
        body = HierarchyRequest.model_validate(parse_json(content, max_depth))
    except BadJson as error:
        raise json_problem(error) from None
    except ValidationError as error:
        faults = request_faults([{**each, "loc": ("body", *each["loc"])} for each in error.errors()])
        raise Problem("invalid-request", f"{len(faults)} fault(s), see errors.", errors=faults) from None
    return body.name, body.hierarchy


def _rows(content: bytes) -> dict[str, Any]:
    """Semicolon-separated rows, as ARX writes its hierarchies."""
    try:
        text = content.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True) if row]
    except UnicodeDecodeError:
        raise invalid("invalid-hierarchy", "", "is not UTF-8") from None
    except csv.Error:
        raise invalid("invalid-hierarchy", "", "has a quote that does not close, or a cell that is too long") from None
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise invalid("invalid-hierarchy", "", "has another number of levels than the first", row=number)
    if "\x00" in text or not rows:
        raise invalid("invalid-hierarchy", "", "has a NUL character" if rows else "is empty")
    return {"kind": "levels", "rows": rows}


def _read_apart(content: bytes, media_type: str, max_depth: int) -> ReadHierarchy:
    """Read in a process, whose output is trusted because it runs this file."""
    command = [sys.executable, "-m", "service.policies.hierarchy_reader", media_type, str(max_depth)]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    try:
        done = subprocess.run(
            command, input=content, capture_output=True, env=environment, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Problem("too-large", f"The hierarchy cannot be read within {_SECONDS:g} s.") from None
    if done.returncode != 0:
        raise internal_error()
    line, _, stored = done.stdout.partition(b"\n")
    said = json.loads(line)
    if "problem" in said:
        raise Problem(said["problem"], said["detail"], errors=said["errors"])
    return ReadHierarchy(said["name"], said["kind"], said["shape"], bytes.fromhex(said["digest"]), stored)


def main() -> None:
    """Read from standard input, within limits of memory and time."""
    leave_no_image()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (int(_SECONDS), int(_SECONDS)))
    content = sys.stdin.buffer.read()
    try:
        found = read(content, sys.argv[1], int(sys.argv[2]))
    except Problem as problem:
        _say({"problem": problem.kind, "detail": problem.detail, "errors": problem.errors})
    except MemoryError:
        _say({"problem": "too-large", "detail": "The hierarchy takes too much memory to read.", "errors": []})
    else:
        digest = found.digest.hex()
        _say({"name": found.name, "kind": found.kind, "shape": found.shape, "digest": digest}, found.content)


def _say(line: dict[str, Any], content: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n" + content)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
