"""What columns a release must have, by the policy, and what is wrong with the ones it has."""

from collections.abc import Mapping, Sequence
from typing import Any

from verifier.cells import Cells, runs_as_formula

NODE = "node"


def attributes_of(policy: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return dict(policy.get("attributes") or {})


def released_names(name: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of a release in which an attribute shows."""
    role = settings.get("role")
    if role == "identifier":
        return ()
    if role == "quasi_identifier" and settings.get("recoding") == "bounds":
        return f"{name}_min", f"{name}_max"
    return (name,)


def expected_columns(policy: Mapping[str, Any]) -> list[str]:
    return [column for name, settings in attributes_of(policy).items() for column in released_names(name, settings)]


def quasi_identifiers(policy: Mapping[str, Any]) -> list[str]:
    return [
        column
        for name, settings in attributes_of(policy).items()
        if settings.get("role") == "quasi_identifier"
        for column in released_names(name, settings)
    ]


def column_faults(cells: Cells, policy: Mapping[str, Any], leading: Sequence[str] = ()) -> list[str]:
    """Faults of form; a name that the policy does not know may be a value, so only its position is told."""
    if not cells.rows:
        return [f"{cells.label}: no rows"]
    expected = [*leading, *expected_columns(policy)]
    identifiers = {name for name, settings in attributes_of(policy).items() if settings.get("role") == "identifier"}
    faults = []
    for position, name in enumerate(cells.names, start=1):
        if name in expected:
            continue
        if name in identifiers:
            faults.append(f"{cells.label}: the identifier column '{name}' is present")
        else:
            faults.append(f"{cells.label}: column {position} is not named by the policy")
    faults += [f"{cells.label}: the column '{name}' is missing" for name in expected if name not in cells.names]
    if len(set(cells.names)) < len(cells.names):
        faults.append(f"{cells.label}: a column name is repeated")
    if len(set(expected)) < len(expected):
        faults.append(f"{cells.label}: the policy gives two released columns one name")
    if cells.names[: len(leading)] != tuple(leading) and set(leading) <= set(cells.names):
        faults.append(f"{cells.label}: the first column is not '{leading[0]}'")
    return faults + _formula_faults(cells)


def _formula_faults(cells: Cells) -> list[str]:
    if cells.format != "csv":
        return []
    return [
        f"{cells.label}: column {position} has a cell that a spreadsheet would run"
        for position, column in enumerate(cells.columns, start=1)
        if runs_as_formula(column)
    ]
