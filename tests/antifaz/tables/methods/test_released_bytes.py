"""Every table method from a policy to bytes: the rendered files have the form and the guarantees that are verified."""

import numpy as np
import pytest

import verifier
from antifaz import catalogue, protection
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from formats.core.raw import RawColumn
from formats.writing import render_table

OTHERS = {
    "generalize": {"levels": {"age": "top", "zip": "top"}},
    "suppress": {"attributes": ["zip", "age"]},
    "randomized_response": {"values": {"disease": ["=flu", "asthma", "ñoñez", "7"]}},
}
"""Methods whose own example leaves the records below without the guarantee, or names other values."""
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
    return Dataset(tuple(encoded(name, cells) for name, cells in columns.items()), RECORDS)


def policy_of(part, example):
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
        "method": {"name": part.wire_name(), **example},
        "waivers": [{"rule": "no_guarantee", "reason": "a test"}],
    }


def variants():
    """Every method as each of its examples has it."""
    for part in catalogue.parts("methods", "table"):
        examples = [OTHERS[part.wire_name()]] if part.wire_name() in OTHERS else part.examples
        for number, example in enumerate(examples):
            yield pytest.param(part, example, id=f"{part.wire_name()}-{number}" if number else part.wire_name())


@pytest.mark.parametrize(("part", "example"), list(variants()))
def test_what_is_rendered_verifies(patients, part, example):
    policy = parse_policy(policy_of(part, example))
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
