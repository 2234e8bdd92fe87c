"""Rules: the guarantees of a policy as the conditions that kernels check on every class."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import BrokenGuarantee, Infeasible, Reason
from antifaz.kernels.tables.conditions import PARAMETERS, SIZE, Conditions, classes_hold
from antifaz.tables.classes.classes import classes_of_parts, released_classes
from antifaz.tables.parts import ClassRule, TableGuarantee
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch


def state_conditions(table: Table, guarantees: Sequence[TableGuarantee]) -> Conditions:
    """Every rule of the guarantees, over their sensitive columns (or persons)."""
    rules = [rule for guarantee in guarantees for rule in guarantee.rules(table)]
    sized = [rule for rule in rules if rule.kind == SIZE]
    others = [rule for rule in rules if rule.kind != SIZE]
    sources = {_source(rule): rule for rule in others}
    columns = sorted(sources)
    sensitive = [_codes_of(table, sources[column]) for column in columns]
    parameters = np.zeros((len(others), max((len(rule.parameters) for rule in others), default=0) + PARAMETERS))
    for row, rule in zip(parameters, others, strict=True):
        row[: len(rule.parameters)] = rule.parameters
    return Conditions(
        least=int(max((rule.parameters[0] for rule in sized), default=1)),
        kinds=np.array([rule.kind for rule in others], dtype=np.int64),
        columns=np.array([columns.index(_source(rule)) for rule in others], dtype=np.int64),
        parameters=parameters,
        sensitive=np.ascontiguousarray(np.stack(sensitive, axis=1))
        if sensitive
        else np.zeros((table.n, 0), dtype=np.int32),
        domain=max((int(codes.max(initial=-1)) + 1 for codes in sensitive), default=0),
    )


def _source(rule: ClassRule) -> tuple[str, int]:
    """A key that is equal for rules over the same codes: their column, or the codes that they carry."""
    return rule.attribute or "", 0 if rule.codes is None else id(rule.codes)


def _codes_of(table: Table, rule: ClassRule) -> NDArray[np.int32]:
    """The codes that a rule carries, those of its column, or the numbers of the persons if it names no column."""
    if rule.codes is not None:
        return np.asarray(rule.codes, dtype=np.int32)
    if rule.attribute:
        return np.asarray(table.attribute(rule.attribute).column.codes, dtype=np.int32)
    if table.unit is None:
        raise ValueError("a rule about persons needs a privacy unit")
    return np.unique(table.unit, return_inverse=True)[1].astype(np.int32)


def feasible_conditions(table: Table, guarantees: Sequence[TableGuarantee], watch: Watch) -> Conditions:
    """The rules of the guarantees, once it is clear that all records as one class satisfy them."""
    for attribute in table.having(Role.SENSITIVE):
        attribute.column.fold(watch)
    conditions = state_conditions(table, guarantees)
    refuse_impossible(table, conditions, guarantees)
    return conditions


def refuse_impossible(table: Table, conditions: Conditions, guarantees: Sequence[TableGuarantee]) -> None:
    """Raise `Infeasible` if not even all records as one class satisfy the rules."""
    everyone = np.zeros(table.n, dtype=np.int64)
    if table.n and classes_satisfy(conditions, everyone, 1).all():
        return
    broken = [_reason(rule) for guarantee in guarantees for rule in guarantee.rules(table)]
    raise Infeasible(broken or [Reason("no_rows", detail="the table has no records")])


def _reason(rule: ClassRule) -> Reason:
    subject = f"column {rule.attribute}" if rule.attribute else "class size"
    return Reason("whole_table", limit=rule.parameters[0], detail=f"{subject}: all records as one class fall short")


def classes_satisfy(conditions: Conditions, labels: NDArray[np.int64], classes: int) -> NDArray[np.bool_]:
    """For every class, whether it satisfies the conditions; ``labels`` gives the class of each record."""
    if len(conditions.kinds) == 0:
        return np.asarray(np.bincount(labels, minlength=classes) >= conditions.least)
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(classes + 1))
    return np.asarray(classes_hold(order, bounds, *conditions))


def require_guarantees(
    released: ProtectedTable, conditions: Conditions, parts: NDArray[np.int64] | None = None
) -> None:
    """Raise `BrokenGuarantee` unless every class of the release satisfies the conditions.

    ``parts`` may state which records were labeled together; it saves work if the labels confirm it.
    """
    known = None if parts is None else classes_of_parts(released, parts)
    if known is not None and parts is not None and len(conditions.kinds) == 0:
        sizes = np.bincount(known[0], weights=np.bincount(parts), minlength=known[1])
        holds = bool((sizes >= conditions.least).all())
    else:
        labels, classes = released_classes(released)
        chosen = conditions._replace(sensitive=np.ascontiguousarray(conditions.sensitive[released.records]))
        holds = bool(classes_satisfy(chosen, labels, classes).all())
    if not holds:
        raise BrokenGuarantee("a class of the release falls short of its guarantees")
