"""Helpers for tests of findings: a policy, a small table, one judgment."""

from collections.abc import Sequence
from typing import Any

from verifier import Artifact, Finding, verify

BLINDLY = ", and does not reason from how the method decides (minimality attack)"
KNOWS = "the attacker knows the quasi-identifiers" + BLINDLY
ROWS = [("1", "flu"), ("1", "cold"), ("2", "flu"), ("2", "cold")]
"""Two classes of two, each with both diseases."""


def policy_of(*guarantees: dict[str, Any], s: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    attributes = {"q": {"role": "quasi_identifier"}, "s": {"role": "sensitive", **(s or {})}}
    waivers = [{"rule": "observed_domain", "reason": "the tests' own"}]
    return {"kind": "table", "attributes": attributes, "guarantees": list(guarantees), "waivers": waivers, **more}


def csv_of(rows: Sequence[Sequence[str]] = ROWS, names: str = "q,s") -> Artifact:
    return Artifact("csv", "table", "".join(f"{line}\n" for line in [names, *(",".join(row) for row in rows)]).encode())


def judge(guarantee: dict[str, Any], artifact: Artifact | None = None, sealed: Any = None, **more: Any) -> Finding:
    (finding,) = verify(policy_of(guarantee, **more), [artifact or csv_of()], sealed).findings
    return finding


COIN = [[0.75, 0.25], [0.25, 0.75]]
PEOPLE = {"populations": {"p": {"columns": {"q": {"codes": [0, 0, 0, 1, 1], "values": ["1", "2"], "type": "text"}}}}}
"""Three people with 1 and two with 2; the table has two rows of each."""
