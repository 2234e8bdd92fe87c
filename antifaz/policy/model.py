"""Policy: what a steward promises about a release, and how to achieve it.

Guarantees state what must hold; the method protects the data and takes its targets from the guarantees; the gate states
when a release is refused although the guarantees hold. The unions of methods, guarantees and hierarchies are built from
the catalogue, so a new part needs no change here.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import ConfigDict, Discriminator, Field, Tag, model_validator

from antifaz import catalogue
from antifaz.described import Described
from antifaz.errors import InvalidPolicy
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.part import Part
from antifaz.policy.pointers import escaped
from antifaz.suggestions import suggest
from antifaz.tables.parts import TableMethod
from antifaz.tables.reading.attributes import AttributeSettings
from antifaz.tables.table import Role

STRICT = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class HierarchyReference(Described):
    """A hierarchy that was uploaded or generated before."""

    model_config = STRICT
    id: str = Field(min_length=1, max_length=64)
    """Id of the hierarchy."""


def _tag_of_hierarchy(value: Any) -> str | None:
    if isinstance(value, dict):
        return "reference" if "id" in value else value.get("kind")
    return "reference" if isinstance(value, HierarchyReference) else getattr(value, "kind", None)


def tagged(parts: Iterable[type[Part]]) -> Any:
    """Return the union of some parts, distinguished by their wire names."""
    return reduce(
        lambda union, part: Union[union, part],  # noqa: UP007 - the members are only known at run time
        [Annotated[part, Tag(part.wire_name())] for part in parts],
    )


def _tag_of_measure(value: Any) -> str | None:
    if isinstance(value, str):
        return "by name"
    return value.get("name") if isinstance(value, dict) else getattr(value, "name", None)


def named_or_stated(parts: Iterable[type[Part]]) -> Any:
    """Return the type of a part given by its name or with parameters; if ``parts`` is empty, of a name that is refused
    later."""
    known, by_name = list(parts), Annotated[str, Field(min_length=1, max_length=100), Tag("by name")]
    if not known:
        return by_name
    return Annotated[Union[tagged(known), by_name], Discriminator(_tag_of_measure)]  # noqa: UP007


if TYPE_CHECKING:
    AnyHierarchy = Hierarchy
    HierarchyField = Hierarchy | HierarchyReference
else:
    AnyHierarchy = Annotated[tagged(catalogue.parts("hierarchies")), Discriminator("kind")]
    HierarchyField = Annotated[
        Union[tagged(catalogue.parts("hierarchies")), Annotated[HierarchyReference, Tag("reference")]],  # noqa: UP007
        Discriminator(_tag_of_hierarchy),
    ]


class AttributePolicy(AttributeSettings):
    """The role of one column and how its values may be written."""

    model_config = STRICT
    hierarchy: HierarchyField | None = None
    """How the values generalize; for a sensitive column, the distances of its values. Only for quasi-identifiers and
    sensitive columns."""


class Gate(Described):
    """Limits on measured figures: a release that exceeds one is refused although its guarantees hold. Figures are
    measured with the default parameters of their measures, whatever the report states."""

    model_config = STRICT
    max_suppressed: float | None = Field(default=None, ge=0, le=1)
    """Largest share of rows left out."""
    max_prosecutor_risk: float | None = Field(default=None, ge=0, le=1)
    """Largest risk of any record, 1 / size of its class."""
    max_journalist_risk: float | None = Field(default=None, ge=0, le=1)
    """Largest risk of any record against an attacker who does not know who is in the release; the release counts as the
    whole population."""
    max_marketer_risk: float | None = Field(default=None, ge=0, le=1)
    """Largest share of records that an attacker links on average; the release counts as the whole population."""
    max_linkage_rate: float | None = Field(default=None, ge=0, le=1)
    """Largest share of records that the record linkage attack links correctly."""
    max_homogeneous: float | None = Field(default=None, ge=0, le=1)
    """Largest share of rows in classes with a single sensitive value."""
    max_loss: float | None = Field(default=None, ge=0, le=1)
    """Largest information loss between original and release (global certainty penalty, the measure `ncp`)."""
    max_edges_changed: float | None = Field(default=None, ge=0)
    """Largest number of edges added and removed, as a share of the original's edges."""
    max_reidentified: float | None = Field(default=None, ge=0, le=1)
    """Largest share of nodes that the degree attack re-identifies; for a temporal graph, by degrees in all
    snapshots."""
    min_candidate_set: int | None = Field(default=None, ge=1)
    """Smallest number of nodes that share the degree of any node; for a temporal graph, its degrees in all
    snapshots."""
    max_link_posterior: float | None = Field(default=None, ge=0, le=1)
    """Largest probability of an edge, given the degrees of two people (attack link_disclosure)."""
    max_plausibility_auc: float | None = Field(default=None, ge=0.5, le=1)
    """Largest area under the curve for distinguishing added edges from real ones (attack fake_edge_plausibility)."""

    def limits(self) -> dict[str, float]:
        """The rules that are set."""
        return {rule: limit for rule, limit in self if limit is not None}


