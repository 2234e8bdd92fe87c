"""Policy: what a steward promises about a release, and how it is to be reached.

Guarantees say what must hold; the method says how to get there and takes its targets from the guarantees; the gate
says when a release is refused although the guarantees hold. The unions of methods, guarantees and hierarchies are
made from the catalogue, so a new part needs no change here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError

from antifaz import catalogue
from antifaz.errors import InvalidPolicy
from antifaz.graphs.parts import GraphAttack, GraphGuarantee, GraphMethod, GraphUtility
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.part import Part
from antifaz.tables.attributes import AttributeSettings
from antifaz.tables.parts import TableAttack, TableGuarantee, TableMethod, TableUtility
from antifaz.tables.table import Recoding, Role

_STRICT = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

WAIVER_RULES = ("no_guarantee", "naive", "free_text", "composition", "exact_density", "pram_invariant")
RISK_GATES = (
    "max_prosecutor_risk",
    "max_journalist_risk",
    "max_marketer_risk",
    "max_linkage_rate",
    "max_reidentified",
)
"""Gate rules on measured risk: one of them may stand in for a guarantee."""


class HierarchyReference(BaseModel):
    """A hierarchy that was uploaded or generated before."""

    model_config = _STRICT
    id: str = Field(min_length=1, max_length=64)
    """Id of the hierarchy."""


def _tag_of_hierarchy(value: Any) -> str | None:
    if isinstance(value, dict):
        return "reference" if "id" in value else value.get("kind")
    return "reference" if isinstance(value, HierarchyReference) else getattr(value, "kind", None)


def _tagged(parts: Iterable[type[Part]]) -> Any:
    return reduce(
        lambda union, part: Union[union, part],  # noqa: UP007 - the members are only known at run time
        [Annotated[part, Tag(part.wire_name())] for part in parts],
    )


def _tag_of_measure(value: Any) -> str | None:
    if isinstance(value, str):
        return "by name"
    return value.get("name") if isinstance(value, dict) else getattr(value, "name", None)


def _named_or_stated(parts: Iterable[type[Part]]) -> Any:
    """A part by its name alone, or with parameters of its own."""
    return Annotated[
        Union[_tagged(parts), Annotated[str, Field(min_length=1, max_length=100), Tag("by name")]],  # noqa: UP007
        Discriminator(_tag_of_measure),
    ]


if TYPE_CHECKING:
    AnyHierarchy = Hierarchy
    HierarchyField = Hierarchy | HierarchyReference
    AnyTableGuarantee = TableGuarantee
    AnyTableMethod = TableMethod
    AnyGraphGuarantee = GraphGuarantee | TableGuarantee
    AnyGraphMethod = GraphMethod
    TableUtilityField = str | TableUtility
    TableAttackField = str | TableAttack
    GraphUtilityField = str | GraphUtility
    GraphAttackField = str | GraphAttack
else:
    AnyHierarchy = Annotated[_tagged(catalogue.parts("hierarchies")), Discriminator("kind")]
    HierarchyField = Annotated[
        Union[_tagged(catalogue.parts("hierarchies")), Annotated[HierarchyReference, Tag("reference")]],  # noqa: UP007
        Discriminator(_tag_of_hierarchy),
    ]
    AnyTableGuarantee = Annotated[_tagged(catalogue.parts("guarantees", "table")), Discriminator("model")]
    AnyTableMethod = Annotated[_tagged(catalogue.parts("methods", "table")), Discriminator("name")]
    AnyGraphGuarantee = Annotated[_tagged(catalogue.parts("guarantees", "graph")), Discriminator("model")]
    AnyGraphMethod = Annotated[_tagged(catalogue.parts("methods", "graph")), Discriminator("name")]
    TableUtilityField = _named_or_stated(catalogue.parts("utility", "table"))
    TableAttackField = _named_or_stated(catalogue.parts("attacks", "table"))
    GraphUtilityField = _named_or_stated(catalogue.parts("utility", "graph"))
    GraphAttackField = _named_or_stated(catalogue.parts("attacks", "graph"))


class AttributePolicy(AttributeSettings):
    """What one column means and how it may be written."""

    model_config = _STRICT
    hierarchy: HierarchyField | None = None
    """How the values generalize; of a sensitive column, how far apart its values are. Quasi-identifiers and sensitive
    columns only."""


class Gate(BaseModel):
    """Limits on measured figures: a release that exceeds one is refused although its guarantees hold."""

    model_config = _STRICT
    max_suppressed: float | None = Field(default=None, ge=0, le=1)
    """Largest share of rows left out."""
    max_prosecutor_risk: float | None = Field(default=None, ge=0, le=1)
    """Largest risk of any record, 1 / size of its class."""
    max_journalist_risk: float | None = Field(default=None, ge=0, le=1)
    """Largest risk of any record against an attacker who does not know who is in the release."""
    max_marketer_risk: float | None = Field(default=None, ge=0, le=1)
    """Largest share of records that an attacker links on average."""
    max_linkage_rate: float | None = Field(default=None, ge=0, le=1)
    """Largest share of records that the record linkage attack links correctly."""
    max_homogeneous: float | None = Field(default=None, ge=0, le=1)
    """Largest share of rows in classes with a single sensitive value."""
    max_loss: float | None = Field(default=None, ge=0, le=1)
    """Largest information loss (global certainty penalty)."""
    max_edges_changed: float | None = Field(default=None, ge=0)
    """Largest number of edges added and removed, as a share of the original's edges."""
    max_reidentified: float | None = Field(default=None, ge=0, le=1)
    """Largest share of nodes that the degree attack re-identifies."""
    min_candidate_set: int | None = Field(default=None, ge=1)
    """Smallest number of nodes that share a degree with any node."""
    max_link_posterior: float | None = Field(default=None, ge=0, le=1)
    """Largest probability of an edge that the degrees of two people give (attack link_disclosure)."""
    max_plausibility_auc: float | None = Field(default=None, ge=0.5, le=1)
    """How well added edges may be told from real ones, as an area under the curve (attack fake_edge_plausibility)."""

    def limits(self) -> dict[str, float]:
        """The rules that are set."""
        return {rule: limit for rule, limit in self.model_dump().items() if limit is not None}


