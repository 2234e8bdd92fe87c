"""Descriptions of responses in the OpenAPI document."""

from typing import Any

from api_schemas.problem import MEDIA_TYPE

_SAID = {
    401: "No valid token.",
    403: "The token's role does not allow this.",
    404: "No such resource, or it belongs to another tenant.",
    406: "No such representation.",
    408: "The body was sent too slowly.",
    409: "The state does not allow this, or the first request with the same key is still being stored.",
    410: "The release was withdrawn.",
    413: "Too large.",
    415: "Another media type is needed.",
    416: "No byte is in that range.",
    422: "The request is not valid; see `errors`.",
    429: "Too many requests.",
    500: "Internal error.",
    503: "A required server does not answer, or the service is busy.",
    507: "The storage, or the tenant's quota, is used up.",
}
_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_LOCATION = {"Location": {"description": "Address of the new resource.", "schema": {"type": "string"}}}

Responses = dict[int | str, dict[str, Any]]


def problems(*statuses: int, guarded: bool = True) -> Responses:
    """Problem responses. Some are possible for every guarded operation; a body with a limit can be too slow."""
    always = (401, 403, 422, 429, 500, 503) if guarded else (422, 500, 503)
    slow = (408,) if 413 in statuses else ()
    return {status: _problem(status) for status in sorted({*statuses, *always, *slow})}


def _problem(status: int) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    said: dict[str, Any] = {"description": _SAID[status], "content": content}
    return said | ({"headers": _RETRY} if status in (429, 503) else {})


def created(status: int, model: type, description: str) -> Responses:
    """A response with the address of the created resource."""
    headers = _LOCATION | (_RETRY if status == 202 else {})
    return {status: {"model": model, "description": description, "headers": headers}}


def raw(status: int, description: str, *media_types: str, headers: dict[str, Any] | None = None) -> Responses:
    """A response that is not JSON."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in media_types}
    return {status: {"description": description, "content": content, "headers": headers or {}}}


def documents(status: int, description: str, *media_types: str) -> Responses:
    """A response in an external format: an object if it is JSON, otherwise a text."""
    shapes = {name: {"type": "object" if name.endswith("json") else "string"} for name in media_types}
    content = {media_type: {"schema": schema} for media_type, schema in shapes.items()}
    return {status: {"description": description, "content": content}}


def events(status: int, description: str) -> Responses:
    """Server-sent events. Without a schema: it would describe the stream, but readers apply it to single events."""
    return {status: {"description": description, "content": {"text/event-stream": {}}}}


def nothing(status: int, description: str) -> Responses:
    """A response without a body."""
    return {status: {"description": description}}
