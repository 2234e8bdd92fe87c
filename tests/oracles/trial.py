"""Trials: a release as bytes, and what the definition says of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from verifier import Artifact, Verdict, verify

Figure = int | Fraction | Decimal
_STEP = 1.1e-6
"""Figures that are not whole have six decimals."""
_DOUBT = 1e-8


@dataclass(frozen=True)
class Expected:
    """What the definition says: whether the guarantee holds, and the figures that are reached."""

    holds: bool
    exact: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, Figure] = field(default_factory=dict)
    """Figures that must stay below a bound: reported rounded up."""
    at_least: Mapping[str, Figure] = field(default_factory=dict)
    """Figures that must stay above a bound: reported rounded down."""


@dataclass(frozen=True)
class Trial:
    """One release before the verifier."""

    policy: dict[str, Any]
    write: Callable[[], Sequence[Artifact]]
    """Writes the release: many a neighbor is looked at by the definition alone."""
    expected: Expected
    sealed_map: dict[str, Any] | None = None
    directed: bool = False
    spoil: Callable[[Any], "Trial | None"] | None = None
    """Makes a neighboring release, with one row moved, one value or one edge changed."""

    def verdict(self) -> Verdict:
        """What the verifier says."""
        return verify(self.policy, self.write(), self.sealed_map, self.directed)


def disagreement(trial: Trial) -> str:
    """Where verifier and definition differ; empty where they do not."""
    verdict = trial.verdict()
    finding = verdict.findings[0]
    expected = trial.expected
    if verdict.holds is not expected.holds:
        return f"holds is {verdict.holds} where the definition says {expected.holds}: {finding.detail} {verdict.faults}"
    for name, count in expected.exact.items():
        if finding.achieved.get(name) != count:
            return f"{name} is {finding.achieved.get(name)} where the definition says {count}"
    for figures, sign in ((expected.at_most, 1), (expected.at_least, -1)):
        for name, figure in figures.items():
            told = finding.achieved.get(name)
            if told is None or not -_DOUBT <= sign * (told - float(figure)) <= _STEP:
                return f"{name} is {told} where the definition says {float(figure)}"
    return ""
