"""Differential privacy: whether one record, or one person, is in the table hardly changes the release.

Dwork, McSherry, Nissim and Smith, "Calibrating Noise to Sensitivity in Private Data Analysis", TCC 2006; Dwork,
Kenthapadi, McSherry, Mironov and Naor, "Our Data, Ourselves", EUROCRYPT 2006, for delta.

Two tables are neighbors if one of them has everything that the other has and one record more; if the policy names a
privacy unit, it has the records of one person more, of which a stated number counts. No set of releases is more than
e^ε times as likely for one of them as for the other, plus δ.

Guarantees: anything concluded about a person from the release would also have been concluded, up to the factor e^ε and
δ, if the person had not been in the table. Public and not covered: the policy with its declared domains. Losses of
several releases add up, and so do their deltas.
Cost: the bytes are only checked to be in the declared domains; the guarantee is a property of the mechanism.
"""

from math import exp
from typing import ClassVar, Literal

from pydantic import Field

from antifaz.part import LEAST_EPSILON, Examples
from antifaz.tables.parts import ClassRule, TableGuarantee
from antifaz.tables.table import Table


class DifferentialPrivacy(TableGuarantee):
    """Whether any one record is in the table changes the odds of a release by at most the factor e^ε, plus δ."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)
    assumes: ClassVar[str] = "nothing: it holds for any attacker, for whether any one record is in the table"
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "mechanism"
    draws: ClassVar[Literal["sensitive", "records", "edges"] | None] = "records"
    examples: ClassVar[Examples] = ({"epsilon": 1.0, "delta": 1e-9},)

    model: Literal["differential_privacy"] = "differential_privacy"
    epsilon: float = Field(ge=LEAST_EPSILON, le=100)
    """Privacy loss of one record, or of all counted records of one person."""
    delta: float = Field(default=0.0, ge=0, le=1e-5)
    """Probability that the loss is larger; 0 for Laplace noise, whose loss is never larger. It should be far below one
    divided by the number of people."""

    def admit(self, table: Table) -> None:
        """Admit any table: refusing one would reveal something about it."""

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """None: it is a property of the mechanism, not of classes."""
        return ()

    def hides_presence(self) -> float:
        """If a record is in the table as likely as not, no attacker is right more often than (e^ε + δ) / (1 + e^ε)."""
        odds = exp(self.epsilon)
        return (odds + self.delta) / (1.0 + odds)
