"""Addresses: the public URL of this service."""

import ipaddress
import re
from urllib.parse import urlsplit

from fastapi import Request

from service.http.problems import invalid
from service.runtime.state import service_of

_HOST = re.compile(r"[0-9A-Za-z.-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?", re.ASCII)


def base_of(request: Request) -> str:
    """The base URL of links: the public address in the settings, or the host that the request names."""
    stated = service_of(request).settings.public_url
    if stated is not None:
        return stated.rstrip("/")
    host = request.headers.get("host", "")
    if not (_HOST.fullmatch(host) and _can_be_read(host)):
        raise invalid("invalid-request", "/header/host", "must be a host name, if the service has no public address")
    return f"{request.url.scheme}://{host}"


def _can_be_read(host: str) -> bool:
    """Whether programs can read a URL with this host: an address in brackets must be one, a port at most 65535."""
    try:
        parts = urlsplit(f"http://{host}")
        return (parts.port or 0) >= 0 and (
            not host.startswith("[") or bool(ipaddress.IPv6Address(parts.hostname or ""))
        )
    except ValueError:
        return False
