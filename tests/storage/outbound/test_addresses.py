"""Addresses chosen by users: public ones or those that operators allow; connections use the checked address."""

import asyncio
import ipaddress
import socket
from typing import Any

import pytest

from storage.outbound.addresses import Allowed, BadAddress, allowed_by, is_public, read, resolve

HOSTILE = [
    "https://127.0.0.1/",
    "https://127.0.0.1:8443/",
    "https://localhost/",
    "https://localhost./",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fe80::1%25eth0]/",
    "https://[fd00::1]/",
    "https://[fec0::1]/",
    "https://[3fff::1]/",
    "https://[5f00::1]/",
    "https://[64:ff9b:1::808:808]/",
    "https://[2002:808:808::1]/",
    "https://[::8.8.8.8]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://127.1/",
    "https://0177.0.0.1/",
    "https://127.0.0.1.0x/",
    "https://user@8.8.8.8/",
    "https://user:word@8.8.8.8/",
    "https://8.8.8.8@127.0.0.1/",
    "https://８.8.8.8/",
    "https://①②⑦.0.0.1/",
    "https://loc\u00adalhost/",
    "https://exa mple.org/",
    "https://8.8.8.8\\@127.0.0.1/",
    "https://8.8.8.8/#x",
    "https://8.8.8.8:0/",
    "https://8.8.8.8:22/",
    "https://8.8.8.8:25/",
    "https://8.8.8.8:99999/",
    "https:///x",
    "https:8.8.8.8",
    "http://8.8.8.8/",
    "ftp://8.8.8.8/",
    "file:///secret",
    "gopher://8.8.8.8/",
    "https://8.8.8.8/\r\nHost: x",
    "https://" + "a" * 64 + ".example/",
    "https://" + "a." * 2000 + "example/",
    "",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_address_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(BadAddress) as refusal:
        asyncio.run(resolve(url, Allowed()))
    assert "127" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("https://8.8.8.8/x?y=1", "https://8.8.8.8:443/x?y=1"),
        ("https://8.8.8.8:8443/", "https://8.8.8.8:8443/"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]:443/"),
    ],
)
def test_a_public_address_is_connected_to_as_it_is(url: str, direct: str) -> None:
    assert asyncio.run(resolve(url, Allowed())).direct_url == direct


def _resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """The machine's resolver, which is none of ours, answers this."""

    async def answer(self: Any, host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", answer)


def test_a_name_keeps_its_name_and_goes_to_the_address_that_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolving(monkeypatch, "8.8.4.4")
    target = asyncio.run(resolve("https://Portal.Example:8443/api", Allowed()))
    assert (target.host, target.host_header) == ("portal.example", "Portal.Example:8443")
    assert target.direct_url == "https://8.8.4.4:8443/api"


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["169.254.169.254"], []])
def test_a_name_with_any_private_address_is_refused(monkeypatch: pytest.MonkeyPatch, addresses: list[str]) -> None:
    _resolving(monkeypatch, *addresses)
    with pytest.raises(BadAddress, match="is not a public address"):
        asyncio.run(resolve("https://portal.example/", Allowed()))


def test_operators_allow_networks_and_hosts_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = allowed_by("10.1.0.0/16, ckan.intern, fd00::/8")
    assert asyncio.run(resolve("http://10.1.2.3:81/", allowed)).direct_url == "http://10.1.2.3:81/"
    _resolving(monkeypatch, "192.168.0.9")
    assert asyncio.run(resolve("http://ckan.intern/", allowed)).port == 80
    for url in ("http://10.2.0.1/", "https://other.intern/", "http://8.8.8.8/"):
        with pytest.raises(BadAddress):
            asyncio.run(resolve(url, allowed))


@pytest.mark.parametrize("setting", ["10.0.0.0/99", "a b", "http://x", "10.1.2.3/16"])
def test_a_setting_that_says_nothing_is_refused(setting: str) -> None:
    with pytest.raises(ValueError):
        allowed_by(setting)


def test_an_address_carries_the_nature_of_the_one_inside() -> None:
    for inside, public in (("8.8.8.8", True), ("10.0.0.1", False)):
        mapped = ipaddress.ip_address(f"::ffff:{inside}")
        assert is_public(mapped) is public


REGISTRY = """
0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29
192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24
192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
240.0.0.0/4 255.255.255.255/32
::1/128 ::/128 ::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128
2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
"""
"""IANA's registries of special-purpose addresses as of October 2025, multicast, and blocks that were special once
(site-local, IPv4-compatible)."""
UNASSIGNED = (
    "0200::/7 0400::/6 0800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 fe00::/9"
)
"""Blocks of IPv6 that IANA has assigned to nobody."""
NEIGHBORS = """
1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 198.17.255.255 198.20.0.0 223.255.255.255
2001:200::1 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700::1111 2a00:1450::1 2c0f::1 3ffe:ffff::1
"""


def places_in(block: str) -> list[str]:
    """The first, the last and some addresses between."""
    network = ipaddress.ip_network(block)
    steps = sorted({0, 1, network.num_addresses // 3, network.num_addresses // 2, network.num_addresses - 1})
    return [str(network[step]) for step in steps if step < network.num_addresses]


@pytest.mark.parametrize("block", [*REGISTRY.split(), *UNASSIGNED.split()])
def test_no_address_of_a_special_block_is_public_in_whatever_it_is_wrapped(block: str) -> None:
    for text in places_in(block):
        address = ipaddress.ip_address(text)
        assert not is_public(address), text
        if address.version == 4:
            for prefix in ("::ffff:0:0", "64:ff9b::", "64:ff9b:1::", "::ffff:0:0:0", "::"):
                wrapped = ipaddress.IPv6Address(int(ipaddress.ip_address(prefix)) | int(address))
                assert not is_public(wrapped), wrapped


@pytest.mark.parametrize("text", NEIGHBORS.split())
def test_the_neighbors_of_special_blocks_are_public(text: str) -> None:
    address = ipaddress.ip_address(text)
    assert is_public(address)
    if address.version == 4:
        assert is_public(ipaddress.IPv6Address(int(ipaddress.ip_address("64:ff9b::")) | int(address)))
        assert not is_public(ipaddress.IPv6Address((0x2002 << 112) | int(address) << 80))


def test_the_host_is_read_as_the_url_has_it() -> None:
    parts, host, port = read("https://Example.ORG/path")
    assert (parts.path, host, port) == ("/path", "example.org", 443)
