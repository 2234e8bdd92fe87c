"""Advice for tables: roles, a privacy unit, guarantees, and the cost of each k."""

from dataclasses import replace
from typing import Any

import numpy as np

from antifaz.advice.choices import MOST_TRIED, better_k, persons_in, try_choices, usual_k
from antifaz.advice.columns import advise_columns, first_quasi_identifier, warnings_of
from antifaz.advice.roles import Advised
from antifaz.advice.settings import settings_of
from antifaz.columns.totals import columns_without, rows_of_totals
from antifaz.errors import Infeasible, InvalidDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import CheckedTable
from antifaz.policy.model import Policy
from antifaz.policy.parse import parse_policy
from antifaz.protection import check
from antifaz.tables.table import Role
from antifaz.watch import Watch, within

_UNITS = ("national_id", "record_number", "mail", "online_id", "person_name")
"""Concepts that show whose a row is, best first."""
_REPEATS = 1.05
"""Smallest mean number of rows per value of an identifier that shows which rows belong to one person."""
SKEWED = 0.8
"""Largest share of one value; above it, requiring two values in every class would cost too much."""
MOST_PROMISES = 10
"""Largest number of sensitive columns for which the policy guarantees diversity."""


def advise_table(dataset: Dataset, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
    """A policy for a table, a reason for each role, and the cost of other values of k."""
    advised, totals = without_totals(first_quasi_identifier(advise_columns(dataset)))
    watch(0.3)
    unit = _privacy_unit(advised)
    policy, checked, advised = _working_policy(dataset, advised, unit)
    choices = [] if checked is None else try_choices(checked.table, policy, rng, within(watch, 0.4, 1.0))
    document = _document(advised, unit, usual_k(dataset.n))
    if checked is not None:
        persons = persons_in(checked.table)
        document = _document(advised, unit, better_k(choices, persons, usual_k(persons)))
    return {
        "policy": document,
        "columns": [column_advice(each) for each in advised],
        "privacy_unit": unit_advice(unit),
        "choices": choices,
        "warnings": [*totals, *_warnings(advised, checked, document)],
    }


def column_advice(each: Advised) -> dict[str, Any]:
    """One column as the API returns it."""
    return {
        "name": each.facts.name,
        "type": each.facts.column.type.value,
        "role": each.role.value,
        "reason": each.reason,
        "confidence": each.confidence,
        "warnings": warnings_of(each),
    }


def unit_advice(unit: Advised | None) -> dict[str, Any] | None:
    """The privacy unit as the API returns it."""
    if unit is None:
        return None
    rows = unit.facts.known / max(unit.facts.distinct, 1)
    reason = f"{unit.reason}; a value occurs in {rows:.1f} rows on average, so k must count people and not rows"
    return {"column": unit.facts.name, "reason": reason}


def _privacy_unit(advised: list[Advised]) -> Advised | None:
    """The column that shows which rows belong to one person: an identifier whose values repeat, but not too often."""
    repeated = [each for each in advised if each.role is Role.IDENTIFIER and _repeats(each)]
    if any(_has_one_row_each(each) for each in advised):
        # If another identifier is unique in every row, each person has one row; only a national id overrides that.
        repeated = [each for each in repeated if each.concept == "national_id"]
    finest = max((each.facts.distinct for each in repeated), default=0)
    # A column with far fewer values than another names other people: the doctors, not the patients.
    fitting = [each for each in repeated if 2 * each.facts.distinct >= finest]
    return min(fitting, key=lambda each: _UNITS.index(str(each.concept)), default=None)


def _repeats(each: Advised) -> bool:
    """Whether values occur in several rows each and name one person: a given name alone is shared by many."""
    names = each.concept in _UNITS and (each.concept != "person_name" or each.facts.shape.words >= 1.8)
    return names and each.facts.distinct >= 2 and each.facts.known >= _REPEATS * each.facts.distinct


def _has_one_row_each(each: Advised) -> bool:
    """Whether every value of a person's number occurs in one row; numbers that only count the rows do not matter."""
    known = each.concept in ("national_id", "mail", "record_number") and each.role is Role.IDENTIFIER
    alone = each.facts.known < _REPEATS * each.facts.distinct
    return known and alone and not each.facts.is_sequential


def _working_policy(
    dataset: Dataset, advised: list[Advised], unit: Advised | None
) -> tuple[Policy, CheckedTable | None, list[Advised]]:
    """A policy that the check accepts: a column that it refuses to release unchanged becomes an identifier."""
    for _ in range(len(advised) + 1):
        policy = parse_policy(_document(advised, unit, 2))
        try:
            checked = check(dataset, policy)
        except InvalidDataset as error:
            if error.column is None:
                return policy, None, advised
            advised = first_quasi_identifier([_withhold(each, error.column) for each in advised])
        except Infeasible:
            return policy, None, advised
        else:
            return policy, checked if isinstance(checked, CheckedTable) else None, advised
    return policy, None, advised


def _withhold(each: Advised, column: str) -> Advised:
    if each.facts.name != column:
        return each
    return each.turned(Role.IDENTIFIER, f"{each.reason}, but it cannot be released unchanged")


def _document(advised: list[Advised], unit: Advised | None, k: int) -> dict[str, Any]:
    """The policy as JSON."""
    document: dict[str, Any] = {
        "kind": "table",
        "attributes": {each.facts.name: settings_of(each) for each in advised},
    }
    if not any(each.role is Role.QUASI_IDENTIFIER for each in advised):
        waiver = {"rule": "no_guarantee", "reason": "No column is left that could single anyone out."}
        return document | {"method": {"name": "mondrian"}, "waivers": [waiver]}
    document["guarantees"] = [{"model": "k_anonymity", "k": k}, *_diversity(advised)]
    document["method"] = {"name": "mondrian"}
    if unit is not None:
        document["privacy_unit"] = unit.facts.name
    return document


def _diversity(advised: list[Advised]) -> list[dict[str, Any]]:
    """Two values of each sensitive column in every class, unless one value is so frequent that this costs too much."""
    diverse = [
        each
        for each in advised
        if each.role is Role.SENSITIVE and _count_different(each) >= 2 and each.facts.largest_share <= SKEWED
    ]
    return [
        {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": each.facts.name}
        for each in diverse[:MOST_PROMISES]
    ]


def _count_different(each: Advised) -> int:
    """The number of known values that differ by more than their spelling."""
    folded = each.facts.column.folded
    return len(folded.values) - (folded.missing + 1)


def without_totals(advised: list[Advised]) -> tuple[list[Advised], list[str]]:
    """The columns, of which some leave rows of totals out by their empty cells, and a warning that states it."""
    columns = [each.facts.column for each in advised]
    totals = rows_of_totals(columns)
    if not totals.any():
        return advised, []
    count = int(totals.sum())
    said = "1 row looks like a total" if count == 1 else f"{count} rows look like totals"
    names = columns_without(totals, columns)
    if names is None:
        return advised, [f"{said} of other rows and would be released like people: remove such rows from the file."]
    quoted = " or ".join(f'"{name}"' for name in names)
    warning = f"{said} of other rows. Rows without a value of {quoted} are left out, so that they are not released."
    return [replace(each, leaves_out=each.facts.name in names) for each in advised], [warning]


def _warnings(advised: list[Advised], checked: CheckedTable | None, document: dict[str, Any]) -> list[str]:
    warnings = []
    if not any(each.role is Role.QUASI_IDENTIFIER for each in advised):
        warnings.append("Every column identifies people or has one value: no column is left to protect by classes.")
    if checked is not None and checked.table.n > MOST_TRIED:
        warnings.append(f"The cost of each k was measured on {MOST_TRIED:,} of the rows: the whole table loses less.")
    if checked is None:
        warnings.append("The table is too small for any guarantee: fewer than two people, or fewer than two values.")
    joined = [f'"{each.facts.name}"' for each in advised if each.joins]
    if joined:
        warnings.append(
            f"The columns {', '.join(joined[:5])} hold the same codes, so that each row joins two people: "
            "uploaded as a graph, or with times as a temporal graph, the file keeps who is joined to how many."
        )
    promised = {guarantee.get("attribute") for guarantee in document.get("guarantees", ())}
    bare = [each.facts.name for each in advised if each.role is Role.SENSITIVE and each.facts.name not in promised]
    if bare:
        named = ", ".join(f'"{name}"' for name in bare[:5])
        warnings.append(
            f"There is no guarantee for the sensitive column(s) {named}: one value is so frequent that requiring two "
            "in every class would cost too much. A class whose members share a value reveals it."
        )
    return warnings
