"""Outbound addresses: where our processes may connect when a user gives the address.

A user must not reach through us what only we can reach: this machine, its network, the metadata service of its cloud.
An address is therefore parsed strictly, resolved once, refused unless every address that it resolves to is public, and
connected to by exactly that address; a name that resolves elsewhere a moment later has no effect. The error does not
distinguish unknown names from private ones, so nobody learns the names of machines in our network.

Operators list the private networks and hosts that are allowed (`Settings.outbound_networks`).
"""

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from functools import cache
from urllib.parse import SplitResult, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_LONGEST = 2_000
_CHARACTERS = re.compile(r"[!#-;=?-\[\]_a-z~]+", re.ASCII)
"""Characters of a URL: no space, quote, backslash, angle bracket, brace, caret, backtick or control character."""
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)({_LABEL}\.)*{_LABEL}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""The last label of anything that programs read as an IPv4 address."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""The only part of IPv6 from which addresses of the public internet are assigned."""
_SPECIAL: tuple[Network, ...] = tuple(
    ipaddress.ip_network(block)
    for block in (
        # IPv4: "this network", private and shared networks, loopback, link-local, assignments of the IETF,
        # documentation, AS112, AMT, relays of 6to4, benchmarks, multicast, reserved.
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        # IPv6, within global unicast: assignments of the IETF (Teredo, benchmarks, ORCHID, AMT and others),
        # documentation, 6to4, AS112.
        *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    )
)
"""Blocks of IANA's special-purpose registries. Blocks that are "globally reachable" are listed too: they belong to
protocols, and no webhook or portal is there. Blocks of IPv6 outside of global unicast need no entry."""
_PORTS = {"https": 443, "http": 80}
_LOWEST_OTHER_PORT = 1024
"""Lower ports belong to servers that were never meant to be called by us."""
_RESOLVE_SECONDS = 5.0


class BadAddress(Exception):
    """An address that we do not connect to; the message names the rule that it breaks and never repeats the address."""


@dataclass(frozen=True)
class Allowed:
    """Networks and hosts that operators allow in addition to public addresses."""

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = frozenset()

    def covers(self, host: str, address: Address) -> bool:
        """Whether an address of this host may be private."""
        return host in self.names or any(address in network for network in self.networks)


@dataclass(frozen=True)
class Target:
    """A URL and the address that it was resolved to."""

    url: SplitResult
    host: str
    address: Address
    port: int

    @property
    def direct_url(self) -> str:
        """The URL with the address in place of the name."""
        literal = f"[{self.address}]" if self.address.version == 6 else str(self.address)
        return self.url._replace(netloc=f"{literal}:{self.port}").geturl()

    @property
    def host_header(self) -> str:
        """The host as the URL names it."""
        return self.url.netloc


@cache
def allowed_by(setting: str) -> Allowed:
    """Parse the setting; `ValueError` if an entry is neither a network nor a name."""
    networks: list[Network] = []
    names: set[str] = set()
    for entry in filter(None, (part.strip().lower() for part in setting.split(","))):
        if re.fullmatch(r"[0-9a-f.:]+(/[0-9]+)?", entry) and (":" in entry or entry.count(".") == 3):
            networks.append(ipaddress.ip_network(entry))
        elif _NAME.fullmatch(entry):
            names.add(entry)
        else:
            raise ValueError("ANTIFAZ_OUTBOUND_NETWORKS must list networks and host names, separated by commas")
    return Allowed(tuple(networks), frozenset(names))


async def resolve(url: str, allowed: Allowed) -> Target:
    """The address to connect to; `BadAddress` if it, or any other address of the name, is not allowed."""
    parts, host, port = read(url)
    addresses = [_literal(host)] if _is_literal(host) else await _addresses(host, port)
    private = [address for address in addresses if not is_public(address)]
    meant = all(allowed.covers(host, address) for address in addresses)
    if private and not all(allowed.covers(host, address) for address in private):
        raise BadAddress("is not a public address")
    if not meant:
        if parts.scheme != "https":
            raise BadAddress("must begin with https://")
        if port != _PORTS["https"] and port < _LOWEST_OTHER_PORT:
            raise BadAddress("must use port 443 or one above 1023")
    return Target(parts, host, addresses[0], port)


def read(url: str) -> tuple[SplitResult, str, int]:
    """The URL in parts, its host in lower case and its port; `BadAddress` if any of it is ambiguous."""
    if not (0 < len(url) <= _LONGEST and _CHARACTERS.fullmatch(url)):
        raise BadAddress("must be a URL in ASCII; write names in other alphabets as xn--…")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise BadAddress("is not a URL") from None
    if parts.scheme not in _PORTS or not url.lower().startswith(f"{parts.scheme}://"):
        raise BadAddress("must begin with https://")
    if "@" in parts.netloc or parts.fragment:
        raise BadAddress("must have neither a user name nor a fragment")
    # 2130706433, 0x7f.1 and 127.1 are addresses to some programs and names to others.
    numeric = "[" in parts.netloc or _NUMBER.fullmatch(host.rpartition(".")[2])
    if not (_is_literal(host) if numeric else _NAME.fullmatch(host)):
        raise BadAddress("has a host that is neither a name nor an address in its usual form")
    if port == 0:
        raise BadAddress("has port 0")
    return parts, host, port or _PORTS[parts.scheme]


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet: what is not assigned to it does not count as public.

    Not by the tables of Python's `ipaddress`, which differ between versions.
    """
    if isinstance(address, ipaddress.IPv6Address):
        carried = _carried(address)
        if carried is not None:
            return is_public(carried)
        if address not in _GLOBAL_UNICAST:
            return False
    return not any(address in block for block in _SPECIAL)


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address is, or is translated to (NAT64). Other ways to carry one (6to4, Teredo,
    local prefixes of NAT64) are special blocks and never public."""
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else address.ipv4_mapped


def _is_literal(host: str) -> bool:
    try:
        _literal(host)
    except ValueError:
        return False
    return True


def _literal(host: str) -> Address:
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id:
        raise ValueError("an address with a zone is one of this machine")
    return address


async def _addresses(host: str, port: int) -> list[Address]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_RESOLVE_SECONDS):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError):
        raise BadAddress("is not a public address") from None
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not addresses:
        raise BadAddress("is not a public address")
    return addresses
