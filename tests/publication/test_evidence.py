"""Evidence: a worker passes what the verifier needs, for every guarantee that bytes alone do not prove."""

from typing import Any

import numpy as np
import pytest

from antifaz.hierarchies.levels import Levels
from antifaz.kinds.kind import Checked, Dataset, Protected
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.raw import RawColumn
from formats.writing import render_table
from publication.kinds import PUBLISHERS
from verifier import Artifact, Verdict, verify

KEY = bytes(32)
ROWS = [["asthma", "lungs", "*"], ["flu", "lungs", "*"], ["cancer", "rest", "*"], ["hepatitis", "rest", "*"]]


def encoded(name: str, cells: list[str]) -> RawColumn:
    values = sorted(set(cells))
    return RawColumn(name, np.array([values.index(c) for c in cells], dtype=np.int32), np.array(values, dtype=object))


def visits(people: int = 60) -> Dataset:
    """Two visits each of some of a town's ninety people."""
    rng = np.random.default_rng(11)
    n = 180
    columns = {
        "person": [f"person {row // 2}" for row in range(n)],
        "age": [str(a) for a in rng.integers(20, 60, n)],
        "zip": [f"{8000 + int(z):05d}" for z in rng.integers(0, 40, n)],
        "illness": [str(i) for i in rng.choice([row[0] for row in ROWS], n)],
    }
    return Dataset(tuple(encoded(name, cells[: 2 * people]) for name, cells in columns.items()), 2 * people)


def policy_of(*guarantees: dict[str, Any], **more: Any) -> dict[str, Any]:
    illness = {"role": "sensitive", **more.pop("illness", {})}
    place = more.pop("zip", {"role": "quasi_identifier", "hierarchy": {"kind": "mask"}})
    return {
        "kind": "table",
        "attributes": {
            "person": {"role": "identifier", "pseudonym": True},
            "age": {"role": "quasi_identifier"},
            "zip": place,
            "illness": illness,
        },
        "guarantees": list(guarantees),
        "method": {"name": "mondrian"},
        **more,
    }


def run(document: dict[str, Any], **more: Any) -> tuple[Checked, Protected, dict[str, Any]]:
    policy = parse_policy(document)
    checked = check(visits(), policy, **more)
    return checked, protect(checked, policy, np.random.default_rng(3), key=KEY), policy.canonical()


def judged(checked: Checked, protected: Protected, document: dict[str, Any], **changed: Any) -> Verdict:
    assert protected.table is not None
    artifacts = [Artifact(f, "table", b"".join(render_table(protected.table.columns, f))) for f in ("csv", "parquet")]
    return verify(document, artifacts, evidence_of(checked, protected, document) | changed)


def evidence_of(checked: Checked, protected: Protected, document: dict[str, Any]) -> dict[str, Any]:
    return PUBLISHERS["table"].evidence(checked, protected, parse_policy(document))


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "people": (policy_of({"model": "k_anonymity", "k": 5}, privacy_unit="person"), {}),
    "a share of people": (
        policy_of({"model": "alpha_k", "k": 4, "alpha": 0.7, "attribute": "illness"}, privacy_unit="person"),
        {},
    ),
    "a population": (
        policy_of({"model": "k_map", "k": 4, "population": "p"}),
        {"populations": {"p": visits(90)}},
    ),
    "presence": (
        policy_of(
            {"model": "delta_presence", "maximum": 0.9, "population": "p"},
            method={"name": "mondrian", "cut": "range"},
            zip={"role": "identifier"},
        ),
        {"populations": {"p": visits(90)}},
    ),
    "a hierarchy in the policy": (
        policy_of(
            {"model": "t_closeness", "t": 0.3, "distance": "hierarchical", "attribute": "illness"},
            illness={"hierarchy": {"kind": "levels", "rows": ROWS}},
        ),
        {},
    ),
    "a hierarchy elsewhere": (
        policy_of(
            {"model": "t_closeness", "t": 0.3, "distance": "hierarchical", "attribute": "illness"},
            illness={"hierarchy": {"id": "h"}},
        ),
        {"hierarchies": {"h": Levels(rows=ROWS)}},
    ),
    "an order in the policy": (
        policy_of(
            {"model": "t_closeness", "t": 0.3, "distance": "ordered", "attribute": "illness"},
            illness={"order": ["hepatitis", "flu", "asthma", "cancer"]},
        ),
        {},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_the_engine_makes_the_verifier_grants(case):
    document, more = CASES[case]
    verdict = judged(*run(document, **more))
    assert verdict.holds, verdict


def test_whose_rows_are_is_told_in_the_order_of_the_release():
    checked, protected, document = run(CASES["people"][0])
    units = evidence_of(checked, protected, document)["units"]
    assert protected.table is not None
    visitors = (protected.table.records // 2).tolist()
    assert len(set(zip(units.tolist(), visitors, strict=True))) == len(set(units.tolist())) == 60
    assert not judged(checked, protected, document, units=np.zeros_like(units)).holds
    assert not judged(checked, protected, document, units=units[1:]).holds


def test_shuffled_pseudonyms_are_noticed():
    checked, protected, document = run(CASES["people"][0])
    whose = PUBLISHERS["table"].evidence(checked, protected, parse_policy(document))["pseudonyms"]["person"]
    assert judged(checked, protected, document, pseudonyms={"person": whose}).holds
    verdict = judged(checked, protected, document, pseudonyms={"person": np.roll(whose, 1)})
    assert verdict.faults
    assert not verdict.holds


@pytest.mark.parametrize("lacking", ["populations", "hierarchies"])
def test_nothing_is_granted_without_its_evidence(lacking):
    case = {"populations": "a population", "hierarchies": "a hierarchy elsewhere"}[lacking]
    document, more = CASES[case]
    assert not judged(*run(document, **more), **{lacking: {}}).holds
