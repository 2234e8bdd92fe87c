"""Negotiation: which media type a client wants (RFC 9110, section 12.5.1), and whether it has the answer already."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from fastapi import Request
from starlette.responses import Response

from service.problems import Problem

_RANGE = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)/([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*")
_QUALITY = re.compile(r"\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*", re.IGNORECASE)
_MOST_RANGES = 50


def preferred(accept: str | None, offered: Sequence[str]) -> str | None:
    """The offered media type that the header likes best, the first of equals; None if it wants none of them."""
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
    """By the most specific range that fits."""
    kind, _, name = media_type.partition(";")[0].strip().lower().partition("/")
    fitting = [
        (specific, quality)
        for first, second, quality in wanted
        for specific in [(first == kind) + (second == name)]
        if first in (kind, "*") and second in (name, "*")
    ]
    return max(fitting, default=(0, 0.0))[1]


def chosen(request: Request, offered: Sequence[str]) -> str:
    """The media type of the answer; a 406 if the client wants none that there is."""
    media_type = preferred(request.headers.get("accept"), offered)
    if media_type is None:
        raise Problem("not-acceptable", f"There is {', '.join(offered)}.")
    return media_type


def matches(header: str | None, etag: str) -> bool:
    """Whether If-None-Match names this answer."""
    return header is not None and (
        header.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in header.split(",")]
    )


def tagged(request: Request, body: bytes, media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer with the digest of its body as ETag, or 304 for who has it."""
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    said = {"Cache-Control": "no-cache", "Vary": "Accept", **(headers or {}), "ETag": etag}
    if matches(request.headers.get("if-none-match"), etag):
        return Response(status_code=304, headers=said)
    return Response(body, headers=said, media_type=media_type)
