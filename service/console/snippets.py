"""Snippets: the API calls behind a page, for curl and Python."""

import json
import shlex
from typing import Any

from fastapi import Request


def same_as(request: Request, *calls: tuple[Any, ...]) -> list[dict[str, str]]:
    """Each call (method, path, and a body or none) for curl and for Python."""
    base = str(request.base_url).rstrip("/")
    return [
        {"language": "curl", "code": "\n\n".join(_curl(base, *call) for call in calls)},
        {"language": "Python", "code": "\n".join([_HEAD.format(base=base), *(_python(*call) for call in calls)])},
    ]


_HEAD = """import os
import httpx

client = httpx.Client(
    base_url="{base}",
    headers={{"Authorization": "Bearer " + os.environ["ANTIFAZ_TOKEN"]}},
)
"""

_UPLOAD = """
metadata = {"name": "patients", "kind": "table"}
with open("patients.csv", "rb") as file:
    parts = [("metadata", (None, json.dumps(metadata), "application/json")), ("file", file)]
    print(client.post("/v1/datasets", files=parts).json())"""


def uploading(request: Request) -> list[dict[str, str]]:
    """An upload, which is a form with a file, for curl and for Python."""
    base = str(request.base_url).rstrip("/")
    curl = f"""curl -H "Authorization: Bearer $ANTIFAZ_TOKEN" \\
  -F 'metadata={{"name": "patients", "kind": "table"}};type=application/json' \\
  -F 'file=@patients.csv' {base}/v1/datasets"""
    python = "import json\n" + _HEAD.format(base=base) + _UPLOAD
    return [{"language": "curl", "code": curl}, {"language": "Python", "code": python}]


def _curl(base: str, method: str, path: str, body: Any = None) -> str:
    words = ["curl", "-H", '"Authorization: Bearer $ANTIFAZ_TOKEN"']
    if method != "GET":
        words += ["-X", method]
    if body is not None:
        words += ["-H", "'Content-Type: application/json'", "-d", shlex.quote(json.dumps(body, ensure_ascii=False))]
    return " ".join([*words, shlex.quote(base + path)])


def _python(method: str, path: str, body: Any = None) -> str:
    given = "" if body is None else f", json={body!r}"
    # Most deletions return no body.
    read = "status_code" if method == "DELETE" else "json()"
    return f"print(client.{method.lower()}({path!r}{given}).{read})"
