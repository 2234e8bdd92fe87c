"""The report of a job: its guarantees, the verifier's findings, and the measurements.

Every part that a consumer may see is computed by the verifier from the released bytes, or is the policy itself; the
rest is for stewards and auditors. It contains no value of the original.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from uuid import UUID

from numpy.typing import NDArray

import verifier
from antifaz.answers import headline
from antifaz.assessment import Assessment
from antifaz.extending.extensions import packages
from antifaz.kinds.kind import Dataset, Protected
from antifaz.policy.model import Policy, promises_mechanism
from formats.extending.extensions import graph_format_of_upload
from publication.costs import Cost
from publication.outcomes import outcome_warnings, shown_outcome
from storage.accounts.ledger import in_loss
from storage.datasets.datasets import DatasetRecord
from storage.jobs.jobs import JobRecord
from storage.releases.releases import ReleaseRecord
from workers.run.problems import AGAINST_POPULATION
from workers.run.watch import JobWatch

SCHEMA_VERSION = 1
UNRELATED = "unrelated_to"
"""What was found on reading: an earlier dataset with the same content, declared unrelated."""
_MOST_BARS = 24
_TRANSFORMATION = (
    "rows_in",
    "rows_out",
    "rows_suppressed",
    "edges_added",
    "edges_removed",
    "nodes_added",
    "self_loops_dropped",
    "repeated_edges_dropped",
    "self_loops_by_snapshot",
    "repeated_edges_by_snapshot",
    "edit_lower_bound",
)
_ABOUT_EDGES = ("edge_local_dp", "edge_differential_privacy")
_SHOWN_ELSEWHERE = ("public", "suppressed_because")


@dataclass
class Outcome:
    """The results of a job so far; filled stage by stage."""

    job: JobRecord
    dataset_record: DatasetRecord
    policy: Policy
    intake: dict[str, Any]
    dataset: Dataset
    protected: Protected | None = None
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    verdict: verifier.Verdict | None = None
    joint: Sequence[verifier.Finding] = ()
    """Findings about this release and the earlier ones together, one for each promise."""
    assessment: Assessment | None = None
    explanation: dict[str, Any] = field(default_factory=dict)
    unmeasured: bool = False
    """Whether a measure failed, but the release still had to be made."""
    earlier: tuple[ReleaseRecord, ...] = ()
    """Earlier releases of the lineage."""
    maps: tuple[Mapping[str, NDArray[Any]] | None, ...] = ()
    """Their sealed maps; None if a release has no usable map."""
    cost: Cost | None = None
    """The job's charge, if it has a differential-privacy guarantee and its lineage a budget."""
    known: dict[str, Any] = field(default_factory=dict)
    """Risks of the original already measured by a run that sees it in the same way."""

    @property
    def made(self) -> Protected:
        """The protected data, once there is some."""
        if self.protected is None:
            raise RuntimeError("nothing was protected yet")
        return self.protected

    def guarantees(self) -> list[dict[str, Any]]:
        """The verifier's findings, in the form of the report and the release."""
        findings = [*(self.verdict.findings if self.verdict else ()), *self.joint]
        return [
            {
                "model": finding.model,
                "required": dict(finding.required),
                "achieved": dict(finding.achieved),
                "holds": finding.holds,
                "evidence": finding.evidence,
                "assumes": finding.assumes,
                "detail": finding.detail,
            }
            for finding in map(_without_people, findings)
        ]


def _without_people(finding: verifier.Finding) -> verifier.Finding:
    """A finding against a population, reduced to what may be shown: that the bounds hold, not the number of people."""
    if "population" not in finding.required:
        return finding
    bounds = {name: value for name, value in finding.required.items() if name != "population"}
    return replace(
        finding, achieved=bounds if finding.holds else {}, detail="" if finding.holds else AGAINST_POPULATION.detail
    )


def build_report(
    outcome: Outcome, watch: JobWatch, release_id: UUID | None, status: str, refusal: dict[str, Any] | None
) -> dict[str, Any]:
    """The full report, of which each role sees a part."""
    assessment = outcome.assessment or Assessment()
    account = dict(outcome.protected.account) if outcome.protected else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "job_id": str(outcome.job.id),
        "release_id": str(release_id) if release_id else None,
        "status": status,
        "refusal": refusal,
        "kind": outcome.policy.kind,
        "policy": outcome.policy.public(),
        "dataset": {
            "id": str(outcome.dataset_record.id),
            "name": outcome.dataset_record.name,
            **outcome.dataset.counts(),
        },
        "guarantees": outcome.guarantees(),
        "artifacts": outcome.artifacts if release_id else [],
        "release": release_shape(outcome.verdict.describe) if outcome.verdict and status != "refused" else {},
        "risk": {
            "before": assessment.before,
            "after": assessment.after,
            "attacks": assessment.attacks,
            "answers": assessment.answers,
            **({"unmeasured": True} if outcome.unmeasured else {}),
        },
        "unchanged": shown_outcome(outcome.verdict),
        "utility": assessment.utility,
        "transformation": _transformation(account | outcome.intake),
        "explanation": outcome.explanation,
        **({"mechanism": account["public"]} if account.get("public") else {}),
        "method": {key: value for key, value in account.items() if key not in (*_TRANSFORMATION, *_SHOWN_ELSEWHERE)},
        **({"budget": _of_budget(outcome.cost)} if outcome.cost else {}),
        "warnings": warnings_of(outcome),
        "waivers": [waiver.model_dump(exclude_none=True) for waiver in outcome.policy.waivers],
        "timing": {**watch.timing, "cpu": watch.cpu},
        "software": software(),
    }


def _of_budget(cost: Cost) -> dict[str, float]:
    name = "epsilon" if cost.measure == "pure" else "rho"
    return {name: in_loss(cost.budget, cost.measure), "charged": in_loss(cost.charged, cost.measure)}


