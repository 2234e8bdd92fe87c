"""Networks: the forms that graphs and temporal graphs share: nodes with attributes, edges with weights and labels."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from antifaz.errors import Infeasible, Reason
from antifaz.kinds.kind import Checked, Dataset, Protected, Subject
from antifaz.kinds.records import CheckedTable, refuse_alone
from antifaz.policy.networks import MOST_NODES_ALONE, NetworkPolicy, refuse_faint
from antifaz.tables.classes.coded import Coded
from antifaz.tables.table import Column, ProtectedTable, ReleasedColumn


@dataclass(frozen=True)
class NetworkDataset(Dataset):
    """Nodes and edges as they were read; the columns are those of the nodes."""

    edges: tuple[Coded, ...] = field(default=(), kw_only=True)
    """Weights and labels of the edges, in the order of the edges' keys, if they were read."""


@dataclass(frozen=True)
class CheckedNetwork(Checked):
    """Nodes and edges that fit their policy."""

    nodes: CheckedTable | None = field(kw_only=True)
    """The nodes' attributes, if they have any."""
    edges: tuple[Column, ...] = field(default=(), kw_only=True)
    """Weights and labels of the edges that the policy wants released."""


@dataclass(frozen=True)
class ReleasedNetwork(Protected):
    """Protected nodes and edges, the nodes renumbered."""

    nodes: ProtectedTable | None = field(default=None, kw_only=True)
    edges: tuple[ReleasedColumn, ...] = field(default=(), kw_only=True)
    """The released columns of the edges, in the order of the released keys."""

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The released columns of the nodes."""
        return self.nodes.columns if self.nodes else ()

    @property
    def described(self) -> tuple[ReleasedColumn, ...]:
        """Every column of the data dictionary: those of the nodes, then those of the edges."""
        return (*self.columns, *self.edges)


def node_subjects(checked: CheckedNetwork, released: ProtectedTable | None) -> list[Subject]:
    """Return the nodes as a table to measure, if single nodes are released with quasi-identifiers."""
    if checked.nodes is None or released is None or not checked.nodes.table.quasi_identifiers:
        return []
    return [Subject("table", checked.nodes.table, released)]


def require_noise(policy: NetworkPolicy, nodes: int, directed: bool) -> None:
    """Refuse noise on edges that is known to be too faint before anything is drawn or charged."""
    if reasons := refuse_faint(policy, policy.forecast(nodes, directed).get("node_unchanged")):
        raise Infeasible(reasons)


def refuse_same_edges(policy: NetworkPolicy, has_same_edges: Callable[[], bool]) -> list[Reason]:
    """Return a reason if the edges are those of the original and no structural guarantee is promised."""
    if _may_show_original(policy) or not has_same_edges():
        return []
    detail = "the edges are those of the original: change more of them, promise a structural guarantee, or waive naive"
    return [Reason("naive", detail=detail)]


def refuse_exposed(
    checked: CheckedNetwork, nodes: ProtectedTable | None, policy: NetworkPolicy, share: float
) -> list[Reason]:
    """Return a reason if too many nodes are joined as in the original and alone, and no structural guarantee is
    promised, and another if too many of them have their original attributes and are alone with these."""
    reasons = []
    if share > MOST_NODES_ALONE and not _may_show_original(policy):
        detail = (
            "share of nodes that are joined as in the original and alone: change more edges, promise a structural "
            "guarantee, or waive naive"
        )
        reasons.append(Reason("naive", MOST_NODES_ALONE, share, detail))
    if checked.nodes is not None and nodes is not None:
        reasons += refuse_alone(checked.nodes.table, nodes, policy)
    return reasons


def _may_show_original(policy: NetworkPolicy) -> bool:
    """Whether edges may stay as they are: a guarantee that a release could break is verified, or it was waived."""
    return any(guarantee.can_fail() for guarantee in policy.structural()) or policy.waives("naive")


def with_nodes(account: dict[str, Any], nodes: ProtectedTable | None) -> dict[str, Any]:
    """Return the account of the structure together with that of the nodes."""
    return account if nodes is None else {**account, "nodes": nodes.account}
