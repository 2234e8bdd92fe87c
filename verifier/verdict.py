"""What goes into the verifier and what comes out of it.

No text of a finding or a fault holds a cell or a node id: formats, columns that the policy names, positions and counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Artifact:
    """One file of a release, as it will be served."""

    format: str
    """``csv``, ``parquet``, ``jsonl``, ``edgelist``, ``graphml``, ``gml`` or ``node-link``."""
    part: str
    """``table``, ``graph`` or ``nodes``."""
    content: bytes | bytearray | memoryview


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


class Unreadable(Exception):
    """The bytes of an artifact are not what its format says; the message holds no value."""
