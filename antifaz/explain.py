"""Explain: the account of a release that a data steward can follow."""

from typing import Any

from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy import Policy


def explain(checked: Checked, protected: Protected, policy: Policy) -> dict[str, Any]:
    """What became of the quasi-identifiers; nothing where there are none."""
    return kind_named(policy.kind).explain(checked, protected, policy)