class Waiver(Described):
    """Accepts by name something that is refused by default; it appears in the public report and the audit trail."""

    model_config = STRICT
    rule: Literal[
        "no_guarantee", "naive", "free_text", "as_it_is", "composition", "exact_density", "pram_invariant",
        "observed_domain",
    ]  # fmt: skip
    """The rule that is waived; `as_it_is` for one column, `free_text` for all of them."""
    column: str | None = Field(default=None, min_length=1, max_length=1000)
    """For `as_it_is` only: the column that is released unchanged."""
    reason: str = Field(min_length=1, max_length=2000)
    """The reason, which is public."""

    @model_validator(mode="after")
    def _name_column(self) -> "Waiver":
        if (self.rule == "as_it_is") != (self.column is not None):
            raise ValueError("column is required for the rule as_it_is, and not allowed for others")
        return self


class Report(Described):
    """Fields that the report settings of all kinds share."""

    model_config = STRICT
    utility: tuple[Any, ...] | None = None
    attacks: tuple[Any, ...] | None = None

    def named(self, folder: Literal["utility", "attacks"]) -> dict[str, Part | None] | None:
        """Return the requested measures or attacks, by name, with their parameters if stated."""
        wanted = getattr(self, folder)
        if wanted is None:
            return None
        return {(part if isinstance(part, str) else part.wire_name()): _stated(part) for part in wanted}

    def about_risk(self) -> dict[str, float]:
        """Return the parameters of risk measures."""
        return {}


def _stated(part: str | Part) -> Part | None:
    return None if isinstance(part, str) else part


