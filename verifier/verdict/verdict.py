"""The input and the output of the verifier.

The texts of findings and faults contain no cell or node id, only formats, columns that the policy names, positions and
counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Missing(str):
    """A reason about an input that was not given to the verifier: with it, the outcome might differ."""

    __slots__ = ()


@dataclass(frozen=True)
class Artifact:
    """One file of a release, as it will be served."""

    format: str
    """``csv``, ``parquet``, ``jsonl``, ``edgelist``, ``graphml``, ``gml`` or ``node-link``."""
    part: str
    """``table``, ``graph`` or ``nodes``."""
    content: bytes | bytearray | memoryview


DECIDES_BLINDLY = ", and does not reason from how the method decides (minimality attack)"
"""Guarantees over classes do not consider why the classes were formed. If a method splits classes as far as a guarantee
allows, a class that was not split reveals that the guarantee prevented it (Wong, Fu, Wang and Pei, "Minimality Attack
in Privacy Preserving Data Publishing", VLDB 2007). An attacker who draws that conclusion is not covered."""


@dataclass(frozen=True)
class Finding:
    """Result for one guarantee of the policy, computed from the bytes."""

    model: str
    required: dict[str, Any]
    achieved: dict[str, Any]
    holds: bool
    evidence: str
    """``bytes``, or ``bytes+sealed_map`` if the map of persons was needed too."""
    assumes: str
    """The attacker against whom the guarantee protects."""
    detail: str = ""
    """Why it does not hold; empty if it does."""


@dataclass(frozen=True)
class Verdict:
    """The findings, and the faults of form that no guarantee covers."""

    findings: tuple[Finding, ...]
    faults: tuple[str, ...] = ()
    describe: Mapping[str, Any] = field(default_factory=dict)
    """Class sizes or degrees of the release, computed from its bytes alone."""
    outcome: tuple[Finding, ...] = ()
    """The shares of records and of nodes that are unchanged and alone, if it is known what they were; with a guarantee
    by mechanism, nothing is compared."""

    @property
    def holds(self) -> bool:
        """Whether the release may be published: every guarantee holds, nothing is malformed, and not too much of the
        original is left unchanged."""
        return not self.faults and all(finding.holds for finding in (*self.findings, *self.outcome))

    @property
    def cannot_tell(self) -> tuple[str, ...]:
        """Missing inputs, if they are the only reason why the verdict does not hold."""
        broken = (finding for finding in (*self.findings, *self.outcome) if not finding.holds)
        reasons = [*self.faults, *(finding.detail for finding in broken)]
        return tuple(dict.fromkeys(reasons)) if all(isinstance(reason, Missing) for reason in reasons) else ()


class Unreadable(Exception):
    """The bytes of an artifact do not follow its format; the message contains no value."""
