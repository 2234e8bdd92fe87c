"""What goes into the verifier and what comes out of it.

No text of a finding or a fault holds a cell or a node id: formats, columns that the policy names, positions and counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Missing(str):
    """A reason that speaks of something that was not given to the verifier: with it, the outcome might be another."""

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
"""Classes say nothing of why they are as they are. A method that would have cut finer had a guarantee allowed it tells,
by not cutting, that the guarantee was in the way (Wong, Fu, Wang and Pei, "Minimality Attack in Privacy Preserving Data
Publishing", VLDB 2007). No guarantee over classes speaks of an attacker who draws that conclusion."""


@dataclass(frozen=True)
class Finding:
    """What the bytes say about one guarantee of the policy."""

    model: str
    required: dict[str, Any]
    achieved: dict[str, Any]
    holds: bool
    evidence: str
    """``bytes``, or ``bytes+sealed_map`` where the map of persons was needed too."""
    assumes: str
    """The attacker against whom the guarantee speaks."""
    detail: str = ""
    """Why it does not hold; empty where it does."""


@dataclass(frozen=True)
class Verdict:
    """The findings, and the faults of form that no guarantee speaks of."""

    findings: tuple[Finding, ...]
    faults: tuple[str, ...] = ()
    describe: Mapping[str, Any] = field(default_factory=dict)
    """Class sizes or degrees of the release, computed from its bytes alone."""

    @property
    def holds(self) -> bool:
        """Whether the release may be published: every guarantee holds and nothing is malformed."""
        return not self.faults and all(finding.holds for finding in self.findings)

    @property
    def cannot_tell(self) -> tuple[str, ...]:
        """What was not given, where that is all that stands between this verdict and one that holds."""
        reasons = [*self.faults, *(finding.detail for finding in self.findings if not finding.holds)]
        return tuple(dict.fromkeys(reasons)) if all(isinstance(reason, Missing) for reason in reasons) else ()


class Unreadable(Exception):
    """The bytes of an artifact are not what its format says; the message holds no value."""