_TABLE_GATES = {
    "max_suppressed",
    "max_prosecutor_risk",
    "max_journalist_risk",
    "max_marketer_risk",
    "max_linkage_rate",
    "max_homogeneous",
    "max_loss",
}
_GRAPH_GATES = {
    "max_edges_changed",
    "max_reidentified",
    "min_candidate_set",
    "max_link_posterior",
    "max_plausibility_auc",
}


class Waiver(BaseModel):
    """Accepts by name what is refused by default; it stands in the public report and the audit trail."""

    model_config = _STRICT
    rule: Literal["no_guarantee", "naive", "free_text", "composition", "exact_density", "pram_invariant"]
    """The rule that is waived."""
    reason: str = Field(min_length=1, max_length=2000)
    """Why; public."""


class _Report(BaseModel):
    """What requests for reports share."""

    model_config = _STRICT
    utility: tuple[Any, ...] | None = None
    attacks: tuple[Any, ...] | None = None

    def named(self, folder: Literal["utility", "attacks"]) -> dict[str, Part | None] | None:
        """The measures or attacks that are asked for, by name, with their parameters where these are stated."""
        wanted = getattr(self, folder)
        if wanted is None:
            return None
        return {(part if isinstance(part, str) else part.wire_name()): _stated(part) for part in wanted}

    def about_risk(self) -> dict[str, float]:
        """Parameters of the measures of risk."""
        return {}


def _stated(part: str | Part) -> Part | None:
    return None if isinstance(part, str) else part


class TableReport(_Report):
    """Which measures and attacks the report must have, each by its name or with its parameters; a bounded default where
    left out."""

    utility: tuple[TableUtilityField, ...] | None = Field(default=None, max_length=50)
    """Utility measures: names, or objects with a name and parameters."""
    attacks: tuple[TableAttackField, ...] | None = Field(default=None, max_length=50)
    """Attacks: names, or objects with a name and parameters."""
    sampling_fraction: float | None = Field(default=None, gt=0, le=1)
    """The share of the population that is in the table, for risks that depend on it; 1 where it is left out."""
    threshold: float | None = Field(default=None, gt=0, le=1)
    """Records with a higher risk count as exposed; 0.2 where it is left out."""

    def about_risk(self) -> dict[str, float]:
        """Parameters of the measures of risk."""
        stated = {"sampling_fraction": self.sampling_fraction, "threshold": self.threshold}
        return {name: value for name, value in stated.items() if value is not None}