def release_shape(describe: Mapping[str, Any]) -> dict[str, Any]:
    """The verifier's description of the release, with its class sizes or degrees as a histogram for plotting."""
    shape = dict(describe)
    if "histogram" in shape:
        shape["histogram"] = [
            {"bin": _bin(bar["from"], bar["to"]), "count": bar["classes"], "rows": bar["rows"]}
            for bar in shape["histogram"]
        ]
    elif "degrees" in shape:
        degrees = shape["degrees"]
        shape["histogram"] = _degree_bars(degrees.get("in", degrees))
    if "node_classes" in shape:
        shape["node_classes"] = release_shape(shape["node_classes"])
    return shape


def _degree_bars(nodes_of_degree: Mapping[str, int]) -> list[dict[str, Any]]:
    """One bar for each degree or, if there are many, for ranges of degrees of growing width."""
    degrees = sorted((int(degree), nodes) for degree, nodes in nodes_of_degree.items())
    if len(degrees) <= _MOST_BARS:
        return [{"bin": str(degree), "count": nodes} for degree, nodes in degrees]
    bars, low, width = [], 0, 1
    while low <= degrees[-1][0]:
        high = low + width - 1
        count = sum(nodes for degree, nodes in degrees if low <= degree <= high)
        bars.append({"bin": _bin(low, high), "count": count})
        # Bins double in width: the long tail of high degrees needs few of them.
        low, width = high + 1, max(width, high + 1)
    return bars


def _bin(low: int, high: int | None) -> str:
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}-{high}"


def warnings_of(outcome: Outcome) -> list[dict[str, Any]]:
    """Warnings, the one about homogeneous classes first."""
    warnings: list[dict[str, Any]] = []
    # Consumers see warnings: with a guarantee by mechanism, none may depend on whether a measure worked.
    measured = None if promises_differential_privacy(outcome) else outcome.assessment
    homogeneous = (measured.after if measured else {}).get("homogeneity", {})
    for attribute, share in homogeneous.get("columns", {}).items():
        if share > 0:
            warnings.append(
                {
                    "code": "HOMOGENEOUS_CLASSES",
                    "attribute": attribute,
                    "share": share,
                    "detail": "share of rows in classes whose members all have the same value of this attribute",
                }
            )
    warnings += _followed_over_time(outcome)
    warnings += [{"code": "POLICY", "detail": text} for text in outcome.policy.warnings()]
    warnings += outcome_warnings(outcome.policy, outcome.protected, measured)
    if any(guarantee["evidence"] != "mechanism" for guarantee in outcome.guarantees()):
        warnings.append(
            {
                "code": "SYNTACTIC_NO_FORMAL_GUARANTEE",
                "detail": "a syntactic model limits what the stated attacker learns from the release, and no other",
            }
        )
    if promises_differential_privacy(outcome) and outcome.cost is None:
        warnings.append(
            {
                "code": "NO_BUDGET",
                "detail": "this dataset has no budget: the costs of its differentially private releases add up",
            }
        )
    if UNRELATED in outcome.intake:
        warnings.append(
            {
                "code": "SAME_FILE_UNRELATED",
                "detail": "the same data was uploaded before as another dataset and declared unrelated: releases of "
                "the two are not checked together",
            }
        )
    if _nodes_come_from_edges(outcome):
        warnings.append(
            {
                "code": "NODES_FROM_EDGES",
                "detail": "the nodes come from the list of edges: a listed node is known to have an edge",
            }
        )
    return warnings


def _followed_over_time(outcome: Outcome) -> list[dict[str, Any]]:
    """A warning if nodes of a temporal graph can be distinguished by their degrees in all snapshots, as its bytes show.

    A guarantee that holds in each snapshot does not prevent it. One by mechanism holds whatever the degrees are.
    """
    share = outcome.verdict.describe.get("unique_trajectories", 0) if outcome.verdict else 0
    if not share or promises_differential_privacy(outcome):
        return []
    detail = "share of nodes whose degrees in all snapshots together no other node has: a guarantee that holds in one "
    detail += "snapshot does not protect them from someone who follows them over time"
    return [{"code": "UNIQUE_TRAJECTORIES", "share": share, "detail": detail}]


def _nodes_come_from_edges(outcome: Outcome) -> bool:
    """Whether a guarantee about single edges is given for a graph without a list of its nodes."""
    about_edges = any(guarantee.wire_name() in _ABOUT_EDGES for guarantee in outcome.policy.guarantees)
    record = outcome.dataset_record
    return about_edges and not graph_format_of_upload(record.format).lists_nodes and record.nodes_blob_id is None


def promises_differential_privacy(outcome: Outcome) -> bool:
    """Whether figures computed from the original are for the steward only."""
    return promises_mechanism(outcome.policy)


def achieved_k(outcome: Outcome) -> int | None:
    """The smallest verified k, for the auditors' queries."""
    found = [guarantee["achieved"]["k"] for guarantee in outcome.guarantees() if "k" in guarantee["achieved"]]
    return int(min(found)) if found else None


def headline_risk(outcome: Outcome) -> float | None:
    """The rate of the answer that is farthest above guessing, for the auditors' queries."""
    found = None if outcome.assessment is None else headline(outcome.assessment.answers)
    return None if found is None else float(found["rate"])


def software() -> dict[str, str]:
    """The version of Antifaz that made the release, and those of installed packages that extend it."""
    try:
        return {"antifaz": version("antifaz")} | packages()
    except PackageNotFoundError:
        return {"antifaz": "unknown"} | packages()


def _transformation(account: dict[str, Any]) -> dict[str, Any]:
    return {key: account[key] for key in _TRANSFORMATION if key in account}
