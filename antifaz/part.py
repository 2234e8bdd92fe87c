"""Part: one concept of the catalogue, as frozen parameters and one verb.

Every method, guarantee, hierarchy, risk, utility measure and attack is one subclass in one file. The catalogue finds
it by walking the packages; its fields are its JSON schema, its docstring is its text in the API.
"""

from collections.abc import Sequence
from functools import cache
from typing import ClassVar, Literal, NamedTuple, Self

from pydantic import ConfigDict

from antifaz.described import Described

LEAST_EPSILON = 1e-6
"""The smallest privacy loss that can be asked for: the unit of the ledger, and far above what rounding does."""
LEAST_NUMBER = 1e-12
"""Numbers of a policy are 0 or at least this far from it: their inverses and squares must be numbers as well."""
MOST_NUMBER = 1e18
"""Numbers of a policy are at most this large."""


Examples = tuple[dict[str, object], ...]
"""Parameters of a part, once for each variant of it."""


class Part(Described):
    """Parameters of one concept; the subclass adds the verb."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of dataset that the part works on: ``table``, ``graph``, ``temporal_graph``."""
    examples: ClassVar[Examples] = ({},)
    """Parameters as a policy could state them, one set for each variant worth showing and testing; the first is the one
    to show where only one is. All that have no default are among them. For methods of tables the columns are ``age``,
    ``zip``, ``sex`` and ``disease``."""

    @classmethod
    @cache
    def wire_name(cls) -> str:
        """The name by which policies call this part: the default of its ``name``, ``model`` or ``kind`` field."""
        for tag in ("name", "model", "kind"):
            if tag in cls.model_fields:
                return str(cls.model_fields[tag].default)
        raise TypeError(f"{cls.__name__} has no wire name")

    def beside(self, guarantees: Sequence["Part"]) -> Self:
        """The part as it is run in a policy with these guarantees: what it leaves to them is taken from them."""
        return self


class Guarantee(Part):
    """What must hold in a release."""

    assumes: ClassVar[str]
    """The attacker against whom it protects, in one sentence."""
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes"

    def can_fail(self) -> bool:
        """Whether its parameters leave anything to break; one that cannot fail counts as absent."""
        return True

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this guarantee must waive by name."""
        return ()


class Method(Part):
    """A way to protect data."""

    gives: ClassVar[tuple[str, ...]]
    """Wire names of the guarantees that the method can give."""

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this method must waive by name."""
        return ()

    def guarantees_given(self) -> tuple[str, ...]:
        """Those of ``gives`` that it can give with its parameters."""
        return self.gives


class Story(NamedTuple):
    """How an attack is described to people: who tries, what comes of it, and what a guess gives.

    ``does`` and ``guess`` have the share in empty braces. Names in braces stand for what a report says: ``known`` (the
    quasi-identifiers), ``column``, ``known_people``, ``releases``, ``hubs`` and ``snapshots_known``.
    """

    who: str
    does: str
    guess: str = "guessing finds {}"


class Attack(Part):
    """An attempt to find people in a release, judged against the truth."""

    story: ClassVar[Story]