class GraphReport(_Report):
    """Which measures and attacks the report must have, each by its name or with its parameters; a bounded default where
    left out."""

    utility: tuple[GraphUtilityField, ...] | None = Field(default=None, max_length=50)
    """Utility measures: names, or objects with a name and parameters."""
    attacks: tuple[GraphAttackField, ...] | None = Field(default=None, max_length=50)
    """Attacks: names, or objects with a name and parameters."""


class _Policy(BaseModel):
    """What table and graph policies share."""

    model_config = _STRICT
    kind: Literal["table", "graph"]
    attributes: dict[Annotated[str, Field(min_length=1, max_length=1000)], AttributePolicy] = Field(
        default_factory=dict, max_length=2000
    )
    """Every column, with its role; of a graph, the attributes of its nodes."""
    guarantees: tuple[Any, ...] = ()
    gate: Gate = Gate()
    """When a release is refused although its guarantees hold."""
    waivers: tuple[Waiver, ...] = Field(default=(), max_length=20)
    """What is accepted by name although it is refused by default."""
    report: _Report = _Report()

    def waives(self, rule: str) -> bool:
        """Whether a rule is waived."""
        return any(waiver.rule == rule for waiver in self.waivers)

    def having(self, role: Role) -> list[str]:
        """Names of the attributes with a role."""
        return [name for name, attribute in self.attributes.items() if attribute.role is role]

    def populations(self) -> dict[str, str]:
        """The datasets with populations that guarantees speak of, each with the pointer to where it is first named."""
        named: dict[str, str] = {}
        for position, guarantee in enumerate(self.guarantees):
            population = getattr(guarantee, "population", None)
            if population is not None:
                named.setdefault(population, f"/guarantees/{position}/population")
        return named

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise `InvalidPolicy` unless every column has a role and every role a column."""
        described = set(self.attributes)
        if described and names and described.isdisjoint(names):
            # Perhaps these are no names but the cells of a first row, which must not be repeated.
            raise InvalidPolicy("/attributes", "no column has a role: is the first row of the file its header?")
        faults = [
            ("/attributes", f"column {json.dumps(name, ensure_ascii=False)} has no role")
            for name in names
            if name not in described
        ]
        faults += [
            (f"/attributes/{escaped(name)}", "there is no such column")
            for name in self.attributes
            if name not in set(names)
        ]
        if faults:
            raise InvalidPolicy.of(faults)

    def warnings(self) -> list[str]:
        """What a careful steward would want to know before running it."""
        warnings = []
        models = {guarantee.wire_name() for guarantee in self.guarantees}
        if self.having(Role.SENSITIVE) and models == {"k_anonymity"}:
            warnings.append(
                "k-anonymity alone does not protect sensitive values: a class whose members share one value reveals it."
            )
        return warnings

    def forecast(self, nodes: int | None = None, directed: bool | None = None) -> dict[str, Any]:
        """What is to be expected of a run; nothing is told of tables."""
        return {}

    def canonical(self) -> dict[str, Any]:
        """The whole policy as JSON."""
        return dict(self.model_dump(mode="json", exclude_none=True))

    def public(self) -> dict[str, Any]:
        """The policy as JSON without the rows of hierarchies and orders of values, which are data."""
        content = self.canonical()
        for attribute in content.get("attributes", {}).values():
            attribute.pop("order", None)
            if "rows" in attribute.get("hierarchy", {}):
                attribute["hierarchy"] = {"kind": attribute["hierarchy"]["kind"]}
        return content


class TablePolicy(_Policy):
    """A policy for a table."""

    kind: Literal["table"]
    """The kind of dataset."""
    attributes: dict[Annotated[str, Field(min_length=1, max_length=1000)], AttributePolicy] = Field(
        min_length=1, max_length=2000
    )
    """Every column, with its role."""
    guarantees: tuple[AnyTableGuarantee, ...] = Field(default=(), max_length=20)
    """What must hold in the release."""
    method: AnyTableMethod
    """How to get there."""
    report: TableReport = TableReport()
    """Which measures and attacks the report must have."""
    formats: tuple[Literal["csv", "parquet", "jsonl"], ...] = Field(default=("csv", "parquet"), min_length=1)
    """Formats of the release."""
    privacy_unit: str | None = None
    """Column that says which rows belong to one person, an identifier: k then counts people and not rows."""

    def pseudonyms(self) -> list[str]:
        """Names of the identifiers that are released as pseudonyms."""
        return [name for name, attribute in self.attributes.items() if attribute.pseudonym]

    def warnings(self) -> list[str]:
        """What a careful steward would want to know before running it."""
        warnings = super().warnings()
        if self.pseudonyms():
            warnings.append(
                "Pseudonyms link the rows of one person, and the releases of one dataset: who recognizes one row "
                "recognizes them all."
            )
            if self.privacy_unit is None:
                warnings.append("Without a privacy unit the rows of one pseudonym count as different people.")
        return warnings


class GraphPolicy(_Policy):
    """A policy for a graph; guarantees of tables in it speak of the attributes of the nodes."""

    kind: Literal["graph"]
    """The kind of dataset."""
    guarantees: tuple[AnyGraphGuarantee, ...] = Field(default=(), max_length=20)
    """What must hold in the release."""
    method: AnyGraphMethod
    """How the structure is protected."""
    report: GraphReport = GraphReport()
    """Which measures and attacks the report must have."""
    node_method: AnyTableMethod | None = None
    """How the nodes' quasi-identifiers are protected; Mondrian where it is left out."""
    edge_attributes: Literal["drop", "keep", "noise"] = "drop"
    """What happens to weights and labels of edges: dropped, kept as they are, or numbers noised and labels dropped. The
    edges that a method adds take those of a random other edge."""
    formats: tuple[Literal["edgelist", "graphml", "gml", "node-link"], ...] = Field(
        default=("edgelist", "graphml"), min_length=1
    )
    """Formats of the release; the node table always comes with it."""

    def warnings(self) -> list[str]:
        """What a careful steward would want to know before running it."""
        warnings = super().warnings()
        if self.method.leaves:
            warnings.append(self.method.leaves)
        if self.method.form != "graph":
            warnings.append("Risks, attacks and utility are measured on one graph drawn from the release.")
        if self.having(Role.QUASI_IDENTIFIER) and self.method.form != "generalized":
            warnings.append("Structure and node attributes are protected separately, not in combination.")
        if self.edge_attributes == "keep":
            warnings.append("Weights and labels of edges are released as they are: who knows one finds its ends.")
        return warnings

    def forecast(self, nodes: int | None = None, directed: bool | None = None) -> dict[str, Any]:
        """What is to be expected of a run, from the policy and what is public of the graph."""
        return self.method.forecast(self.guarantees, nodes, directed)


