"""Examples of requests: one body for each operation that takes one.

They are part of the OpenAPI document and of the pages of the operations, from which they can be sent. Together they
form one example: all of them are about the table that `create_dataset` uploads.
"""

from typing import Any, Final

DATASET: Final = "2f6c1f0e-5a35-4c38-9c55-6f6f0a3c7a01"
"""Placeholder for the id of a dataset; a page replaces it with a real one."""
TOKEN: Final = "2f6c1f0e-5a35-4c38-9c55-6f6f0a3c7a02"
"""Placeholder for the id of an analyst's token."""

PORTAL: Final = "2f6c1f0e-5a35-4c38-9c55-6f6f0a3c7a03"
"""Placeholder for the id of a portal."""

_DISEASES = ("flu", "asthma", "diabetes", "migraine")
FILE: Final = "name,age,zip,sex,disease\n" + "".join(
    f"patient {number:02},{24 + 7 * number % 50},080{number % 4:02},{'FM'[number % 2]},{_DISEASES[number % 4]}\n"
    for number in range(24)
)
"""Invented patients."""

POLICY: Final[dict[str, Any]] = {
    "kind": "table",
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "type": "integer"},
        "zip": {"role": "quasi_identifier", "hierarchy": {"kind": "mask"}},
        "sex": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 3}],
    "method": {"name": "mondrian"},
}
"""A policy for `FILE`."""

_CARD: Final[dict[str, Any]] = {
    "title": "Admissions of a hospital",
    "description": "Invented admissions of one year, generalized and verified, for teaching and for research.",
    "keywords": ["health", "admissions"],
    "language": "en",
    "license": "CC-BY-4.0",
    "publisher": {"name": "Hospital", "url": "https://hospital.example"},
    "contact": {"name": "Data office", "email": "data@hospital.example"},
}

FORM: Final[dict[str, Any]] = {
    "metadata": {"name": "patients", "kind": "table", "format": "csv"},
    "policy": POLICY,
    "file": FILE,
}
"""The parts of an upload."""

BODIES: Final[dict[str, Any]] = {
    "create_job": {"dataset_id": DATASET, "policy": POLICY, "trial": True},
    "create_comparison": {"dataset_id": DATASET, "policy": POLICY, "vary": {"/guarantees/0/k": [2, 3, 5]}},
    "release_comparison": {"name": "k=3"},
    "validate_policy": {"policy": POLICY, "dataset_id": DATASET},
    "create_policy": {"name": "three alike", "policy": POLICY},
    "create_hierarchy": {
        "name": "region",
        "hierarchy": {"kind": "levels", "rows": [["08000", "080**", "*"], ["08001", "080**", "*"]]},
    },
    "generate_hierarchy": {"name": "age", "dataset_id": DATASET, "column": "age", "hierarchy": {"kind": "auto"}},
    "preview_hierarchy": {"dataset_id": DATASET, "column": "zip", "hierarchy": {"kind": "mask"}},
    "put_declarations": {
        "columns": {
            "age": {"type": "integer", "bounds": [0, 120]},
            "sex": {"type": "text", "keys": ["F", "M"]},
        },
        "budget": {"epsilon": 3},
    },
    "create_grant": {"token_id": TOKEN, "epsilon": 1},
    "create_query": {"select": [{"count": {}}], "group_by": ["sex"], "epsilon": 0.1},
    "set_release_about": _CARD,
    "set_catalog_about": {name: _CARD[name] for name in ("publisher", "contact", "license")},
    "set_release_audience": {"audience": "tenant"},
    "withdraw_release": {"reason": "a column was described wrongly"},
    "create_webhook": {
        "url": "https://hospital.example/hooks/antifaz",
        "events": ["job.released", "job.refused", "release.withdrawn"],
    },
    "create_portal": {
        "kind": "ckan",
        "name": "portal of the city",
        "url": "https://portal.example",
        "token": "key-of-the-portal",
        "collection": "hospital",
    },
    "create_publication": {"portal": PORTAL},
    "create_token": {"name": "portal", "role": "consumer", "expires_in_days": 90},
    "create_tenant": {"name": "another hospital"},
    "oai_form": {"verb": "Identify"},
}
"""Operation → the body of a request, or the fields of a form."""
