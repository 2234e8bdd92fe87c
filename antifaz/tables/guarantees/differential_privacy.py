"""Differential privacy: whether one record, or one person, is in the table changes hardly anything that is released.

Dwork, McSherry, Nissim and Smith, "Calibrating Noise to Sensitivity in Private Data Analysis", TCC 2006; Dwork,
Kenthapadi, McSherry, Mironov and Naor, "Our Data, Ourselves", EUROCRYPT 2006, for delta.

Two tables are neighbors when one of them has all that the other has and one record more; where the policy names a
privacy unit, the records of one person more, of which a stated number counts. No set of releases is more than e^ε times
as likely for one of them as for the other, and δ beside.

Guarantees: what anybody concludes about a person from the release they would have concluded, but for the factor e^ε and
δ, had the person not been in the table. Public and not covered: the policy with its declared domains. Losses of several
releases add up, and so do their deltas.
Cost: nothing to check in the bytes but that all of them are in the declared domains; it is a property of the mechanism.
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.part import LEAST_EPSILON, Examples
from antifaz.tables.parts import ClassRule, TableGuarantee
from antifaz.tables.table import Table


class DifferentialPrivacy(TableGuarantee):
    """Whether any one record is in the table changes the odds of a release at most by the factor e^ε, and δ beside."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)
    assumes: ClassVar[str] = "nothing: it holds for any attacker, for whether any one record is in the table"
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "mechanism"
    examples: ClassVar[Examples] = ({"epsilon": 1.0, "delta": 1e-9},)

    model: Literal["differential_privacy"] = "differential_privacy"
    epsilon: float = Field(ge=LEAST_EPSILON, le=100)
    """The privacy loss, of one record or of all records of one person that count."""
    delta: float = Field(default=0.0, ge=0, le=1e-5)
    """The chance with which the loss may be larger; 0 for Laplace noise and a loss that is never larger. It should be
    far below one by the number of people."""

    def admit(self, table: Table) -> None:
        """Any table: to refuse one would tell of it."""

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """None: it is a property of the mechanism, not of classes."""
        return ()
