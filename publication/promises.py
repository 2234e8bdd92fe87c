"""Promises: the guarantees of a release about its classes, kept in its sealed map to check later releases against.

A promise has the guarantees and what is needed to check them again: the types and orders by which values were compared,
the hierarchies that the policy only refers to, and the columns whose values the release changed. It is sealed because
orders and hierarchies are data, and it is lost with the map.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kinds.kind import Dataset
from antifaz.policy.model import Policy
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.tables.texts.value_types import ValueType
from verifier.joint.promises import Promise, Values

PromiseRecord = Mapping[str, Any]
PLAIN = (Role.SENSITIVE, Role.INSENSITIVE)


def record_promise(
    document: Mapping[str, Any], policy: Policy, table: Table, released: ProtectedTable
) -> dict[str, Any]:
    """The part of the policy that the sealed map of a table's release contains."""
    names = promised_attributes(document)
    unit = policy.unit()
    typed = [*policy.having(Role.SENSITIVE), *policy.having(Role.INSENSITIVE), *([unit] if unit else [])]
    return {
        "guarantees": document.get("guarantees") or [],
        "privacy_unit": unit,
        "attributes": {name: settings for name, settings in document["attributes"].items() if name in names},
        "types": {name: table.attribute(name).column.type.value for name in typed},
        "hierarchies": {
            attribute.name: attribute.generalization.paths()
            for attribute in table.having(Role.SENSITIVE)
            if attribute.name in names and attribute.generalization is not None
        },
        "changed": _changed_columns(policy, table, released),
    }


def promised_attributes(policy: Mapping[str, Any]) -> set[str]:
    """The attributes whose values the guarantees of a policy, or of a promise, are about."""
    return {guarantee["attribute"] for guarantee in policy.get("guarantees") or () if guarantee.get("attribute")}


def _changed_columns(policy: Policy, table: Table, released: ProtectedTable) -> list[str]:
    """Columns whose values the release changed.

    With a guarantee by mechanism all columns that it covers count as changed, even if the random draw left them as is.
    """
    if not policy.follows_records():
        return [column.source for column in released.columns if column.role in PLAIN]
    if any(guarantee.evidence == "mechanism" for guarantee in policy.guarantees):
        return policy.having(Role.SENSITIVE)
    changed = []
    for column in released.columns:
        if column.role in PLAIN:
            original = table.attribute(column.source).column
            shown, true = column.labels[column.codes], original.values[original.codes[released.records]]
            if not np.array_equal(shown, true):
                changed.append(column.source)
    return changed


def pack_promise(record: Mapping[str, Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(record).encode(), dtype=np.uint8)


def unpack_promise(packed: NDArray[Any]) -> PromiseRecord:
    record: PromiseRecord = json.loads(packed.tobytes())
    return record


def promise_of(record: PromiseRecord, dataset: Dataset) -> Promise:
    """A promise about a dataset's records, with values compared in the same way as in the release that made it."""
    unit, types = record["privacy_unit"], record["types"]

    def column(name: str) -> Any:
        return dataset.typed(name, ValueType(types[name]))

    return Promise(
        record,
        {name: _values(column(name)) for name in promised_attributes(record)},
        None if unit is None else _values(column(unit)),
        record["hierarchies"],
    )


def _values(column: Any) -> Values:
    return Values(column.codes.astype(np.int64), [str(text) for text in column.values])


def promise_without_values(record: PromiseRecord) -> Promise:
    """A promise about people of another dataset, whose values are known only by their marks."""
    return Promise(record, hierarchies=record["hierarchies"])
