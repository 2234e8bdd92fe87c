"""Explain: the account of a release that a data steward can follow."""

from typing import Any

from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy import Policy


def explain(checked: Checked, protected: Protected, policy: Policy) -> dict[str, Any]:
    """Return what happened to the quasi-identifiers; empty if there are none."""
    return kind_named(policy.kind).explain(checked, protected, policy)
