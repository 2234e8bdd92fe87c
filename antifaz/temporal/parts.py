"""The kinds of part that work on temporal graphs, each with its one verb."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from antifaz.graphs.parts import NetworkMethod
from antifaz.part import Attack, Guarantee, Part, Risk
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class TemporalGuarantee(Guarantee):
    """What must hold in a released temporal graph."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)
    each_snapshot: ClassVar[bool] = False
    """Whether its epsilon is spent in every snapshot, so that the ledger is charged for all of them."""

    def admit(self, snapshots: Snapshots) -> None:
        """Raise `InvalidDataset` if counts alone show that these snapshots cannot satisfy it."""
        raise NotImplementedError

    def holds(self, snapshots: Snapshots) -> bool:
        """Whether the snapshots satisfy it: the method's own final check, separate from the verifier's."""
        raise NotImplementedError


class TemporalMethod(NetworkMethod):
    """A way to protect a temporal graph."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def admit(self, snapshots: Snapshots) -> None:
        """Raise `InvalidDataset` if the method is not defined for such snapshots."""

    def apply(
        self, snapshots: Snapshots, guarantees: Sequence[Part], rng: np.random.Generator, watch: Watch
    ) -> ProtectedSnapshots:
        """Protect the snapshots so that every guarantee holds, or raise `Infeasible`; the input is left untouched."""
        raise NotImplementedError


class TemporalRisk(Risk):
    """A measure of re-identification risk, before and after protection."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def before(self, snapshots: Snapshots) -> dict[str, Any]:
        """Return the risk of releasing the original under new node numbers."""
        raise NotImplementedError

    def after(self, released: ProtectedSnapshots) -> dict[str, Any]:
        """Return the risk of the release, computed from the released snapshots alone."""
        raise NotImplementedError


class TemporalUtility(Part):
    """A measure of the utility of the release."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the release with the original: ``original``, ``released`` and ``loss``, or ``value``."""
        raise NotImplementedError


class TemporalAttack(Attack):
    """An attempt to re-identify nodes or contacts of a release, judged against the truth."""

    kinds: ClassVar[tuple[str, ...]] = ("temporal_graph",)

    def attempt(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Attack the release: at least ``rate`` (share re-identified) and ``baseline`` (guessing)."""
        raise NotImplementedError
