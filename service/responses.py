"""What the OpenAPI document says of answers."""

from typing import Any

from api_schemas.problem import MEDIA_TYPE

_SAID = {
    401: "No valid token.",
    403: "The token's role does not allow this.",
    404: "No such resource, or it belongs to another tenant.",
    406: "There is no such representation.",
    408: "The body came too slowly.",
    409: "The state does not allow this, or the first request with the same key is still being stored.",
    410: "The release was withdrawn.",
    413: "Too large.",
    415: "Another media type is needed.",
    416: "No byte is in that range.",
    422: "The request is not valid; errors says where.",
    429: "Too many requests.",
    500: "The fault is ours.",
    503: "A server that is needed does not answer.",
    507: "No room is left.",
}
_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_LOCATION = {"Location": {"description": "Where the new thing is.", "schema": {"type": "string"}}}

Responses = dict[int | str, dict[str, Any]]


def problems(*statuses: int, guarded: bool = True) -> Responses:
    """Problem answers; a guarded operation can always give some, and a body that has a limit can come too slowly."""
    always = (401, 403, 422, 429, 500, 503) if guarded else (422, 500, 503)
    slow = (408,) if 413 in statuses else ()
    return {status: _problem(status) for status in sorted({*statuses, *always, *slow})}


def _problem(status: int) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    said: dict[str, Any] = {"description": _SAID[status], "content": content}
    return said | ({"headers": _RETRY} if status in (429, 503) else {})


def created(status: int, model: type, description: str) -> Responses:
    """An answer with the place of what was created."""
    headers = _LOCATION | (_RETRY if status == 202 else {})
    return {status: {"model": model, "description": description, "headers": headers}}


def raw(status: int, description: str, *media_types: str, headers: dict[str, Any] | None = None) -> Responses:
    """An answer that is not JSON."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in media_types}
    return {status: {"description": description, "content": content, "headers": headers or {}}}


def documents(status: int, description: str, *media_types: str) -> Responses:
    """An answer in the words of others: an object where it is JSON, else a text."""
    shapes = {name: {"type": "object" if name.endswith("json") else "string"} for name in media_types}
    content = {media_type: {"schema": schema} for media_type, schema in shapes.items()}
    return {status: {"description": description, "content": content}}


def events(status: int, description: str) -> Responses:
    """Server-sent events. No schema: it would be that of the stream, and readers take it for an event's."""
    return {status: {"description": description, "content": {"text/event-stream": {}}}}


def nothing(status: int, description: str) -> Responses:
    """An answer without a body."""
    return {status: {"description": description}}
