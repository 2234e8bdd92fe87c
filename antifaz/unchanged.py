"""Unchanged: a release that equals its original up to names, or in too many records or nodes, needs a waiver.

A method may change nothing (a share that rounds to no edge, a clique in which no edges can be switched, a noise that
rounds to zero), or almost nothing (one edge of three hundred). So the outcome decides, not the method: a release is
refused if it equals its original, or if more than a stated share of its records or nodes are unchanged and alone. A
verified guarantee that someone is never alone is exempt: if the original already satisfies it, more edits would not add
protection. What a guarantee by mechanism draws at random is exempt too: nothing may depend on how it compares to the
original. Noise on edges is judged by its probabilities instead, which are public. The other columns of such a release
are judged: nobody is protected by noise in another column.

The opposite is refused as well: a release that shows almost nothing of its original is of no use to anyone.
"""

from collections.abc import Mapping
from typing import Any

from antifaz.errors import Reason
from antifaz.graphs.edits.pair_noise import pairs_of_node, unchanged_chance
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy.model import Policy, drawn_by_mechanism, promises_mechanism
from antifaz.policy.networks import refuse_faint

LEAST_KEPT = 0.05
"""Smallest share of the original's cells or edges that a release must show."""


def refuse_unchanged(checked: Checked, protected: Protected, policy: Policy) -> list[Reason]:
    """Return the reasons to refuse a release that equals its original, or leaves too much of it unchanged."""
    drawn = drawn_by_mechanism(policy)
    if "edges" in drawn:
        return refuse_faint(policy, _chance_by_noise(protected.account, kind_named(policy.kind).shape(protected)))
    if drawn - {"sensitive"}:
        return []
    return kind_named(policy.kind).unchanged(checked, protected, policy)


def refuse_emptied(checked: Checked, protected: Protected, policy: Policy) -> list[Reason]:
    """Return the reason to refuse a release that shows almost nothing of its original; empty if it shows more."""
    if promises_mechanism(policy):
        return []
    kept = kind_named(policy.kind).kept(checked, protected)
    if kept >= LEAST_KEPT:
        return []
    detail = "almost nothing of the original is left: lower the guarantees, use another method, or provide more data"
    return [Reason("nothing_kept", LEAST_KEPT, kept, detail)]


def _chance_by_noise(account: Mapping[str, Any], shape: Mapping[str, Any]) -> float | None:
    """The probability that a node keeps exactly its edges, in the worst snapshot; None if edges of the original are
    not reported, but new ones are drawn."""
    public = account.get("public", {}).get("edge_local_dp")
    if public is None:
        return None
    pairs = pairs_of_node(shape["nodes"], shape["directed"])
    noises = public.get("mechanisms", [public])
    return max((unchanged_chance(noise["p01"], noise["p11"], pairs) for noise in noises), default=0.0)
