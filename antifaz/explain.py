"""Explain: the account of a release that a data steward can follow."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.policy import Policy
from antifaz.protect import Checked, Protected
from antifaz.tables.explain import explain_table
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import ProtectedTable


def explain(checked: Checked, protected: Protected, policy: Policy) -> dict[str, Any]:
    """What became of the quasi-identifiers of a table or of a graph's nodes; nothing where there are none."""
    if checked.table is None or protected.table is None or not checked.table.quasi_identifiers:
        return {}
    released = protected.table
    if protected.graph is not None and protected.graph.members is not None:
        released = _by_node(released, protected.graph.members)
    guarantees = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, TableGuarantee)]
    return explain_table(checked.table, released, guarantees, checked.left_out)


def _by_node(supernodes: ProtectedTable, members: NDArray[np.int64]) -> ProtectedTable:
    """What the supernodes say of every single node."""
    columns = tuple(replace(column, codes=column.codes[members]) for column in supernodes.columns)
    return ProtectedTable(columns, np.arange(len(members), dtype=np.int64))
