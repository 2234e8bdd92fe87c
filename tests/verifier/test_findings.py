"""Findings: one guarantee checked against the artifacts read."""

from typing import Any

import numpy as np

from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.cells import Cells, Coder

POLICY: dict[str, Any] = {"attributes": {"q": {"role": "quasi_identifier"}, "s": {"role": "sensitive"}}}


def table(rows: str) -> Cells:
    """Rows such as ``"1a 1b 2a"``: a quasi-identifier and a sensitive value."""
    coders = Coder(), Coder()
    for place, coder in enumerate(coders):
        coder.add([row[place] for row in rows.split()])
    return Cells("csv", "table", ("q", "s"), tuple(coder.column() for coder in coders), len(rows.split()))


def test_the_worst_artifact_decides() -> None:
    evidence = Evidence(POLICY, [table("1a 1b 1c"), table("1a 1b 2c")], flaw="")
    finding = find({"model": "k_anonymity", "k": 2}, evidence)
    assert finding.achieved == {"k": 1}
    assert not finding.holds


def test_without_evidence_nothing_holds() -> None:
    for model in ("k_anonymity", "l_diversity", "k_degree_anonymity", "none_such"):
        assert not find({"model": model, "k": 2, "l": 2}, Evidence(POLICY)).holds


def test_a_flaw_of_the_evidence_is_the_reason() -> None:
    finding = find({"model": "k_anonymity", "k": 2}, Evidence(POLICY, [table("1a 1b")], flaw="an artifact is broken"))
    assert (finding.holds, finding.detail) == (False, "an artifact is broken")


def test_the_only_sensitive_attribute_need_not_be_named() -> None:
    evidence = Evidence(POLICY, [table("1a 1b")], flaw="")
    assert find({"model": "l_diversity", "l": 2}, evidence).holds
    two = {"attributes": {**POLICY["attributes"], "t": {"role": "sensitive"}}}
    assert not find({"model": "l_diversity", "l": 2}, Evidence(two, [table("1a 1b")], flaw="")).holds


def test_figures_are_plain_numbers() -> None:
    evidence = Evidence(
        {**POLICY, "privacy_unit": "p"}, [table("1a 1b")], flaw="", sealed_map={"units": np.array([1, 2])}
    )
    finding = find({"model": "k_anonymity", "k": 2}, evidence)
    assert type(finding.achieved["k"]) is int
    assert type(finding.holds) is bool
    for variant in ("distinct", "entropy", "recursive"):
        guarantee = {"model": "l_diversity", "variant": variant, "l": 2, "c": 2, "attribute": "s"}
        assert type(find(guarantee, evidence).holds) is bool
        assert type(find(guarantee, evidence).achieved["l"]) in (int, float)