Policy = TablePolicy | GraphPolicy
PolicyBody = Annotated[TablePolicy | GraphPolicy, Field(discriminator="kind")]
_POLICY: TypeAdapter[Policy] = TypeAdapter(PolicyBody)
_HIERARCHY: TypeAdapter[Hierarchy] = TypeAdapter(AnyHierarchy)


def parse_policy(data: Any) -> Policy:
    """Validate a policy; `InvalidPolicy` lists every fault with its pointer and never repeats a value."""
    policy: Policy = _validated(_POLICY, data)
    faults = list(_contradictions(policy))
    if faults:
        raise InvalidPolicy.of(faults)
    return policy


def parse_hierarchy(data: Any) -> Hierarchy:
    """Validate a hierarchy as it is uploaded or stands in a policy."""
    hierarchy: Hierarchy = _validated(_HIERARCHY, data)
    return hierarchy


def hierarchy_shape(hierarchy: Hierarchy) -> dict[str, Any]:
    """What may be told of a hierarchy: its kind, and for stated levels how many groups each has; never a label."""
    shape: dict[str, Any] = {"kind": hierarchy.wire_name()}
    rows = getattr(hierarchy, "rows", None)
    if rows:
        shape["levels"] = len(rows[0])
        shape["groups"] = [len({row[level] for row in rows}) for level in range(len(rows[0]))]
    return shape


