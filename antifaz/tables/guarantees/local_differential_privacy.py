"""Local differential privacy: the released values of a person reveal little about their true values.

Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith, "What Can We Learn Privately?", FOCS 2008. Warner, "Randomized
Response: A Survey Technique for Eliminating Evasive Answer Bias", JASA 1965, is its oldest mechanism.

Every sensitive value is replaced by a random one before it is released, and no released value is more than e^ε times as
likely for one true value as for another. Several sensitive columns of one record share ε: their parts add up.

Guarantees: the odds between any two true records of sensitive values change by at most the factor e^ε, whatever else
the attacker knows. Quasi-identifiers and other columns are not covered.
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.errors import InvalidPolicy
from antifaz.part import LEAST_EPSILON, Examples
from antifaz.tables.parts import ClassRule, TableGuarantee
from antifaz.tables.table import Role, Table


class LocalDifferentialPrivacy(TableGuarantee):
    """Every sensitive value is randomized separately, so that its owner can deny it."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)
    assumes: ClassVar[str] = "nothing: it holds for any attacker, for the values of the sensitive attributes"
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "mechanism"
    draws: ClassVar[Literal["sensitive", "records", "edges"] | None] = "sensitive"
    examples: ClassVar[Examples] = ({"epsilon": 1.0},)

    model: Literal["local_differential_privacy"] = "local_differential_privacy"
    epsilon: float = Field(ge=LEAST_EPSILON, le=100)
    """Privacy loss over all sensitive attributes of a record together."""

    def admit(self, table: Table) -> None:
        """Refuse a table without a sensitive attribute: there would be nothing to randomize."""
        if not table.having(Role.SENSITIVE):
            raise InvalidPolicy("", "needs at least one attribute with the role sensitive")

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """None: it is a property of the mechanism, not of classes."""
        return ()
