"""A table, a policy that fits it, and a report, for the tests of the service."""

from typing import Any

TABLE = b"name,age,zip,disease\n" + b"".join(
    b"person%d,%d,%05d,%s\n" % (i, 20 + i % 40, 8000 + i % 7, (b"flu", b"cancer")[i % 2]) for i in range(60)
)

ABOUT: dict[str, Any] = {
    "title": "Patients of a hospital",
    "description": "Invented patients of an invented hospital: their age and their zip code, made for these tests.",
    "keywords": ["health", "patients"],
    "themes": ["HEAL"],
    "language": "es",
    "license": "CC-BY-4.0",
    "publisher": {"name": "Hospital of Nowhere", "url": "https://hospital.example"},
    "contact": {"name": "Data office", "email": "data@hospital.example"},
    "spatial": "Barcelona",
    "temporal": {"start": "2020-01-01", "end": "2020-12-31"},
    "version": "1.2.0",
}
"""A card with everything but a DOI."""

KEPT: dict[str, Any] = {
    "model": "k_anonymity",
    "required": {"k": 3},
    "achieved": {"k": 3},
    "holds": True,
    "evidence": "bytes",
    "assumes": "the attacker knows the quasi-identifiers",
    "detail": "",
}


LINKED = {"name": "record_linkage", "question": "identity", "rate": 0.25, "baseline": 0.02}
NAMED = {"name": "homogeneity", "question": "attribute", "rate": 0.6, "baseline": 0.55}
ATTACKS = [NAMED, LINKED, {"name": "composition", "question": "identity", "rate": None, "baseline": None}]
"""As measured; the second is farthest above guessing."""
ANSWERS = {"identity": LINKED, "attribute": NAMED, "membership": None}


def described(name: str, **changes: Any) -> dict[str, Any]:
    """One column of a data dictionary."""
    entry = {"name": name, "source": name, "type": "text", "role": "quasi_identifier", "formula_guard": False}
    return {**entry, "meaning": "a value, or the closed range [low, high]", **changes}


def table_policy(**changes: Any) -> dict[str, Any]:
    """A policy that fits `TABLE`."""
    policy: dict[str, Any] = {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier"},
            "zip": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 3}],
        "method": {"name": "mondrian"},
    }
    return policy | changes


def full_report(job_id: str, release_id: str | None, dataset_id: str, digest: str) -> dict[str, Any]:
    """A report with every part."""
    return {
        "schema_version": 1,
        "job_id": job_id,
        "release_id": release_id,
        "kind": "table",
        "policy": table_policy(),
        "dataset": {"id": dataset_id, "name": "test", "rows": 60},
        "guarantees": [{name: value for name, value in KEPT.items() if name != "detail"}],
        "artifacts": [{"format": "csv", "part": "table", "sha256": digest}],
        "release": {"rows": 50, "classes": 4, "smallest": 3, "histogram": [{"bin": "3-4", "count": 12}]},
        "mechanism": {"pram": {"ward": {"values": 3, "keep": 0.8, "other": 0.1}}},
        "risk": {"before": {"uniques": 41}, "after": {"prosecutor": 0.33}, "attacks": ATTACKS, "answers": ANSWERS},
        "utility": {"ncp": {"value": 0.21}},
        "transformation": {"rows_in": 60, "rows_out": 50},
        "explanation": {
            "attributes": [
                {
                    "name": "age",
                    "released": True,
                    "exact": 0.25,
                    "suppressed": 0.0,
                    "loss": 0.2,
                    "levels": {"0": 0.25, "1": 0.75},
                },
                {"name": "zip", "released": False},
            ],
            "limits": [
                {
                    "model": "k_anonymity",
                    "parameter": "k",
                    "limit": 3,
                    "classes": 12,
                    "classes_at_limit": 4,
                    "share_of_rows": 0.24,
                },
            ],
            "suppressed": {"missing_values": 0, "method": "<10", "because": {"k_anonymity": "<10"}},
        },
        "warnings": ["k-anonymity alone does not protect sensitive values"],
        "waivers": [],
        "timing": {"load": 0.1},
        "software": {"antifaz": "0.1.0"},
    }


DECLARATIONS = {
    "columns": {"age": {"type": "integer", "bounds": [0, 120]}, "zip": {"type": "text"}},
    "budget": {"epsilon": 3},
    "delta": 1e-6,
}
WAIVERS = [{"rule": "composition", "reason": "the release is for us alone"}]
"""What declarations need next to a release."""
QUESTION = {"select": [{"count": {}}], "epsilon": 0.1}