def privacy_loss(document: Mapping[str, Any]) -> Decimal:
    """The epsilon that a policy, or the public part of one, promises not to exceed; 0 where it promises none.

    It is the decimal that stands in the policy, and several promises add up.
    """
    promised = [guarantee for guarantee in document.get("guarantees", ()) if guarantee["model"] in _MECHANISMS]
    return sum((Decimal(str(guarantee["epsilon"])) for guarantee in promised), Decimal(0))


def escaped(token: str) -> str:
    """A name as one reference token of an RFC 6901 pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def _validated(adapter: TypeAdapter[Any], data: Any) -> Any:
    try:
        return adapter.validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        raise InvalidPolicy.of(faults_of(error, data, of_hierarchy=adapter is _HIERARCHY)) from None


def faults_of(error: ValidationError, data: Any, *, of_hierarchy: bool = False) -> list[tuple[str, str]]:
    """Pointer and reason of every fault, without the value that was given."""
    found = []
    for fault in error.errors(include_url=False, include_input=False):
        detail, location = fault["msg"].removeprefix("Value error, "), fault["loc"]
        if fault["type"] in ("union_tag_invalid", "union_tag_not_found"):
            expected = fault.get("ctx", {}).get("expected_tags")
            detail = f"must be one of {expected}" if expected else "its kind, name or model is not given"
        elif fault["type"] == "extra_forbidden":
            detail = "unknown field"
            if of_hierarchy or "hierarchy" in location:
                location = location[:-1]  # a hierarchy written as an object has labels for names of fields
        found.append((_pointer(location, data), detail))
    return found


def _pointer(location: Sequence[int | str], data: Any) -> str:
    """A pointer into what was sent: pydantic's location less the union tags that it puts in."""
    pointer, here = "", data
    for position, step in enumerate(location):
        last = position == len(location) - 1
        if _has(here, step):
            here = here[step]
        elif not last or not isinstance(here, dict) or step in _TAGS:
            continue
        pointer += "/" + escaped(str(step))
    return pointer


def _has(here: Any, step: int | str) -> bool:
    return (isinstance(here, dict) and step in here) or (
        isinstance(here, list) and isinstance(step, int) and step < len(here)
    )


_TAGS = {"table", "graph", "reference", "by name"} | {
    part.wire_name()
    for folder in ("methods", "guarantees", "hierarchies", "utility", "attacks")
    for part in catalogue.parts(folder)
}


def _contradictions(policy: Policy) -> Iterable[tuple[str, str]]:
    yield from _contradictions_of_attributes(policy)
    yield from _contradictions_of_guarantees(policy)
    yield from _contradictions_of_gate(policy)
    yield from _unknown_measures(policy)
    if len(set(policy.formats)) != len(policy.formats):
        yield "/formats", "a format is named twice"
    for rule in policy.method.waivers_needed():
        if not policy.waives(rule):
            yield "/method", f"needs the waiver {rule}"
    if isinstance(policy, TablePolicy):
        yield from _contradictions_of_unit(policy)
    if isinstance(policy, GraphPolicy):
        yield from _contradictions_of_structure(policy)
        yield from _contradictions_of_nodes(policy)


def _contradictions_of_attributes(policy: Policy) -> Iterable[tuple[str, str]]:
    for name, attribute in policy.attributes.items():
        pointer = f"/attributes/{escaped(name)}"
        if attribute.recoding is not None and attribute.role is not Role.QUASI_IDENTIFIER:
            yield f"{pointer}/recoding", "only a quasi-identifier has one"
        if attribute.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            for field in ("hierarchy", "order"):
                if getattr(attribute, field) is not None:
                    yield f"{pointer}/{field}", "only a quasi-identifier or a sensitive attribute has one"
        elif attribute.order is not None and attribute.hierarchy is not None:
            yield f"{pointer}/order", "a hierarchy gives the order already"
        if attribute.recoding is Recoding.ANCESTOR and attribute.hierarchy is None:
            yield f"{pointer}/recoding", "needs a hierarchy"
        yield from _contradictions_of_bounds(policy, name, attribute)
        if attribute.pseudonym:
            yield from _contradictions_of_pseudonym(policy, attribute, f"{pointer}/pseudonym")
        if isinstance(policy, GraphPolicy) and attribute.missing == "suppress_row":
            yield f"{pointer}/missing", "a node cannot be left out"


