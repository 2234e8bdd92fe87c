"""Policies and tables for tests of the verifier."""

from collections.abc import Callable, Sequence
from typing import Any

from verifier import Artifact, Verdict

FORMATS = ("csv", "parquet", "jsonl")
Write = Callable[..., Artifact]
HOSPITAL = [
    ("130**", "<30", "*", "arrhythmia"),
    ("130**", "<30", "*", "arrhythmia"),
    ("130**", "<30", "*", "infection"),
    ("130**", "<30", "*", "infection"),
    ("1485*", ">40", "*", "cancer"),
    ("1485*", ">40", "*", "arrhythmia"),
    ("1485*", ">40", "*", "infection"),
    ("1485*", ">40", "*", "infection"),
    ("130**", "3*", "*", "cancer"),
    ("130**", "3*", "*", "cancer"),
    ("130**", "3*", "*", "cancer"),
    ("130**", "3*", "*", "cancer"),
]
HOSPITAL_NAMES = ("zip", "age", "nationality", "disease")


def table_policy(quasi: Sequence[str], *guarantees: dict[str, Any], sensitive: str = "", **rest: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {name: {"role": "quasi_identifier"} for name in quasi}
    if sensitive:
        attributes[sensitive] = {"role": "sensitive"}
    return {"kind": "table", "attributes": attributes, "guarantees": list(guarantees), **rest}


def k_anonymity(k: int) -> dict[str, Any]:
    return {"model": "k_anonymity", "k": k}


def l_diversity(bound: float, attribute: str, variant: str = "distinct", **rest: float) -> dict[str, Any]:
    return {"model": "l_diversity", "variant": variant, "l": bound, "attribute": attribute, **rest}


def hospital_policy(*guarantees: dict[str, Any]) -> dict[str, Any]:
    return table_policy(HOSPITAL_NAMES[:3], *guarantees, sensitive="disease")


def achieved_k(verdict: Verdict) -> int:
    return int(verdict.findings[0].achieved["k"])
