"""Unchanged: a release that equals its original up to names needs a waiver, whatever the method is called.

A method may have had nothing to do (a share that rounds to no edge, a clique in which no edges can be switched, a noise
that rounds to nothing) and still bear the name of a protection. So the outcome decides and not the method. A verified
guarantee is another matter: data that has it as it came is as protected as the guarantee says, and an edit more would
not add to it. With a guarantee by mechanism nothing may depend on how the release and the original relate.
"""

from antifaz.errors import Reason
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy import Policy, promises_mechanism


def refuse_unchanged(checked: Checked, protected: Protected, policy: Policy) -> list[Reason]:
    """Why the release may not go out as the original that it is; empty if it may, or is not."""
    return [] if promises_mechanism(policy) else kind_named(policy.kind).unchanged(checked, protected, policy)
