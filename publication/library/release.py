"""Release: a dataset protected by a policy, with its verification and assessment.

The bytes and the evidence are produced by the same code as in the service's workers, and `verify` reads those bytes.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import verifier
from antifaz import assessment, protection
from antifaz.assessment import Assessment
from antifaz.errors import InvalidPolicy, Reason
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds import kind_named
from antifaz.kinds.graph import ReleasedGraph
from antifaz.kinds.kind import Checked, Protected
from antifaz.kinds.temporal import ReleasedSnapshots
from antifaz.policy.model import Policy
from antifaz.policy.parse import parse_hierarchy, parse_policy
from antifaz.watch import Watch, unwatched
from formats.writing import render_nodes, render_table
from publication.generator import cryptographic_generator
from publication.kinds import PUBLISHERS
from publication.library.datasets import Graph, Table
from publication.library.networks import to_multigraph, to_networkx
from publication.library.temporal import TemporalGraph
from publication.outcomes import refuse_outcome, shown_outcome
from verifier import Artifact, Verdict


@dataclass(frozen=True)
class Release:
    """Protected data. The object contains the original: share only `artifacts`, or the frames and graphs it returns."""

    document: Mapping[str, Any]
    """The policy as a JSON object."""
    policy: Policy
    checked: Checked
    protected: Protected

    @property
    def account(self) -> Mapping[str, Any]:
        """Account of what the method did, as counts and settings."""
        return self.protected.account

    def artifacts(self) -> list[Artifact]:
        """The files of the release in the policy's formats."""
        rendered = PUBLISHERS[self.policy.kind].render(self.policy, self.protected)
        return [Artifact(form, piece, b"".join(content)) for form, piece, content in rendered]

    def to_arrow(self) -> Any:
        """The released rows, or the released nodes, as a pyarrow table with the content of the parquet file."""
        protected = self.protected
        if isinstance(protected, ReleasedGraph):
            pieces = render_nodes(protected.graph.graph.n, protected.columns, "parquet")
        elif isinstance(protected, ReleasedSnapshots):
            pieces = render_nodes(protected.structure.snapshots.n, protected.columns, "parquet")
        else:
            pieces = render_table(protected.columns, "parquet")
        return pyarrow.parquet.read_table(pa.BufferReader(b"".join(pieces)))

    def to_pandas(self) -> Any:
        """The released rows, or the released nodes, as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The released rows, or the released nodes, as a polars data frame."""
        import polars  # not a dependency: callers that want such a frame have it

        return polars.from_arrow(self.to_arrow())

    def to_networkx(self) -> Any:
        """The released graph with its new node numbers and the released attributes of nodes and edges. A temporal graph
        becomes a multigraph whose keys are the numbers of snapshots."""
        protected = self.protected
        if isinstance(protected, ReleasedGraph):
            return to_networkx(protected.graph.graph, protected.columns, protected.edges)
        if isinstance(protected, ReleasedSnapshots):
            return to_multigraph(protected.structure.snapshots, protected.columns, protected.edges)
        raise InvalidPolicy("/kind", f"a release of kind {self.policy.kind} is not a graph")

    def report(self, rng: np.random.Generator | None = None) -> dict[str, Any]:
        """Whether it may be released and why not, the verified guarantees, risks before and after, attacks and their
        answers to the three questions, and utility. Only for those who may see the original: most figures compare with
        it."""
        verdict = verify(self)
        broken = verdict.faults or any(not finding.holds for finding in verdict.findings)
        measured = None if broken else assess(self, rng)
        reasons = _reasons(self, verdict, measured)
        return {
            "status": "refused" if reasons else "released",
            "reasons": [asdict(reason) for reason in reasons],
            "guarantees": [asdict(finding) for finding in verdict.findings],
            "unchanged": shown_outcome(verdict),
            "risk": {} if measured is None else {"before": measured.before, "after": measured.after},
            "attacks": [] if measured is None else measured.attacks,
            "answers": {} if measured is None else measured.answers,
            "utility": {} if measured is None else measured.utility,
            "explanation": {}
            if measured is None
            else kind_named(self.policy.kind).explain(self.checked, self.protected, self.policy),
            "account": dict(self.account),
        }


def protect(
    dataset: Table | Graph | TemporalGraph,
    policy: Mapping[str, Any],
    rng: np.random.Generator | None = None,
    *,
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
    populations: Mapping[str, Table] | None = None,
    key: bytes | None = None,
    watch: Watch = unwatched,
) -> Release:
    """Protect a dataset according to a policy, or raise `Infeasible`.

    Randomness comes from ``rng``: the same generator in the same state gives the same release, except for the noise of
    differential privacy, which no seed repeats. Without ``rng``, it comes from the operating system. ``hierarchies``
    and ``populations`` are the ones that the policy refers to by id. Pseudonyms are made with ``key``, or with a key
    that is discarded.
    """
    document: dict[str, Any] = json.loads(json.dumps(policy, allow_nan=False))
    parsed = parse_policy(document)
    referred: dict[str, Hierarchy] = {name: parse_hierarchy(dict(each)) for name, each in (hierarchies or {}).items()}
    people = {name: table.dataset for name, table in (populations or {}).items()}
    checked = protection.check(dataset.dataset, parsed, referred, people)
    PUBLISHERS[parsed.kind].refuse_large(parsed, checked)
    secret = key if key is not None else os.urandom(32) if parsed.pseudonyms() else None
    protected = protection.protect(checked, parsed, rng or cryptographic_generator(), watch, secret)
    return Release(document, parsed, checked, protected)


def assess(release: Release, rng: np.random.Generator | None = None, watch: Watch = unwatched) -> Assessment:
    """Measure risks before and after, attacks on the release, and its utility."""
    drawn = rng or cryptographic_generator()
    return assessment.assess(release.checked, release.protected, release.policy, drawn, watch)


def verify(release: Release) -> Verdict:
    """Verify every guarantee of the policy on the bytes of the release, with code independent of the methods."""
    kind = release.policy.kind
    evidence = PUBLISHERS[kind].evidence(release.checked, release.protected, release.policy)
    directed = bool(kind_named(kind).shape(release.protected).get("directed"))
    return verifier.verify(release.document, release.artifacts(), evidence, directed)


def _reasons(release: Release, verdict: Verdict, measured: Assessment | None) -> list[Reason]:
    """Why the service would refuse the release."""
    reasons = [Reason("release_form", detail=fault) for fault in verdict.faults]
    broken = [finding for finding in verdict.findings if not finding.holds]
    reasons += [Reason(f"guarantee:{finding.model}", detail=finding.detail) for finding in broken]
    if measured is not None:
        reasons += assessment.refuse(release.policy, release.protected, measured)
        reasons += refuse_outcome(verdict, release.checked, release.protected, release.policy)
    return reasons
