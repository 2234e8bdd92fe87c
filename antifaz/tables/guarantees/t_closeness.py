"""t-Closeness: in every class the sensitive values are distributed nearly as in the whole release.

Li, Li and Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007.

Everyone sees the distribution over all released rows. What a class reveals in addition is measured by the earth mover's
distance: how much probability must be moved, and how far. `equal` moves every value to any other at cost 1; `ordered`
at the difference of their ranks over the largest one; `hierarchical` at the height of their lowest common ancestor over
that of the hierarchy. Codes do not show whether they are ordered, so the policy states the distance. Spellings of one
value are one value; if that could lower the distance of a class (`equal`, `hierarchical`), t must hold either way.

Guarantees: the distance of every class is at most t.
Cost: O(d log m) per class with d of m values (`ordered`), O(d) per level otherwise.
"""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import InvalidPolicy
from antifaz.kernels.tables.conditions import NESTED, ORDERED
from antifaz.part import Examples
from antifaz.tables.classes.distributions import clear_limit, readings, sensitive_attribute, value_counts
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import Attribute, Table


class TCloseness(TableGuarantee):
    """The distribution of a sensitive attribute in every class is within t of that of the whole release."""

    assumes: ClassVar[str] = (
        "the attacker knows the quasi-identifiers and how often each sensitive value occurs in the whole release"
        + DECIDES_BLINDLY
    )
    classwise: ClassVar[bool] = True
    examples: ClassVar[Examples] = ({"t": 0.3, "distance": "equal", "attribute": "disease"},)

    model: Literal["t_closeness"] = "t_closeness"
    t: float = Field(gt=0, le=1)
    """Largest earth mover's distance of a class."""
    distance: Literal["equal", "ordered", "hierarchical"]
    """Cost of moving probability from one value to another: always the same, by ranks, or by the attribute's
    hierarchy."""
    attribute: str
    """The sensitive attribute."""

    def can_fail(self) -> bool:
        """Whether t is below 1: no distance is above 1."""
        return self.t < 1

    def admit(self, table: Table) -> None:
        """Refuse an attribute that is not sensitive, and a distance by a hierarchy that it does not have."""
        attribute = sensitive_attribute(table, self.attribute)
        if self.distance == "hierarchical" and attribute.generalization is None:
            raise InvalidPolicy("/distance", "hierarchical needs a hierarchy of the sensitive attribute")

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """The distance to the distribution of all records."""
        attribute = sensitive_attribute(table, self.attribute)
        if self.distance == "ordered":
            values = attribute.folded
            limits = (clear_limit(self.t), *_cumulate(values))
            return (ClassRule(ORDERED, self.attribute, limits, values.column.codes),)
        return tuple(
            ClassRule(NESTED, self.attribute, (clear_limit(self.t), *self._nest(values)), values.column.codes)
            for values in readings(attribute)
        )

    def _nest(self, attribute: Attribute) -> tuple[float, ...]:
        """The number of levels and of values; then, for each level below the root, each value's group and the share of
        that group."""
        counts = value_counts(attribute)
        levels = np.arange(len(counts), dtype=np.int32)[None, :]
        if self.distance == "hierarchical" and attribute.generalization is not None:
            levels = attribute.generalization.groups[:-1]
        pieces = [np.array([len(levels), len(counts)], dtype=np.float64)]
        for groups in levels:
            sizes = np.bincount(groups, weights=counts, minlength=len(counts))
            pieces += [groups.astype(np.float64), sizes[groups] / max(int(counts.sum()), 1)]
        return tuple(np.concatenate(pieces).tolist())


def _cumulate(attribute: Attribute) -> tuple[float, ...]:
    """Number of values, the share of records up to each value, and the running sums of these shares."""
    counts = value_counts(attribute)
    shares = np.cumsum(counts) / max(int(counts.sum()), 1)
    return (float(len(counts)), *shares.tolist(), 0.0, *np.cumsum(shares).tolist())
