"""Negotiation: the media type that a client wants (RFC 9110, section 12.5.1), and whether its copy is current."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from fastapi import Request
from starlette.responses import Response

from service.http.problems import Problem

_RANGE = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)/([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*")
_QUALITY = re.compile(r"\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*", re.IGNORECASE)
_MOST_RANGES = 50


def preferred(accept: str | None, offered: Sequence[str]) -> str | None:
    """The offered media type that the header prefers, the first of equals; None if it accepts none of them."""
    wanted = _ranges(accept)
    if not wanted:
        return offered[0]
    best = max(offered, key=lambda media_type: _quality(wanted, media_type))
    return best if _quality(wanted, best) > 0 else None


def _ranges(accept: str | None) -> list[tuple[str, str, float]]:
    found = []
    for item in (accept or "").split(",")[:_MOST_RANGES]:
        name, *parameters = item.split(";")
        matched = _RANGE.fullmatch(name)
        if matched:
            qualities = [quality for quality in map(_QUALITY.fullmatch, parameters) if quality]
            found.append((matched[1].lower(), matched[2].lower(), float(qualities[0][1]) if qualities else 1.0))
    return found


def _quality(wanted: Sequence[tuple[str, str, float]], media_type: str) -> float:
    """The quality given by the most specific matching range."""
    kind, _, name = media_type.partition(";")[0].strip().lower().partition("/")
    fitting = [
        (specific, quality)
        for first, second, quality in wanted
        for specific in [(first == kind) + (second == name)]
        if first in (kind, "*") and second in (name, "*")
    ]
    return max(fitting, default=(0, 0.0))[1]


def chosen(request: Request, offered: Sequence[str]) -> str:
    """The media type of the response; a 406 if the client accepts none of those offered."""
    media_type = preferred(request.headers.get("accept"), offered)
    if media_type is None:
        raise Problem("not-acceptable", f"Available: {', '.join(offered)}.")
    return media_type


def matches(header: str | None, etag: str) -> bool:
    """Whether If-None-Match names this response."""
    return header is not None and (
        header.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in header.split(",")]
    )


def tagged(request: Request, body: bytes, media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """A response with the digest of its body as ETag, or 304 if the client has it."""
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    said = {"Cache-Control": "no-cache", "Vary": "Accept", **(headers or {}), "ETag": etag}
    if matches(request.headers.get("if-none-match"), etag):
        return Response(status_code=304, headers=said)
    return Response(body, headers=said, media_type=media_type)
