"""Unchanged: a release that equals its original up to names needs a waiver, whatever the method.

A method may change nothing (a share that rounds to no edge, a clique in which no edges can be switched, a noise that
rounds to zero). So the outcome decides, not the method. Verified guarantees are exempt: if the original already
satisfies the guarantee, more edits would not add protection. Guarantees by mechanism are exempt too: with them, nothing
may depend on how the release compares to the original.
"""

from antifaz.errors import Reason
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy import Policy, promises_mechanism


def refuse_unchanged(checked: Checked, protected: Protected, policy: Policy) -> list[Reason]:
    """Return the reasons to refuse a release that equals its original; empty if it is allowed or does not."""
    return [] if promises_mechanism(policy) else kind_named(policy.kind).unchanged(checked, protected, policy)
