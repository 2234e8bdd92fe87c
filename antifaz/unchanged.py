"""Unchanged: a release that equals its original up to names, or in too many records or nodes, needs a waiver.

A method may change nothing (a share that rounds to no edge, a clique in which no edges can be switched, a noise that
rounds to zero), or almost nothing (one edge of three hundred). So the outcome decides, not the method: a release is
refused if it equals its original, or if more than a stated share of its records or nodes are unchanged and alone. A
verified guarantee that someone is never alone is exempt: if the original already satisfies it, more edits would not add
protection. What a guarantee by mechanism draws at random is exempt too: nothing may depend on how it compares to the
original. The other columns of such a release are judged: nobody is protected by noise in another column.

The opposite is refused as well: a release that shows almost nothing of its original is of no use to anyone.
"""

from antifaz.errors import Reason
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy import Policy, drawn_by_mechanism, promises_mechanism

LEAST_KEPT = 0.05
"""Smallest share of the original's cells or edges that a release must show."""


def refuse_unchanged(checked: Checked, protected: Protected, policy: Policy) -> list[Reason]:
    """Return the reasons to refuse a release that equals its original, or leaves too much of it unchanged."""
    if drawn_by_mechanism(policy) - {"sensitive"}:
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
