"""Part: one concept of the catalogue, as frozen parameters and one verb.

Every method, guarantee, hierarchy, risk, utility measure and attack is one subclass in one file. The catalogue finds it
by walking the packages; its fields become its JSON schema, its docstring becomes its text in the API.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

from pydantic import ConfigDict

from antifaz.described import Described

LEAST_EPSILON = 1e-6
"""Smallest privacy loss that can be requested: the unit of the ledger, far above rounding errors."""
WEAKEST_EPSILON = 20.0
"""Largest privacy loss that a mechanism may promise: above it an answer can be 485 million times as likely for one
value as for another, so that the release shows almost surely the truth."""
LEAST_NUMBER = 1e-12
"""Smallest absolute value of a nonzero number in a policy: inverses and squares must stay finite and nonzero."""
MOST_NUMBER = 1e18
"""Largest absolute value of a number in a policy."""


Examples = tuple[dict[str, object], ...]
"""Parameters of a part, one set for each variant."""


class Part(Described):
    """Parameters of one concept; the subclass adds the verb."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of dataset that the part works on: ``table``, ``graph``, ``temporal_graph``."""
    examples: ClassVar[Examples] = ({},)
    """Example parameters, one set for each variant worth showing and testing. If only one is shown, it is the first.
    Parameters without a default are always included. For table methods the columns are ``age``, ``zip``, ``sex`` and
    ``disease``."""

    @classmethod
    @cache
    def wire_name(cls) -> str:
        """Return the name of this part in policies: the default of its ``name``, ``model`` or ``kind`` field."""
        for tag in ("name", "model", "kind"):
            if tag in cls.model_fields:
                return str(cls.model_fields[tag].default)
        raise TypeError(f"{cls.__name__} has no wire name")

    def beside(self, guarantees: Sequence["Part"]) -> Self:
        """Return the part with the settings that it takes from the policy's guarantees."""
        return self


class Guarantee(Part):
    """What must hold in a release."""

    assumes: ClassVar[str]
    """The attacker it protects against, in one sentence."""
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes"
    draws: ClassVar[Literal["sensitive", "records", "edges"] | None] = None
    """What a guarantee by mechanism draws at random: the sensitive values, whole records, or the edges. It is never
    compared with the original; what is not drawn is judged as without the guarantee."""
    lists_nodes: ClassVar[bool] = False
    """Whether the list of nodes is public under it, so that an attacker may know which node is whom."""

    def can_fail(self) -> bool:
        """Whether a release could break it with these parameters; a guarantee that cannot fail counts as absent, and so
        does a mechanism that almost never changes anything."""
        return self.draws is None or float(getattr(self, "epsilon", 0.0)) <= WEAKEST_EPSILON

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this guarantee must waive by name."""
        return ()

    def hides_presence(self) -> float | None:
        """Return the largest share of correct answers to whether someone is in the data; None if it sets no limit."""
        return None


class Method(Part):
    """A way to protect data."""

    gives: ClassVar[tuple[str, ...]]
    """Wire names of the guarantees that the method can give."""

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this method must waive by name."""
        return ()

    def guarantees_given(self) -> tuple[str, ...]:
        """Return the guarantees of ``gives`` that it can give with its parameters."""
        return self.gives


class Story(NamedTuple):
    """How an attack is described to readers: the attacker, the result, and the result of guessing.

    ``does`` and ``guess`` contain empty braces for the share. Names in braces are replaced by figures of the report:
    ``known`` (the quasi-identifiers), ``others`` (those except the column), ``column``, ``known_people``,
    ``releases``, ``hubs`` and ``snapshots_known``.
    """

    who: str
    does: str
    guess: str = "guessing finds {}"


Question = Literal["identity", "attribute", "membership"]
"""What an attacker wants to know about a person: which record or node is theirs; what they have (a value, a contact);
whether they are in the data at all."""
QUESTIONS: tuple[Question, ...] = get_args(Question)


class Attack(Part):
    """An attempt to learn something about people from a release, judged against the truth.

    An attack is measured on what its attacker does not know yet, and compared with guessing.
    """

    question: ClassVar[Question]
    """The question that it answers."""
    knows: ClassVar[str]
    """What the attacker knows before seeing the release."""
    learns: ClassVar[str]
    """What the attacker learns if the attack succeeds."""
    guesses: ClassVar[str]
    """The guess without the release whose success is the ``baseline``."""
    story: ClassVar[Story]
    always: ClassVar[bool] = False
    """Whether it runs whatever attacks a policy chooses, unless a risk answers the question: who someone is must always
    be answered."""
    knows_nodes: ClassVar[bool] = False
    """Whether its attacker knows which released node is whom. That is a risk where the list of nodes is public;
    elsewhere no one is assumed to know it, and the result counts for none of the questions (``supposes``)."""

    def asks(self) -> Question:
        """Return the question that this attack answers."""
        return self.question

    def fits(self, guarantees: Sequence[Part]) -> bool:
        """Whether its attacker exists for a release with these guarantees."""
        return not self.knows_nodes or any(getattr(each, "lists_nodes", False) for each in guarantees)


class Risk(Part):
    """A measure of risk that is computed from the classes of a release, before and after protection."""

    question: ClassVar[Question | None] = None
    """The question that it answers, if it does."""
    story: ClassVar[Story]
    """Its text as an answer, if it gives one."""

    def answer(self, original: Any, released: Any, figures: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the ``rate`` and ``baseline`` of an attacker whose success follows from the figures of the release;
        None if there is no such attacker."""
        return None
