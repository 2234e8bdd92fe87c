"""Networks: the common part of the policies of graphs and temporal graphs."""

from collections.abc import Iterable
from typing import Any, Literal, cast

from antifaz import catalogue
from antifaz.errors import Reason
from antifaz.policy.model import AttributePolicy, Policy
from antifaz.policy.pointers import escaped
from antifaz.policy.tables import CLASS_MODELS, TABLE_GATES, AnyTableMethod
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.table import Recoding, Role

MOST_NODES_ALONE = 0.5
"""Largest share of nodes that may be joined as in the original and alone."""


class NetworkPolicy(Policy):
    """A policy for nodes and edges; table guarantees in it apply to the attributes of the nodes."""

    node_method: AnyTableMethod | None = None
    """How the nodes' quasi-identifiers are protected; Mondrian if left out."""
    edge_attributes: Literal["drop", "keep", "noise"] = "drop"
    """What happens to weights and labels of edges: all dropped, all kept unchanged, or noise added to numbers (by at
    least the typical distance between two of them) and labels dropped. Edges that a method adds take the values of a
    random other edge."""

    def structural(self) -> list[Any]:
        """Return the guarantees of the structure, without those of the nodes' attributes."""
        return [guarantee for guarantee in self.guarantees if not isinstance(guarantee, TableGuarantee)]

    def compares_labels(self) -> bool:
        """Whether a structural guarantee also covers the nodes' quasi-identifiers, and there are some."""
        return bool(self.having(Role.QUASI_IDENTIFIER)) and any(_compares(each) for each in self.guarantees)

    def structural_gates(self) -> set[str]:
        """Return the gate rules that are measured on the structure."""
        raise NotImplementedError

    def warnings(self) -> list[str]:
        """Return what a careful steward would want to know before running it."""
        warnings = super().warnings()
        if self.method.leaves:
            warnings.append(self.method.leaves)
        if self.method.form != "graph":
            warnings.append("Risks, attacks and utility are measured on one graph drawn from the release.")
        if self.having(Role.QUASI_IDENTIFIER) and self.method.form != "generalized" and not self.compares_labels():
            warnings.append("Structure and node attributes are protected separately, not in combination.")
        if self.edge_attributes == "keep":
            warnings.append("Weights and labels of edges are released unchanged: knowing one may reveal its ends.")
        if self.edge_attributes == "noise":
            warnings.append(
                "Noise on weights of edges is no guarantee: some stay unchanged, and anyone who knows one may find its "
                "ends. The reports of stewards and auditors count them."
            )
        return warnings

    def forecast(
        self, nodes: int | None = None, directed: bool | None = None, snapshots: int | None = None
    ) -> dict[str, Any]:
        """Return what to expect of a run, from the policy and the public facts about the graph."""
        return dict(self.method.forecast(self.guarantees, nodes, directed))

    def shows_records(self) -> bool:
        """Whether single nodes are released, with unchanged attributes unless something changes them."""
        return bool(self.method.form != "generalized")

    def class_method(self) -> TableMethod:
        """Return the method that recodes the quasi-identifiers of the nodes."""
        return self.node_method or default_node_method()

    def guarantees_given(self) -> set[str]:
        """Return the wire names of the guarantees that the methods of structure and nodes can give together."""
        return {*self.method.guarantees_given(), *self.class_method().guarantees_given()}

    def gates(self) -> set[str]:
        """Return the gate rules that are measured on such a release."""
        classes = self.having(Role.QUASI_IDENTIFIER) and self.shows_records()
        return TABLE_GATES | self.structural_gates() if classes else self.structural_gates()

    def contradictions(self) -> Iterable[tuple[str, str]]:
        """Yield what is wrong with the methods and guarantees of the structure and of the nodes."""
        yield from _contradictions_of_structure(self)
        yield from _contradictions_of_nodes(self)

    def contradictions_of_attribute(self, attribute: AttributePolicy) -> Iterable[tuple[str, str]]:
        """Yield field and reason of what is wrong with one attribute of the nodes."""
        if attribute.pseudonym:
            yield "pseudonym", "nodes get new numbers instead of pseudonyms"
        if attribute.missing == "suppress_row":
            yield "missing", "a node cannot be left out"


def default_node_method() -> TableMethod:
    """Return the method for node attributes if the policy names none."""
    method = catalogue.part("methods", "table", "mondrian")()
    return cast(TableMethod, method)


