"""Contradictions: fields of a policy that are each valid but do not fit together, for all kinds.

Contradictions of one kind are found by its policy class.
"""

from collections.abc import Iterable

from antifaz import catalogue
from antifaz.policy.model import AttributePolicy, Policy, promises_mechanism
from antifaz.policy.pointers import escaped
from antifaz.policy.tables import CLASS_MODELS
from antifaz.suggestions import suggest
from antifaz.tables.table import Recoding, Role

RISK_GATES = (
    "max_prosecutor_risk",
    "max_journalist_risk",
    "max_marketer_risk",
    "max_linkage_rate",
    "max_reidentified",
)
"""Gate rules on measured risk: one of them may replace a guarantee."""
HIGHEST_RISK = 0.5
"""The highest limit at which a gate may replace a guarantee: above it, most guesses may be right, and at 1 the gate
cannot fail."""


def contradictions(policy: Policy) -> Iterable[tuple[str, str]]:
    """Yield pointer and reason of every contradiction in a policy whose fields are each valid."""
    yield from _of_attributes(policy)
    yield from _of_guarantees(policy)
    yield from _of_gate(policy)
    yield from _unknown_measures(policy)
    if len(set(policy.formats)) != len(policy.formats):
        yield "/formats", "a format is named twice"
    for rule in policy.method.waivers_needed():
        if not policy.waives(rule):
            yield "/method", f"needs the waiver {rule}"
    yield from policy.contradictions()


def _of_attributes(policy: Policy) -> Iterable[tuple[str, str]]:
    for name, attribute in policy.attributes.items():
        pointer = f"/attributes/{escaped(name)}"
        if attribute.recoding is not None and attribute.role is not Role.QUASI_IDENTIFIER:
            yield f"{pointer}/recoding", "only a quasi-identifier can have one"
        if attribute.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            for field in ("hierarchy", "order"):
                if getattr(attribute, field) is not None:
                    yield f"{pointer}/{field}", "only a quasi-identifier or a sensitive attribute can have one"
        elif attribute.order is not None and attribute.hierarchy is not None:
            yield f"{pointer}/order", "the hierarchy already defines the order"
        if attribute.recoding is Recoding.ANCESTOR and attribute.hierarchy is None:
            yield f"{pointer}/recoding", "needs a hierarchy"
        yield from _of_bounds(policy, name, attribute)
        if attribute.pseudonym and attribute.role is not Role.IDENTIFIER:
            yield f"{pointer}/pseudonym", "only an identifier can have one"
        for field, reason in policy.contradictions_of_attribute(attribute):
            yield f"{pointer}/{field}", reason


def _of_bounds(policy: Policy, name: str, attribute: AttributePolicy) -> Iterable[tuple[str, str]]:
    if attribute.recoding is not Recoding.BOUNDS:
        return
    pointer = f"/attributes/{escaped(name)}/recoding"
    method = policy.class_method()
    if not method.writes_bounds():
        yield pointer, f"the method {method.wire_name()} writes no bounds"
    if {f"{name}_min", f"{name}_max"} & set(policy.attributes):
        yield pointer, "another column has the name of a bounds column"


def _of_guarantees(policy: Policy) -> Iterable[tuple[str, str]]:
    gated = bool(replacing_gates(policy))
    accepted = policy.waives("no_guarantee") or (policy.method.wire_name() == "naive" and policy.waives("naive"))
    if not any(guarantee.can_fail() for guarantee in policy.guarantees) and not gated and not accepted:
        needed = f"a guarantee that can fail, a gate on measured risk of {HIGHEST_RISK} or below, or"
        yield "/guarantees", f"a policy needs {needed} the waiver no_guarantee"
    needs_classes = any(g.wire_name() in CLASS_MODELS and g.evidence != "mechanism" for g in policy.guarantees)
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
        if guarantee.wire_name() not in policy.guarantees_given():
            yield pointer, f"the method {policy.method.wire_name()} cannot give this guarantee"


def replacing_gates(policy: Policy) -> dict[str, float]:
    """The limits on measured risk that replace a guarantee, if no guarantee that can fail is promised."""
    if any(guarantee.can_fail() for guarantee in policy.guarantees):
        return {}
    return {rule: limit for rule, limit in policy.gate.limits().items() if rule in RISK_GATES and limit <= HIGHEST_RISK}


def _has_hierarchy(policy: Policy, attribute: str | None) -> bool:
    return attribute in policy.attributes and policy.attributes[attribute].hierarchy is not None


def _of_gate(policy: Policy) -> Iterable[tuple[str, str]]:
    known = policy.gates()
    by_mechanism = promises_mechanism(policy)
    for rule in policy.gate.limits():
        if rule not in known:
            yield f"/gate/{rule}", "this is not measured for such a dataset"
        elif by_mechanism:
            # Repeating until a draw passes would release a chosen result instead of a random one.
            yield (
                f"/gate/{rule}",
                "a guarantee by mechanism does not allow a gate: no draw may be refused for its result",
            )


def _unknown_measures(policy: Policy) -> Iterable[tuple[str, str]]:
    for field, folder in (("utility", "utility"), ("attacks", "attacks")):
        asked = getattr(policy.report, field)
        if not asked:
            continue
        known = list(catalogue.parts(folder, policy.kind))
        names = {part.wire_name() for part in known}
        repeating = {part.wire_name() for part in known if getattr(part, "protects_again", False)}
        seen = set()
        for position, wanted in enumerate(asked):
            pointer = f"/report/{field}/{position}"
            name = wanted if isinstance(wanted, str) else wanted.wire_name()
            if name not in names:
                yield pointer, f"must be one of {', '.join(sorted(names))}{suggest(name, names)}"
            if name in seen:
                yield pointer, "is named twice"
            seen.add(name)
            if name in repeating and promises_mechanism(policy):
                yield pointer, "protects the original again, which a guarantee by mechanism would charge for"
            target = getattr(wanted, "target", None)
            if target is not None and target not in [*policy.having(Role.SENSITIVE), *policy.having(Role.INSENSITIVE)]:
                yield f"{pointer}/target", "must name an attribute whose role is sensitive or insensitive"
