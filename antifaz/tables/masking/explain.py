"""Explain: what happened to every quasi-identifier, which classes are close to a limit, and why records are missing.

Everything here compares the release with the original, so only those who may see such figures get it. Shares are
rounded and counts under ten withheld, so that no single record shows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.tables.classes.classes import class_sizes, guard, released_classes
from antifaz.tables.labels.losses import standing_of
from antifaz.tables.labels.recode import SUPPRESSED
from antifaz.tables.masking.masking import satisfied_records
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Table

_COUNTED = ("k", "l")
"""Limits that are whole numbers: a class is at the limit if it does not reach the next one."""
_MEASURED = ("t", "alpha", "beta")
"""Other limits: a class is at the limit if it is within the last twentieth of it."""
_CLOSE = 0.95


def explain_table(
    table: Table, released: ProtectedTable, guarantees: Sequence[TableGuarantee], left_out: int
) -> dict[str, Any]:
    """The explanation of a release; ``left_out`` counts the records that were excluded before for missing values."""
    return {
        "attributes": [explain_attribute(table, a, released) for a in table.quasi_identifiers],
        "limits": _limits(table, released, guarantees),
        "suppressed": {
            "missing_values": guard(left_out),
            "method": guard(table.n - len(distinct(released.records[released.records >= 0]))),
            "because": {rule: guard(count) for rule, count in released.account.get("suppressed_because", {}).items()},
        },
    }


def explain_attribute(table: Table, attribute: Attribute, released: ProtectedTable) -> dict[str, Any]:
    """How far one quasi-identifier was generalized or changed."""
    columns = [column for column in released.columns if column.source == attribute.name]
    account: dict[str, Any] = {"name": attribute.name, "released": bool(columns)}
    if not columns or not len(released.records):
        return account
    exact = np.logical_and.reduce([_unchanged(attribute, column, released.records) for column in columns])
    stars = np.flatnonzero(columns[0].labels == SUPPRESSED)
    account |= {
        "exact": _share(exact),
        "suppressed": _share(np.isin(columns[0].codes, stars)),
    }
    standing = standing_of(table, released, attribute.name)
    if standing is not None:
        account["loss"] = round(float(standing.penalties[standing.codes].mean()), 4)
    if attribute.generalization is not None and len(columns) == 1:
        account |= _levels(attribute.generalization, columns[0])
    return account


def _unchanged(attribute: Attribute, column: ReleasedColumn, records: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For every released record, whether it shows exactly the original value."""
    place = {value: code for code, value in enumerate(attribute.column.values.tolist())}
    known = np.array([place.get(label, -1) for label in column.labels.tolist()], dtype=np.int64)
    return np.asarray((known[column.codes] == attribute.column.codes[records]) & (records >= 0))


def _levels(hierarchy: Generalization, column: ReleasedColumn) -> dict[str, Any]:
    """The share of records at each level of the hierarchy, if every label is one of its labels."""
    lowest: dict[Any, int] = {}
    for level, labels in enumerate(hierarchy.labels):
        for label in labels.tolist():
            lowest.setdefault(label, level)
    lowest.setdefault(SUPPRESSED, hierarchy.levels - 1)
    found = [lowest.get(label, -1) for label in column.labels.tolist()]
    if -1 in found:
        return {}
    levels = np.array(found, dtype=np.int64)[column.codes]
    return {"levels": {str(level): _share(levels == level) for level in range(hierarchy.levels)}}


def _limits(table: Table, released: ProtectedTable, guarantees: Sequence[TableGuarantee]) -> list[dict[str, Any]]:
    """For every guarantee on classes, the number of classes at its limit."""
    if not len(released.records):
        return []
    numbers, classes = released_classes(released)
    sizes = class_sizes(numbers, classes)
    lines = []
    for guarantee in guarantees:
        if guarantee.evidence == "mechanism" or getattr(guarantee, "population", None) is not None:
            continue
        for parameter, tighter in _tighter(guarantee):
            falls_short = ~satisfied_records(table, released, [tighter], numbers, classes)
            at_limit = np.zeros(classes, dtype=np.bool_)
            at_limit[numbers[falls_short]] = True
            lines.append(
                {
                    "model": guarantee.wire_name(),
                    "parameter": parameter,
                    "limit": getattr(guarantee, parameter),
                    "classes": int(classes),
                    "classes_at_limit": int(at_limit.sum()),
                    "share_of_rows": round(float(sizes[at_limit].sum() / sizes.sum()), 4),
                }
            )
    return lines


def _tighter(guarantee: TableGuarantee) -> list[tuple[str, TableGuarantee]]:
    """The guarantee with each of its limits one step tighter."""
    steps = {name: getattr(guarantee, name) + 1 for name in _COUNTED if getattr(guarantee, name, None) is not None}
    steps |= {
        name: getattr(guarantee, name) * _CLOSE for name in _MEASURED if getattr(guarantee, name, None) is not None
    }
    return [(name, guarantee.model_copy(update={name: limit})) for name, limit in steps.items()]


def _share(which: NDArray[np.bool_]) -> float:
    return round(float(which.mean()), 3)
