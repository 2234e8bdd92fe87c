"""Costs: what a release was charged, and what its noise was, for the verifier and the report."""

from dataclasses import dataclass
from typing import Any

from antifaz.kinds.kind import Protected


@dataclass(frozen=True)
class Cost:
    """The charge of a job to its lineage's budget, in units of its measure."""

    charged: int
    budget: int
    measure: str = "pure"


def public_parameters(protected: Protected) -> dict[str, Any]:
    """Public parameters that analysts need to correct for randomization, such as transition matrices."""
    return dict(protected.account.get("public", {}))