def _contradictions_of_bounds(policy: Policy, name: str, attribute: AttributePolicy) -> Iterable[tuple[str, str]]:
    if attribute.recoding is not Recoding.BOUNDS:
        return
    pointer = f"/attributes/{escaped(name)}/recoding"
    method = policy.method if isinstance(policy, TablePolicy) else policy.node_method or default_node_method()
    if not method.writes_bounds():
        yield pointer, f"the method {method.wire_name()} writes no bounds"
    if {f"{name}_min", f"{name}_max"} & set(policy.attributes):
        yield pointer, "another column has the name of one of the bounds"


def _contradictions_of_pseudonym(policy: Policy, attribute: AttributePolicy, pointer: str) -> Iterable[tuple[str, str]]:
    if attribute.role is not Role.IDENTIFIER:
        yield pointer, "only an identifier has one"
    if not isinstance(policy, TablePolicy):
        yield pointer, "nodes have new numbers and no pseudonyms"
    elif not policy.method.follows_records():
        yield pointer, "the method makes new records, which are nobody's"


def _contradictions_of_unit(policy: TablePolicy) -> Iterable[tuple[str, str]]:
    if policy.privacy_unit is None:
        return
    if policy.privacy_unit not in policy.having(Role.IDENTIFIER):
        yield "/privacy_unit", "must name an attribute whose role is identifier"
    if not policy.method.follows_records():
        yield "/privacy_unit", "the method makes new records, which are nobody's"
    for pointer in policy.populations().values():
        yield pointer, "counts rows, and the policy names a privacy unit"


def _contradictions_of_guarantees(policy: Policy) -> Iterable[tuple[str, str]]:
    gated = any(rule in policy.gate.limits() for rule in RISK_GATES)
    accepted = policy.waives("no_guarantee") or (policy.method.wire_name() == "naive" and policy.waives("naive"))
    if not policy.guarantees and not gated and not accepted:
        yield "/guarantees", "a policy needs a guarantee, a gate on measured risk, or the waiver no_guarantee"
    needs_classes = any(g.wire_name() in _CLASS_MODELS and g.evidence != "mechanism" for g in policy.guarantees)
    if needs_classes and not policy.having(Role.QUASI_IDENTIFIER):
        yield "/attributes", "a guarantee over classes needs at least one quasi-identifier"
    seen = set()
    for position, guarantee in enumerate(policy.guarantees):
        pointer = f"/guarantees/{position}"
        attribute = getattr(guarantee, "attribute", None)
        if (guarantee.wire_name(), attribute) in seen:
            yield pointer, "this guarantee is stated twice"
        seen.add((guarantee.wire_name(), attribute))
        if attribute is not None and attribute not in policy.having(Role.SENSITIVE):
            yield f"{pointer}/attribute", "must name an attribute whose role is sensitive"
        if getattr(guarantee, "distance", None) == "hierarchical" and not _has_hierarchy(policy, attribute):
            yield f"{pointer}/distance", "needs a hierarchy of the sensitive attribute"
        if guarantee.wire_name() not in _given(policy):
            yield pointer, f"the method {policy.method.wire_name()} cannot give this guarantee"


def _has_hierarchy(policy: Policy, attribute: str | None) -> bool:
    return attribute in policy.attributes and policy.attributes[attribute].hierarchy is not None


_CLASS_MODELS = {part.wire_name() for part in catalogue.parts("guarantees", "table")}
_MECHANISMS = {
    part.wire_name() for part in catalogue.parts("guarantees") if getattr(part, "evidence", None) == "mechanism"
}


def _given(policy: Policy) -> set[str]:
    if isinstance(policy, TablePolicy):
        return set(policy.method.gives)
    return {*policy.method.guarantees_given(), *(policy.node_method or default_node_method()).gives}


def default_node_method() -> TableMethod:
    """The method for nodes' attributes where the policy names none."""
    method = catalogue.part("methods", "table", "mondrian")()
    return cast(TableMethod, method)


