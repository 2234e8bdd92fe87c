"""Pages of documentation: guides and reference, operations with their schemas, and requests that can be sent."""

import asyncio
import json
import shlex
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Path, Request
from starlette.responses import Response

from service.console.pages import page_router, show
from service.console.snippets import same_as
from service.console.visit import Visit, visit_of
from service.documentation.examples import DATASET
from service.documentation.markdown import document, inline
from service.documentation.operations import FORM, Operation, alternatives, fields, operations
from service.documentation.sources import GROUPS, sources
from service.http.problems import not_found

router = page_router()

Name = Annotated[str, Path(alias="name", pattern=r"^[A-Za-z0-9_-]{1,80}$")]

TAGS = {
    "datasets": "Uploads, profiles, advice, budgets",
    "jobs": "Running a policy, following it, cancelling it",
    "comparisons": "Several policies side by side, without a release",
    "releases": "What consumers download, and who may download it",
    "cards": "What people read about a release",
    "catalog": "The open catalog for portals",
    "reports": "The auditors' query, and reports as pages and PDF",
    "policies": "Checking and storing policies",
    "hierarchies": "How values generalize",
    "questions": "Questions under differential privacy",
    "catalogue": "Methods, guarantees, measures and attacks with their parameters",
    "audit": "The trail of events",
    "webhooks": "Addresses that are notified of events",
    "portals": "Publishing releases on portals",
    "tokens": "Tokens and tenants",
    "service": "Health, version, description",
}
"""Tag → the subject of its operations; other tags follow by name."""

_NEWEST = {
    "/v1/datasets/": ("list_datasets", "/v1/datasets"),
    "/v1/jobs/": ("list_jobs", "/v1/jobs"),
    "/v1/releases/": ("list_releases", "/v1/releases"),
    "/v1/policies/": ("list_policies", "/v1/policies"),
    "/v1/hierarchies/": ("list_hierarchies", "/v1/hierarchies"),
}
"""Beginning of a path → the list in which its newest item is found."""


@router.get("/docs", operation_id="page_docs")
async def documentation(request: Request) -> Response:
    """All documentation on one page."""
    return show(request, "docs.html", groups=_by_tag(request), tags=TAGS, **_contents())


def _by_tag(request: Request) -> dict[str, list[Operation]]:
    """The operations of each tag, built once per application."""
    state = request.app.state
    if not hasattr(state, "operations"):
        found: dict[str, list[Operation]] = {tag: [] for tag in TAGS}
        for operation in operations(request.app.openapi()):
            found.setdefault(operation.tag, []).append(operation)
        state.operations = {tag: listed for tag, listed in found.items() if listed}
    kept: dict[str, list[Operation]] = state.operations
    return kept


def _contents() -> dict[str, Any]:
    listed = list(sources().values())
    return {group: [source for source in listed if source.group == group] for group in GROUPS}


@router.get("/docs/guides/{name}", operation_id="page_docs_guide")
async def guide(request: Request, name: Name) -> Response:
    return _page(request, "guides", name)


@router.get("/docs/reference/{name}", operation_id="page_docs_reference")
async def reference(request: Request, name: Name) -> Response:
    return _page(request, "reference", name)


def _page(request: Request, group: str, name: str) -> Response:
    source = sources().get(f"/docs/{group}/{name}")
    if source is None:
        raise not_found()
    return show(request, "docs_page.html", source=source, document=document(source), **_contents())


@router.get("/docs/schemas/{name}", operation_id="page_docs_schema")
async def schema(request: Request, name: Name) -> Response:
    schemas = request.app.openapi()["components"]["schemas"]
    if name not in schemas:
        raise not_found()
    found = schemas[name]
    return show(
        request,
        "docs_schema.html",
        name=name,
        about=inline(found.get("description", "").replace("``", "`")),
        fields=fields(found, schemas),
        alternatives=alternatives(found),
        schema=found,
    )


@router.get("/docs/api/{name}", operation_id="page_docs_operations")
async def operations_of(request: Request, name: Name) -> Response:
    groups = _by_tag(request)
    if name not in groups:
        raise not_found()
    visit = visit_of(request)
    newest = await _newest(visit, groups[name])
    return show(
        request,
        "docs_operations.html",
        tag=name,
        about=TAGS.get(name, ""),
        tags=list(groups),
        entries=[_entry(request, visit, operation, newest) for operation in groups[name]],
    )


async def _newest(visit: Visit, shown: list[Operation]) -> dict[str, str]:
    """Beginning of a path → the id of its newest item that the visitor may see."""
    starts = {start for each in shown for start in _NEWEST if each.path.startswith(start)} | {"/v1/datasets/"}
    wanted = [start for start in sorted(starts) if visit.may(_NEWEST[start][0])]
    pages = await asyncio.gather(*(visit.try_get(_NEWEST[start][1], limit=1) for start in wanted))
    return {start: page["items"][0]["id"] for start, page in zip(wanted, pages, strict=True) if page and page["items"]}


def _entry(request: Request, visit: Visit, operation: Operation, newest: Mapping[str, str]) -> dict[str, Any]:
    """An operation with an example that this visitor could send."""
    body = next((each for each in operation.bodies if each.example is not None), None)
    example = None if body is None else _with_real_ids(body.example, newest)
    start = next((start for start in newest if operation.path.startswith(start)), None)
    known = newest[start] if start and operation.method != "DELETE" else ""
    path = operation.path.replace("{id}", known or "{id}")
    is_form = body is not None and body.media_type == FORM
    call = (operation.method, path) if example is None else (operation.method, path, example)
    calls = _form_calls(request, path, example or {}) if is_form else same_as(request, call)
    return {
        "operation": operation,
        "body": body,
        "example": example,
        "is_form": is_form,
        "known": known,
        "same": calls,
        "allowed": operation.open or visit.may(operation.id),
        "is_stream": any(c.media_type == "text/event-stream" for o in operation.outcomes for c in o.contents),
    }


def _with_real_ids(example: Any, newest: Mapping[str, str]) -> Any:
    return json.loads(json.dumps(example).replace(DATASET, newest.get("/v1/datasets/", DATASET)))


def _form_calls(request: Request, path: str, example: Mapping[str, Any]) -> list[dict[str, str]]:
    """An upload for curl and for Python."""
    address = str(request.base_url).rstrip("/") + path
    metadata, policy = json.dumps(example["metadata"]), json.dumps(example["policy"], indent=2)
    curl = [
        f"cat > policy.json <<'END'\n{policy}\nEND",
        'curl -H "Authorization: Bearer $ANTIFAZ_TOKEN" \\',
        f"  -F {shlex.quote(f'metadata={metadata};type=application/json')} \\",
        "  -F 'policy=<policy.json;type=application/json' \\",
        f"  -F file=@patients.csv {address}",
    ]
    python = [
        "import json, os, httpx",
        "",
        "parts = [",
        f'    ("metadata", (None, json.dumps({example["metadata"]!r}), "application/json")),',
        '    ("policy", (None, open("policy.json", "rb"), "application/json")),',
        '    ("file", ("patients.csv", open("patients.csv", "rb"))),',
        "]",
        f'answer = httpx.post("{address}", files=parts,',
        '                    headers={"Authorization": "Bearer " + os.environ["ANTIFAZ_TOKEN"]})',
        "print(answer.json())",
    ]
    return [{"language": "curl", "code": "\n".join(curl)}, {"language": "Python", "code": "\n".join(python)}]
