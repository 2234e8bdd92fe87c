"""Trials: a release as bytes, and its judgment by the definition."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from verifier import Artifact, Verdict, verify

Figure = int | Fraction | Decimal
_STEP = 1.1e-6
"""Fractional figures have six decimals."""
_DOUBT = 1e-8


@dataclass(frozen=True)
class Expected:
    """The result of the definition: whether the guarantee holds, and the figures reached."""

    holds: bool
    exact: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, Figure] = field(default_factory=dict)
    """Figures that must stay below a bound: reported rounded up."""
    at_least: Mapping[str, Figure] = field(default_factory=dict)
    """Figures that must stay above a bound: reported rounded down."""


@dataclass(frozen=True)
class Trial:
    """One release for the verifier."""

    policy: dict[str, Any]
    write: Callable[[], Sequence[Artifact]]
    """Writes the release lazily: many neighboring releases are read only by the definition."""
    expected: Expected
    sealed_map: dict[str, Any] | None = None
    directed: bool = False
    spoil: Callable[[Any], "Trial | None"] | None = None
    """Makes a neighboring release, with one row moved, one value or one edge changed."""

    def verdict(self) -> Verdict:
        """The verifier's result."""
        return verify(self.policy, self.write(), self.sealed_map, self.directed)


def disagreement(trial: Trial) -> str:
    """Differences between verifier and definition; empty if they agree."""
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