def _contradictions_of_structure(policy: GraphPolicy) -> Iterable[tuple[str, str]]:
    for position, guarantee in enumerate(policy.guarantees):
        if isinstance(guarantee, GraphGuarantee):
            for rule in guarantee.waivers_needed():
                if not policy.waives(rule):
                    yield f"/guarantees/{position}", f"needs the waiver {rule}"
    yield from policy.method.contradictions(policy.guarantees)


def _contradictions_of_nodes(policy: GraphPolicy) -> Iterable[tuple[str, str]]:
    if policy.method.form == "generalized":
        yield from _contradictions_of_supernodes(policy)
        return
    if policy.method.makes_nodes() and set(policy.attributes) - set(policy.having(Role.IDENTIFIER)):
        yield "/attributes", "the method may make up nodes, and these have no attributes: only identifiers can stay"
    if policy.edge_attributes != "drop" and not policy.method.carries_edges():
        yield "/edge_attributes", f"the method {policy.method.wire_name()} can only drop them"
    protected = any(g.wire_name() in _CLASS_MODELS for g in policy.guarantees)
    if policy.having(Role.QUASI_IDENTIFIER) and not protected and not policy.waives("no_guarantee"):
        yield "/guarantees", "quasi-identifiers of nodes need a guarantee such as k_anonymity"
    if policy.node_method is not None and not policy.having(Role.QUASI_IDENTIFIER):
        yield "/node_method", "there is no quasi-identifier to protect"
    if policy.node_method is not None and not policy.node_method.keeps_every_record:
        yield "/node_method", "this method may leave records out, and a node cannot be left out"


def _contradictions_of_supernodes(policy: GraphPolicy) -> Iterable[tuple[str, str]]:
    """Attributes are recoded over the members of a supernode, so there is nothing to promise of single nodes."""
    if policy.node_method is not None:
        yield "/node_method", "attributes are generalized with the supernodes"
    if policy.edge_attributes != "drop":
        yield "/edge_attributes", "single edges are not released"
    for position, guarantee in enumerate(policy.guarantees):
        if guarantee.wire_name() in _CLASS_MODELS:
            yield f"/guarantees/{position}", "single nodes are not released: a record stands for a whole supernode"
    for name in _COUNTED:
        if name in policy.attributes:
            yield f"/attributes/{name}", "a generalized graph has a count of this name"
    if any(attribute.recoding is Recoding.BOUNDS for attribute in policy.attributes.values()):
        yield "/attributes", "a generalized graph writes no bounds"


_COUNTED = ("size", "edges")
"""What a generalized graph tells of every supernode."""


def _contradictions_of_gate(policy: Policy) -> Iterable[tuple[str, str]]:
    known = _TABLE_GATES
    if isinstance(policy, GraphPolicy):
        # Of supernodes and probabilities no edit can be counted and no candidates by degree.
        of_structure = _GRAPH_GATES if policy.method.form == "graph" else _GRAPH_GATES & {"max_reidentified"}
        classes = policy.having(Role.QUASI_IDENTIFIER) and policy.method.form != "generalized"
        known = _TABLE_GATES | of_structure if classes else of_structure
    for rule in policy.gate.limits():
        if rule not in known:
            yield f"/gate/{rule}", "nothing measures this on such a dataset"


def _unknown_measures(policy: Policy) -> Iterable[tuple[str, str]]:
    for field, folder in (("utility", "utility"), ("attacks", "attacks")):
        names = {part.wire_name() for part in catalogue.parts(folder, policy.kind)}
        seen = set()
        for position, wanted in enumerate(getattr(policy.report, field) or ()):
            pointer = f"/report/{field}/{position}"
            name = wanted if isinstance(wanted, str) else wanted.wire_name()
            if name not in names:
                yield pointer, f"must be one of {', '.join(sorted(names))}"
            if name in seen:
                yield pointer, "is named twice"
            seen.add(name)
            target = getattr(wanted, "target", None)
            if target is not None and target not in [*policy.having(Role.SENSITIVE), *policy.having(Role.INSENSITIVE)]:
                yield f"{pointer}/target", "must name an attribute whose role is sensitive or insensitive"
