"""Explain: the account of a release that a data steward can follow."""

from typing import Any

from antifaz.policy import Policy
from antifaz.protect import Checked, Protected
from antifaz.tables.explain import explain_table
from antifaz.tables.parts import TableGuarantee


def explain(checked: Checked, protected: Protected, policy: Policy) -> dict[str, Any]:
    """What became of the quasi-identifiers of a table or of a graph's nodes; nothing where there are none."""
    if checked.table is None or protected.table is None or not checked.table.quasi_identifiers:
        return {}
    guarantees = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, TableGuarantee)]
    return explain_table(checked.table, protected.table, guarantees, checked.left_out)
