"""Addresses: the public URL of this service."""

import re

from fastapi import Request

from service.problems import invalid
from service.state import service_of

_HOST = re.compile(r"[0-9A-Za-z.-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?", re.ASCII)


def base_of(request: Request) -> str:
    """The base URL of links: the public address in the settings, or the host that the request names."""
    stated = service_of(request).settings.public_url
    if stated is not None:
        return stated.rstrip("/")
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        raise invalid("invalid-request", "/header/host", "must be a host name, if the service has no public address")
    return f"{request.url.scheme}://{host}"
