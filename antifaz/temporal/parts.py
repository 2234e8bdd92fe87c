"""The kinds of part that work on temporal graphs, each with its one verb."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.part import Part
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class TemporalGuarantee(Part):
    """What must hold in a released temporal graph."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)
    assumes: ClassVar[str]
    """The attacker against whom it protects, in one sentence."""
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes"
    each_snapshot: ClassVar[bool] = False
    """Whether its epsilon is lost in every snapshot again, so that the ledger is charged for all of them."""

    def can_fail(self) -> bool:
        """Whether its parameters leave anything to break; one that cannot fail counts as absent."""
        return True

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this guarantee must waive by name."""
        return ()

    def admit(self, snapshots: Snapshots) -> None:
        """Raise `InvalidDataset` if counting alone shows that these snapshots cannot have it."""
        raise NotImplementedError

    def holds(self, snapshots: Snapshots) -> bool:
        """Whether the snapshots have it: the method's own last check (the verifier's is another)."""
        raise NotImplementedError


class TemporalMethod(Part):
    """A way to protect a temporal graph."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)
    gives: ClassVar[tuple[str, ...]]
    """Wire names of the guarantees that the method can give."""
    leaves: ClassVar[str] = ""
    """What the method does not protect against, in one sentence for whoever writes a policy."""
    form: ClassVar[Literal["graph"]] = "graph"
    """What is released in every snapshot."""

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this method must waive by name."""
        return ()

    def guarantees_given(self) -> tuple[str, ...]:
        """Those of ``gives`` that it can give with its parameters."""
        return self.gives

    def admit(self, snapshots: Snapshots) -> None:
        """Raise `InvalidDataset` if the method is not defined for such snapshots."""

    def contradictions(self, guarantees: Sequence[Part]) -> Iterable[tuple[str, str]]:
        """What is wrong with the method and a policy's guarantees together: pointer into the policy, and reason."""
        return ()

    def forecast(self, guarantees: Sequence[Part], nodes: int | None, directed: bool | None) -> dict[str, Any]:
        """What is to be expected of a run, from the policy and what is public of the dataset; empty if nothing is."""
        return {}

    def makes_nodes(self) -> bool:
        """Whether the release may have nodes that the original has not."""
        return False

    def carries_edges(self) -> bool:
        """Whether weights and labels of edges may be released with it."""
        return True

    def apply(
        self, snapshots: Snapshots, guarantees: Sequence[Part], rng: np.random.Generator, watch: Watch
    ) -> ProtectedSnapshots:
        """Protect the snapshots so that every guarantee holds, or raise `Infeasible`; the input is left untouched."""
        raise NotImplementedError


class TemporalRisk(Part):
    """A measure of re-identification risk, before and after protection."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def before(self, snapshots: Snapshots) -> dict[str, Any]:
        """The risk of releasing the original under new node numbers."""
        raise NotImplementedError

    def after(self, released: ProtectedSnapshots) -> dict[str, Any]:
        """The risk of the release; a function of the released snapshots alone."""
        raise NotImplementedError


class TemporalUtility(Part):
    """A measure of what the release is still good for."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the release with the original: ``original``, ``released`` and ``loss``, or ``value``."""
        raise NotImplementedError


class TemporalAttack(Part):
    """An attempt to re-identify nodes or contacts of a release, judged against the truth."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def attempt(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Attack the release: at least ``rate`` (share re-identified) and ``baseline`` (guessing)."""
        raise NotImplementedError
