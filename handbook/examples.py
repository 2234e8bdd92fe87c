"""Examples: a complete policy for every part, made from the part's first example and the fields that it needs."""

import json
from typing import Any, cast

from antifaz import catalogue
from antifaz.part import Part

Policy = dict[str, Any]

ATTRIBUTES: dict[str, Any] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "type": "integer"},
    "zip": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "mask"}},
    "sex": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
}
TABLE: Policy = {
    "kind": "table",
    "attributes": ATTRIBUTES,
    "guarantees": [{"model": "k_anonymity", "k": 3}],
    "method": {"name": "mondrian"},
}
"""The policy of a table to which examples add."""
GRAPH: Policy = {
    "kind": "graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
    "method": {"name": "k_degree"},
}
"""The policy of a graph to which examples add."""
TEMPORAL: Policy = {
    "kind": "temporal_graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
    "method": {"name": "k_degree"},
}
"""The policy of a temporal graph to which examples add."""
BASES = {"table": TABLE, "graph": GRAPH, "temporal_graph": TEMPORAL}
_COLUMNS = {
    "ages": ("age", "integer"),
    "countries": ("country", "text"),
    "date": ("birth", "date"),
    "datetime": ("admitted", "datetime"),
    "geo_grid": ("home", "text"),
    "icd10": ("diagnosis", "text"),
    "intervals": ("age", "integer"),
    "isco08": ("occupation", "text"),
    "levels": ("diagnosis", "text"),
    "nuts": ("region", "text"),
    "postal_codes": ("zip", "text"),
}
"""A column that suits a hierarchy; others get a text column."""
_RISK_GATES = {
    "table": {"max_prosecutor_risk": 0.5},
    "graph": {"max_reidentified": 0.5},
    "temporal_graph": {"max_reidentified": 0.5},
}
"""The gate used instead of a guarantee if a method gives none."""


_WHOLE: dict[tuple[str, str], Policy] = {
    ("table", "differential_privacy"): {
        "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "method": {
            "name": "synthetic",
            "model": "dp_marginals",
            "bounds": {"age": [18, 90]},
            "values": {"disease": ["asthma", "flu", "none"]},
        },
    },
    ("temporal_graph", "degree_trajectory_anonymity"): {
        "method": {"name": "temporal_k_degree", "target": "trajectory"},
    },
}
"""Additional fields for guarantees that need specific attributes or method parameters."""


def example(folder: str, kind: str, part: type[Part]) -> Policy | None:
    """A policy that uses a part; None if policies do not name such parts."""
    if folder == "methods":
        return _with_method(kind, part)
    if folder == "guarantees":
        return _with_guarantee(kind, part)
    if folder == "hierarchies":
        return _with_hierarchy(part)
    return _with_report(folder, kind, part)


def variants(folder: str, part: type[Part]) -> list[dict[str, Any]]:
    """The part's other examples, as a policy states them."""
    tag = {"guarantees": "model", "hierarchies": "kind"}.get(folder, "name")
    return [{tag: part.wire_name(), **stated} for stated in part.examples[1:]]


def _stated(part: type[Part], tag: str) -> dict[str, Any]:
    return {tag: part.wire_name(), **part.examples[0]}


def _with_method(kind: str, part: type[Part]) -> Policy:
    method = cast(Any, part(**cast(Any, part.examples[0])))
    given = method.guarantees_given()
    policy = BASES[kind] | {"method": _stated(part, "name")}
    policy["guarantees"] = [_stated(catalogue.part("guarantees", kind, name), "model") for name in given[:1]]
    if not given:
        policy = {name: value for name, value in policy.items() if name != "guarantees"} | {"gate": _RISK_GATES[kind]}
    if method.waivers_needed():
        policy["waivers"] = [
            {"rule": rule, "reason": "Why it is accepted; public."} for rule in method.waivers_needed()
        ]
    return policy


def _with_guarantee(kind: str, part: type[Part]) -> Policy | None:
    """A policy with the usual method if that gives the guarantee, else with the first one that does; None if none."""
    usual = catalogue.part("methods", kind, BASES[kind]["method"]["name"])
    able = [
        method
        for method in (usual, *catalogue.parts("methods", kind))
        if part.wire_name() in cast(Any, method).gives and method.wire_name() != "pipeline"
    ]
    if not able:
        return None
    policy = BASES[kind] | {"guarantees": [_stated(part, "model")], "method": _stated(able[0], "name")}
    return policy | _WHOLE.get((kind, part.wire_name()), {})


def _with_hierarchy(part: type[Part]) -> Policy:
    column, type_ = _COLUMNS.get(part.wire_name(), ("code", "text"))
    attribute = {"role": "quasi_identifier", "type": type_, "hierarchy": _stated(part, "kind")}
    return TABLE | {"attributes": {"name": {"role": "identifier"}, column: attribute}}


def _with_report(folder: str, kind: str, part: type[Part]) -> Policy | None:
    if folder == "risk":
        wanted = [name for name in ("sampling_fraction", "threshold") if name in part.model_fields]
        return BASES[kind] | {"report": dict.fromkeys(wanted, 0.1)} if wanted else None
    stated = _stated(part, "name") if part.examples[0] else part.wire_name()
    return BASES[kind] | {"report": {folder: [stated]}}


def written(policy: Policy) -> str:
    """A policy as JSON: one line for each member, and for each attribute."""
    lines = []
    for name, value in policy.items():
        text = _members(value) if name == "attributes" else json.dumps(value, ensure_ascii=False)
        lines.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _members(attributes: dict[str, Any]) -> str:
    lines = [f"    {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in attributes.items()]
    return "{\n" + ",\n".join(lines) + "\n  }"
