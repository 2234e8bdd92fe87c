"""Findings about several releases as one, for tests that check all promises together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.joint.joint import EarlierRelease, joint_findings
from verifier.joint.promises import Promise, Values
from verifier.joint.versions import Version, joint_findings_of_versions
from verifier.verdict.verdict import Finding


@dataclass(frozen=True)
class Together:
    """All findings of one joint check."""

    findings: Sequence[Finding]

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)

    @property
    def achieved(self) -> dict[str, Any]:
        """The worst figure of every kind."""
        worst: dict[str, Any] = {}
        for finding in self.findings:
            for name, figure in finding.achieved.items():
                if name != "attribute":
                    choose = min if name in ("k", "l") else max
                    worst[name] = choose(worst.get(name, figure), figure)
        return worst

    @property
    def detail(self) -> str:
        return "; ".join(dict.fromkeys(finding.detail for finding in self.findings if finding.detail))


def promise(
    policy: Mapping[str, Any], sensitive: Mapping[str, Any] | None = None, units: Any = None, **more: Any
) -> Promise:
    """A promise about records whose sensitive values are given as numbers."""
    values = {
        name: Values(np.asarray(codes), [f"value {code}" for code in range(int(max(codes)) + 1)])
        for name, codes in (sensitive or {}).items()
    }
    return Promise(policy, values, None if units is None else _people(np.asarray(units)), **more)


def _people(units: np.ndarray) -> Values:
    return Values(units, [f"person {number}" for number in range(int(units.max()) + 1)])


def judge_releases(
    policy: Mapping[str, Any],
    releases: Sequence[EarlierRelease],
    n: int,
    sensitive: Mapping[str, Any] | None = None,
    units: Any = None,
) -> Together:
    """Releases that were all made by one policy."""
    return Together(joint_findings([promise(policy, sensitive, units)], releases, n))


def judge_versions(policy: Mapping[str, Any], versions: Sequence[Version], nobody: int) -> Together:
    """Versions whose releases were all made by one policy."""
    return Together(joint_findings_of_versions([Promise(policy)], versions, nobody))
