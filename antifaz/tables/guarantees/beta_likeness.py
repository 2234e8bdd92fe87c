"""β-Likeness: no class makes a sensitive value much more likely than it is in the whole release.

Cao and Karras, "Publishing Microdata with a Robust Privacy Guarantee", PVLDB 5(11), 2012.

Without the class, an attacker believes that a person has a value with probability p, its share of all released rows;
with the class, the probability is q, its share there. `basic` bounds the relative gain (q - p) / p of every value by β.
`enhanced` bounds it by the smaller of β and -ln p, so that frequent values are protected as well. Rare values thus stay
rare in every class, which a bound on the whole distribution (t-closeness) does not require. The bound must hold for
values as spelled, and with all spellings of a value counted as one.

Guarantees: the belief in any value of the attribute grows at most by the factor 1 + β.
"""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.kernels.tables.conditions import BOUNDED
from antifaz.part import Examples
from antifaz.tables.classes.distributions import clear_limit, readings, sensitive_attribute, value_shares
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import Table


class BetaLikeness(TableGuarantee):
    """No sensitive value is relatively more frequent in a class than beta allows."""

    assumes: ClassVar[str] = (
        "the attacker knows the quasi-identifiers and how often each sensitive value occurs in the whole release"
        + DECIDES_BLINDLY
    )
    classwise: ClassVar[bool] = True
    examples: ClassVar[Examples] = (
        {"beta": 2, "attribute": "disease"},
        {"beta": 2, "attribute": "disease", "variant": "enhanced"},
    )

    model: Literal["beta_likeness"] = "beta_likeness"
    beta: float = Field(gt=0, le=1_000_000)
    """Largest relative increase of a value's share in a class over its share of all released rows."""
    variant: Literal["basic", "enhanced"] = "basic"
    """Whether the bound is beta alone, or the smaller of beta and the value's information content -ln p."""
    attribute: str
    """The sensitive attribute."""

    def admit(self, table: Table) -> None:
        """Refuse an attribute that is not sensitive; the whole table as one class always satisfies it."""
        sensitive_attribute(table, self.attribute)

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """The largest share that each value may have of a class."""
        return tuple(
            ClassRule(
                BOUNDED, self.attribute, (self.beta, *self._bounds(value_shares(values)).tolist()), values.column.codes
            )
            for values in readings(sensitive_attribute(table, self.attribute))
        )

    def _bounds(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        gains = np.full(len(shares), clear_limit(self.beta))
        if self.variant == "enhanced":
            known = np.where(shares > 0, shares, 1.0)
            gains = np.minimum(gains, -np.log(known))
        return np.asarray(shares * (1.0 + gains), dtype=np.float64)
