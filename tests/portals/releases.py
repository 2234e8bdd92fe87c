"""Releases of every kind, made public with a card, for third-party software to read."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.system.conftest import Stack
from tests.system.samples import contact_ages, contacts, friends, patients, table_policy
from tests.system.test_graph_methods import policy_of
from tests.workers.test_differential_privacy import SYNTHETIC

Made = tuple[bytes, bytes | None, dict[str, Any], dict[str, Any]]
"""Bytes of an upload, of its nodes, its policy and its metadata."""


def card(title: str, *keywords: str) -> dict[str, Any]:
    """Everything that a public release must state, and more."""
    return {
        "title": title,
        "description": "Invented people for the tests of portals: nobody of them lives, and nobody is described.",
        "license": "CC-BY-4.0",
        "publisher": {"name": "Hospital of Examples", "url": "https://hospital.example"},
        "contact": {"name": "Data office", "email": "data@hospital.example"},
        "keywords": list(keywords),
        "themes": ["HEAL"],
        "language": "en",
        "temporal": {"start": "2024-01-01", "end": "2024-12-31"},
        "spatial": "Catalonia",
        "version": "1.0.0",
    }


def make_public(stack: Stack, release_id: str, about: dict[str, Any] | None) -> None:
    """Give a release its card, if it has none by its tenant, and make it public."""
    with stack.client() as client:
        if about is not None:
            client.put(f"/v1/releases/{release_id}/about", json=about).raise_for_status()
        client.post(f"/v1/releases/{release_id}/audience", json={"audience": "public"}).raise_for_status()


_REPORT = {"utility": [], "attacks": []}


def publish_kind(stack: Stack, kind: str, mark: Callable[[], str]) -> dict[str, Any]:
    """A release of one kind; the names of its people are marks that must not be disclosed."""
    content, nodes, policy, about = KINDS[kind](mark)
    return stack.publish(content, policy, nodes=nodes, name=f"{kind} for validators", **about)


def _renamed(content: bytes, mark: Callable[[], str]) -> tuple[bytes, dict[str, str]]:
    """Edges between marks instead of numbers, and which number has which mark."""
    names: dict[str, str] = {}
    lines = content.decode().splitlines()
    for number in sorted(set(re.findall(r"id-\w+", content.decode()))):
        names[number] = mark()
    rows = [",".join(names.get(cell, cell) for cell in line.split(",")) for line in lines]
    return ("\n".join(rows) + "\n").encode(), names


def _table(mark: Callable[[], str]) -> Made:
    rows = re.sub(r"Person \d+", lambda _: mark(), patients(120).decode()).encode()
    return rows, None, table_policy(4, formats=["csv", "parquet", "jsonl"], report=_REPORT), {}


def _private(mark: Callable[[], str]) -> Made:
    rows = re.sub(r"Person \d+", lambda _: mark(), patients(120).decode()).encode()
    return rows, None, {**SYNTHETIC, "formats": ["csv", "parquet"]}, {"budget": {"epsilon": 3.0}}


def _directed(mark: Callable[[], str]) -> Made:
    edges, names = _renamed(friends(40, 90), mark)
    people = "".join(f"{name},{20 + place % 4},{'FM'[place % 2]}\n" for place, name in enumerate(names.values()))
    policy = {
        "kind": "graph",
        "attributes": {"age": {"role": "quasi_identifier"}, "sex": {"role": "insensitive"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}],
        "method": {"name": "k_degree"},
        "formats": ["edgelist", "graphml", "gml", "node-link"],
        "report": _REPORT,
    }
    return edges, f"node,age,sex\n{people}".encode(), policy, {"kind": "graph", "directed": True}


def _graph(name: str, mark: Callable[[], str]) -> Made:
    edges, _ = _renamed(friends(), mark)
    return edges, None, {**policy_of(name), "report": _REPORT}, {"kind": "graph"}


def _temporal(mark: Callable[[], str]) -> Made:
    edges, names = _renamed(contacts(), mark)
    ages = dict(line.split(",") for line in contact_ages().decode().splitlines()[1:])
    people = "".join(f"{name},{ages.get(number, 20)}\n" for number, name in names.items())
    policy = {
        "kind": "temporal_graph",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}],
        "method": {"name": "k_degree", "effort": "fast"},
        "formats": ["csv", "graphml", "node-link"],
        "report": _REPORT,
    }
    return edges, f"node,age\n{people}".encode(), policy, {"kind": "temporal_graph", "window": "day"}


KINDS: dict[str, Callable[[Callable[[], str]], Made]] = {
    "table": _table,
    "directed graph": _directed,
    "graph of supernodes": partial(_graph, "supernodes"),
    "uncertain graph": partial(_graph, "uncertain"),
    "temporal graph": _temporal,
    "differentially private table": _private,
}
