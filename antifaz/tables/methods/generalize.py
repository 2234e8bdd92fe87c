"""Generalize: global recoding of quasi-identifiers to stated levels of their hierarchies.

Willenborg and de Waal, "Elements of Statistical Disclosure Control", Lecture Notes in Statistics 155, 2001 (global
recoding).

Every value of an attribute is replaced by its group at the level that the policy states, in all records. If the policy
gives no hierarchy, the one of the type is used. There is no search and no record is left out: the guarantees are
checked on the result.

Guarantees: every class-wise guarantee of the policy, or `Infeasible`.
Cost: O(n q) for n records and q quasi-identifiers.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import InvalidPolicy
from antifaz.part import Examples
from antifaz.tables.lattice.classwise import CLASSWISE
from antifaz.tables.lattice.full_domain import Domain, domains_of, release_levels
from antifaz.tables.masking.masking import Masking
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch

Level = Annotated[int, Field(ge=0)] | Literal["top"]


class Generalize(Masking):
    """Recode quasi-identifiers to stated levels of their hierarchies."""

    gives: ClassVar[tuple[str, ...]] = CLASSWISE
    examples: ClassVar[Examples] = ({"levels": {"age": 2, "zip": 3, "sex": "top"}},)

    name: Literal["generalize"] = "generalize"
    levels: dict[str, Level] = {}
    """Level of each quasi-identifier: 0 for unchanged values, `top` for the root of the hierarchy. A quasi-identifier
    that is not named stays unchanged."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Publish every attribute at its level."""
        domains = domains_of(table, self.name, watch)
        levels = [self._level(domain) for domain in domains]
        _refuse_unknown(self.levels, domains)
        watch(0.5)
        return release_levels(table, domains, levels, np.arange(table.n, dtype=np.int64), {"method": self.name})

    def _level(self, domain: Domain) -> int:
        name = domain.attribute.name
        level = self.levels.get(name, 0)
        if level == "top":
            return domain.top
        if level > domain.top:
            raise InvalidPolicy(_pointer(name), f"the hierarchy has {domain.top} levels above the values")
        return level


def _refuse_unknown(levels: dict[str, Level], domains: Sequence[Domain]) -> None:
    known = {domain.attribute.name for domain in domains}
    for name in levels:
        if name not in known:
            raise InvalidPolicy(_pointer(name), "must name a quasi-identifier")


def _pointer(name: str) -> str:
    return "/method/levels/" + name.replace("~", "~0").replace("/", "~1")
