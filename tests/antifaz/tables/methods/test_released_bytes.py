"""Every table method from a policy to bytes: what is rendered has the form and the guarantees that are verified."""

import numpy as np
import pytest

import verifier
from antifaz import catalogue, protection
from antifaz.policy import parse_policy
from formats import RawColumn, render_table

PARAMETERS = {
    "generalize": {"levels": {"age": "top", "zip": "top"}},
    "suppress": {"attributes": ["zip", "age"]},
    "optimal": {"suppression": 0.1},
    "pipeline": {"steps": [{"name": "generalize", "levels": {"zip": 3}}, {"name": "mondrian"}]},
    "pram": {"matrix": "invariant"},
    "randomized_response": {"values": {"disease": ["=flu", "asthma", "ñoñez", "7"]}},
}
"""Where the example of a method does not suit the records below."""
RECORDS = 150


def encoded(name, cells):
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(11)
    ages = ["" if age == 50 else str(age) for age in rng.integers(18, 90, RECORDS)]
    zips = [f"{zip_code:05d}" for zip_code in rng.integers(0, 900, RECORDS)]
    columns = {
        "name": [f"p{number}" for number in range(RECORDS)],
        "age": ages,
        "zip": zips,
        "sex": rng.choice(["F", "M"], RECORDS).tolist(),
        "disease": rng.choice(["=flu", "asthma", "ñoñez"], RECORDS).tolist(),
    }
    return protection.Dataset(tuple(encoded(name, cells) for name, cells in columns.items()), RECORDS)


def policy_of(part):
    given = part.gives
    guarantees = [{"model": "k_anonymity", "k": 3}] if "k_anonymity" in given else []
    if "l_diversity" in given:
        guarantees.append({"model": "l_diversity", "l": 2, "attribute": "disease"})
    if "local_differential_privacy" in given:
        guarantees.append({"model": "local_differential_privacy", "epsilon": 1.5})
    return {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "type": "integer"},
            "zip": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "mask"}},
            "sex": {"role": "quasi_identifier", "hierarchy": {"kind": "auto"}},
            "disease": {"role": "sensitive"},
        },
        "guarantees": guarantees,
        "method": {"name": part.wire_name(), **PARAMETERS.get(part.wire_name(), part.example)},
        "waivers": [{"rule": "no_guarantee", "reason": "a test"}],
    }


@pytest.mark.parametrize("part", catalogue.parts("methods", "table"), ids=lambda part: part.wire_name())
def test_what_is_rendered_verifies(patients, part):
    policy = parse_policy(policy_of(part))
    checked = protection.check(patients, policy)
    protected = protection.protect(checked, policy, np.random.default_rng(5))
    columns = protected.table.columns
    artifacts = [
        verifier.Artifact(form, "table", b"".join(render_table(columns, form))) for form in ("csv", "parquet", "jsonl")
    ]
    sealed = {"mechanism": protected.account.get("public", {}).get("randomized_response")}
    verdict = verifier.verify(policy.canonical(), artifacts, sealed)
    assert verdict.faults == ()
    assert [finding.model for finding in verdict.findings if not finding.holds] == []
    assert len(verdict.findings) == len(policy.guarantees)