class Policy(Described):
    """The fields and methods that the policies of all kinds share.

    Each kind has its own subclass; no other code checks which kind it has.
    """

    model_config = STRICT
    kind: str
    attributes: dict[Annotated[str, Field(min_length=1, max_length=1000)], AttributePolicy] = Field(
        default_factory=dict, max_length=2000
    )
    """Every column, with its role; for a graph, the attributes of its nodes."""
    guarantees: tuple[Any, ...] = ()
    gate: Gate = Gate()
    """When a release is refused although its guarantees hold."""
    waivers: tuple[Waiver, ...] = Field(default=(), max_length=200)
    """Exceptions, by name, to rules that refuse by default."""
    report: Report = Report()
    method: Any
    if TYPE_CHECKING:
        formats: tuple[str, ...]

    def waives(self, rule: str) -> bool:
        """Whether a rule is waived."""
        return any(waiver.rule == rule for waiver in self.waivers)

    def waives_column(self, name: str) -> bool:
        """Whether a column may be released unchanged, even if it identifies people."""
        return self.waives("free_text") or any(waiver.column == name for waiver in self.waivers)

    def looked_at(self, name: str) -> bool:
        """Whether a column is checked before it is released unchanged. A column that the method changes is checked
        afterwards, unless a mechanism is promised: then no refusal may depend on the result."""
        attribute = self.attributes[name]
        spared = name in self.changed_columns() or name in self.declared_values() or self.waives_column(name)
        return attribute.role in (Role.SENSITIVE, Role.INSENSITIVE) and not spared and self.shows_records()

    def having(self, role: Role) -> list[str]:
        """Return the names of the attributes with a role."""
        return [name for name, attribute in self.attributes.items() if attribute.role is role]

    def populations(self) -> dict[str, str]:
        """Return the population datasets that guarantees name, each with the pointer to its first mention."""
        named: dict[str, str] = {}
        for position, guarantee in enumerate(self.guarantees):
            population = getattr(guarantee, "population", None)
            if population is not None:
                named.setdefault(population, f"/guarantees/{position}/population")
        return named

    def unit(self) -> str | None:
        """Return the column that identifies the person of a record, if people are counted instead of records."""
        return None

    def pseudonyms(self) -> list[str]:
        """Return the names of the identifiers that are released as pseudonyms."""
        return []

    def follows_records(self) -> bool:
        """Whether each released record comes from one original record, so that releases can be joined record by
        record."""
        return False

    def shows_records(self) -> bool:
        """Whether single records are released, with unchanged values unless something changes them."""
        return True

    def declared_values(self) -> Collection[str]:
        """Return the names of the columns whose domain is declared: their cells are text and never a reason to
        refuse."""
        return ()

    def changed_columns(self) -> frozenset[str]:
        """Return the names of the columns that the method changes whatever their role; they are checked after the
        change. Empty if a mechanism is promised: then no refusal may depend on the result."""
        return frozenset()

    def class_method(self) -> TableMethod:
        """The method that recodes the quasi-identifiers."""
        raise NotImplementedError

    def guarantees_given(self) -> set[str]:
        """Return the wire names of the guarantees that the methods can give together."""
        raise NotImplementedError

    def gates(self) -> set[str]:
        """Return the gate rules that are measured on such a release."""
        raise NotImplementedError

    def contradictions(self) -> Iterable[tuple[str, str]]:
        """Yield pointer and reason of the contradictions specific to this kind; for those of all kinds see
        `antifaz.policy.contradictions`."""
        raise NotImplementedError

    def contradictions_of_attribute(self, attribute: AttributePolicy) -> Iterable[tuple[str, str]]:
        """Yield field and reason of what is wrong with one attribute in a policy of this kind."""
        raise NotImplementedError

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise `InvalidPolicy` unless every column has a role and every role a column."""
        described = set(self.attributes)
        if described and names and described.isdisjoint(names):
            # These may not be names but the cells of a first row, which must not be repeated.
            raise InvalidPolicy("/attributes", "no column has a role: is the first row of the file its header?")
        faults = [
            ("/attributes", f"column {json.dumps(name, ensure_ascii=False)} has no role")
            for name in names
            if name not in described
        ]
        faults += [
            (f"/attributes/{escaped(name)}", "there is no such column" + suggest(name, names))
            for name in self.attributes
            if name not in set(names)
        ]
        if faults:
            raise InvalidPolicy.of(faults)

    def warnings(self) -> list[str]:
        """Return what a careful steward would want to know before running it."""
        warnings = []
        models = {guarantee.wire_name() for guarantee in self.guarantees}
        if self.having(Role.SENSITIVE) and models == {"k_anonymity"}:
            warnings.append(
                "k-anonymity alone does not protect sensitive values: a class whose members share one value reveals it."
            )
        return warnings

    def forecast(
        self, nodes: int | None = None, directed: bool | None = None, snapshots: int | None = None
    ) -> dict[str, Any]:
        """Return what to expect of a run; empty for tables."""
        return {}

    def canonical(self) -> dict[str, Any]:
        """Return the whole policy as JSON."""
        return dict(self.model_dump(mode="json", exclude_none=True))

    def public(self) -> dict[str, Any]:
        """Return the policy as JSON without rows of hierarchies and orders of values, which are data."""
        return without_data(self.canonical())


def without_data(policy: dict[str, Any]) -> dict[str, Any]:
    """Remove the rows of hierarchies and orders of values from a whole policy as JSON."""
    for attribute in policy.get("attributes", {}).values():
        attribute.pop("order", None)
        if "rows" in attribute.get("hierarchy", {}):
            attribute["hierarchy"] = {"kind": attribute["hierarchy"]["kind"]}
    return policy


def drawn_by_mechanism(policy: Policy) -> frozenset[str]:
    """What the policy's guarantees draw at random (`Guarantee.draws`)."""
    return frozenset(guarantee.draws for guarantee in policy.guarantees if guarantee.draws is not None)


def promises_mechanism(policy: Policy) -> bool:
    """Whether a guarantee holds by mechanism, such as differential privacy."""
    return any(guarantee.evidence == "mechanism" for guarantee in policy.guarantees)
