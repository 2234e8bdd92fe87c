"""The columns that a release must have according to the policy, and the faults of the columns it has."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.readers.cells import FORMULA, Cells, runs_as_formula
from verifier.verdict.arrays import distinct

NODE = "node"
_PSEUDONYM = re.compile(r"[0-9a-f]{32}", re.ASCII)


def attributes_of(policy: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return dict(policy.get("attributes") or {})


def waives(policy: Mapping[str, Any], rule: str) -> bool:
    """Whether the policy waives the rule by name."""
    return any(waiver.get("rule") == rule for waiver in policy.get("waivers") or ())


def plain_texts(cells: Cells, name: str) -> list[str]:
    """The texts of a column without the mark that keeps a spreadsheet from running them."""
    texts = cells.column(name).texts
    if cells.format != "csv":
        return list(texts)
    return [text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text for text in texts]


def released_names(name: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The released columns of an attribute."""
    role = settings.get("role")
    if role == "identifier":
        return (name,) if settings.get("pseudonym") is True else ()
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
    """Faults of form. A name that the policy does not know may be a value, so only its position is reported."""
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


def pseudonyms(policy: Mapping[str, Any]) -> list[str]:
    """The identifiers that a release shows as pseudonyms."""
    return [
        name
        for name, settings in attributes_of(policy).items()
        if settings.get("role") == "identifier" and settings.get("pseudonym") is True
    ]


def pseudonym_faults(cells: Cells, policy: Mapping[str, Any], sealed_map: Mapping[str, Any] | None) -> list[str]:
    """Faults of the columns of pseudonyms. A cell of another form may be a name. If the values of the rows are known,
    equal values must have one pseudonym and different values different pseudonyms."""
    faults = []
    known: Mapping[str, Any] = (sealed_map or {}).get("pseudonyms") or {}
    for name in pseudonyms(policy):
        if cells.names.count(name) != 1:
            continue
        column = cells.column(name)
        if not all(text == "" or _PSEUDONYM.fullmatch(text) for text in column.texts):
            faults.append(f"{cells.label}: the column '{name}' has a cell that is no pseudonym")
        if name in known and not _one_to_one(np.asarray(known[name]), column.codes):
            faults.append(f"{cells.label}: the pseudonyms of '{name}' do not follow its values")
    return faults


def _one_to_one(values: NDArray[Any], codes: NDArray[np.int64]) -> bool:
    """Whether two numberings of the same rows distinguish the same rows."""
    if values.shape != codes.shape:
        return False
    pairs = np.unique(np.stack([values.astype(np.int64), codes], axis=1), axis=0)
    return len(pairs) == len(distinct(values)) == len(distinct(codes))


def _formula_faults(cells: Cells) -> list[str]:
    if cells.format != "csv":
        return []
    return [
        f"{cells.label}: column {position} has a cell that a spreadsheet would run"
        for position, column in enumerate(cells.columns, start=1)
        if runs_as_formula(column)
    ]