def _contradictions_of_structure(policy: NetworkPolicy) -> Iterable[tuple[str, str]]:
    for position, guarantee in enumerate(policy.guarantees):
        if not isinstance(guarantee, TableGuarantee):
            for rule in guarantee.waivers_needed():
                if not policy.waives(rule):
                    yield f"/guarantees/{position}", f"needs the waiver {rule}"
    yield from policy.method.contradictions(policy.guarantees)


def _contradictions_of_nodes(policy: NetworkPolicy) -> Iterable[tuple[str, str]]:
    if policy.method.form == "generalized":
        yield from _contradictions_of_supernodes(policy)
        return
    if policy.method.makes_nodes() and set(policy.attributes) - set(policy.having(Role.IDENTIFIER)):
        yield "/attributes", "the method may add nodes, which have no attributes: only identifiers are allowed"
    if policy.edge_attributes != "drop" and not policy.method.carries_edges():
        yield "/edge_attributes", f"the method {policy.method.wire_name()} can only drop them"
    yield from _contradictions_of_labels(policy)
    protected = policy.compares_labels() or any(g.wire_name() in CLASS_MODELS for g in policy.guarantees)
    if policy.having(Role.QUASI_IDENTIFIER) and not protected and not policy.waives("no_guarantee"):
        yield "/guarantees", "quasi-identifiers of nodes need a guarantee such as k_anonymity"
    if policy.node_method is not None and not policy.having(Role.QUASI_IDENTIFIER):
        yield "/node_method", "there is no quasi-identifier to protect"
    if policy.node_method is not None and not policy.node_method.keeps_every_record:
        yield "/node_method", "this method may leave records out, and a node cannot be left out"


def refuse_faint(policy: Policy, chance: float | None) -> list[Reason]:
    """Return a reason if noise on edges probably changes no edge of a node, by a chance that follows from public facts:
    the number of nodes and the probabilities of the noise. What was drawn is never compared."""
    if chance is None or chance <= MOST_NODES_ALONE or policy.waives("naive"):
        return []
    detail = "probability that this noise changes no edge of a node: lower epsilon, or waive naive"
    return [Reason("naive", MOST_NODES_ALONE, chance, detail)]


def _compares(guarantee: Any) -> bool:
    return getattr(guarantee, "labels", None) == "compared"


def _contradictions_of_labels(policy: NetworkPolicy) -> Iterable[tuple[str, str]]:
    """Yield what is wrong if labels are compared: nodes that are made alike are generalized together."""
    places = [place for place, guarantee in enumerate(policy.guarantees) if _compares(guarantee)]
    if not places:
        return
    for name in policy.having(Role.INSENSITIVE):
        reason = "a column that is released unchanged would count as a label too: make it a quasi-identifier"
        yield f"/attributes/{escaped(name)}/role", reason
    if not policy.compares_labels():
        return
    if policy.kind != "graph" or not policy.method.aligns_labels:
        reason = f"the method {policy.method.wire_name()} does not make the labels of neighborhoods alike"
        able = "use k_neighborhood on a graph that is not temporal, or ignore labels"
        yield from ((f"/guarantees/{place}/labels", f"{reason}: {able}") for place in places)
    if policy.node_method is not None:
        yield "/node_method", "if labels are compared, attributes are generalized with the nodes that are made alike"
    k = max(guarantee.k for guarantee in policy.structural() if hasattr(guarantee, "k"))
    for position, guarantee in enumerate(policy.guarantees):
        if guarantee.wire_name() in CLASS_MODELS and not (guarantee.wire_name() == "k_anonymity" and guarantee.k <= k):
            reason = f"if labels are compared, only classes of at least k = {k} nodes can be promised"
            yield f"/guarantees/{position}", reason


def _contradictions_of_supernodes(policy: NetworkPolicy) -> Iterable[tuple[str, str]]:
    """Attributes are recoded over the members of a supernode, so nothing can be promised for single nodes."""
    if policy.node_method is not None:
        yield "/node_method", "attributes are generalized with the supernodes"
    if policy.edge_attributes != "drop":
        yield "/edge_attributes", "single edges are not released"
    for position, guarantee in enumerate(policy.guarantees):
        if guarantee.wire_name() in CLASS_MODELS:
            yield f"/guarantees/{position}", "single nodes are not released: a record represents a whole supernode"
    for name in _COUNTED:
        if name in policy.attributes:
            yield f"/attributes/{name}", "a generalized graph has a count of this name"
    if any(attribute.recoding is Recoding.BOUNDS for attribute in policy.attributes.values()):
        yield "/attributes", "a generalized graph cannot write bounds"


_COUNTED = ("size", "edges")
"""Counts that a generalized graph releases for every supernode."""
