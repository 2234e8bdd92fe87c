"""Advice for tables: roles, a privacy unit, guarantees, and what each k costs."""

from typing import Any

import numpy as np

from antifaz.advice.choices import MOST_TRIED, better_k, persons_in, try_choices, usual_k
from antifaz.advice.columns import advise_columns, first_quasi_identifier, warnings_of
from antifaz.advice.roles import Advised
from antifaz.advice.settings import settings_of
from antifaz.errors import Infeasible, InvalidDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import CheckedTable
from antifaz.policy import Policy, parse_policy
from antifaz.protection import check
from antifaz.tables.table import Role
from antifaz.watch import Watch, within

_UNITS = ("national_id", "record_number", "mail", "online_id", "person_name")
"""What says best whose a row is, the best first."""
_REPEATS = 1.05
"""Rows for each value from which on a column of identifiers says whose several rows are."""
SKEWED = 0.8
"""Where one value is more frequent than this, two values in every class would cost too much."""
MOST_PROMISES = 10
"""Sensitive columns that the policy promises diversity of."""


def advise_table(dataset: Dataset, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
    """A policy for a table, a reason for each role, and what other values of k cost."""
    advised = first_quasi_identifier(advise_columns(dataset))
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
        "warnings": _warnings(advised, checked, document),
    }


def column_advice(each: Advised) -> dict[str, Any]:
    """One column as the API answers it."""
    return {
        "name": each.facts.name,
        "type": each.facts.column.type.value,
        "role": each.role.value,
        "reason": each.reason,
        "confidence": each.confidence,
        "warnings": warnings_of(each),
    }


def unit_advice(unit: Advised | None) -> dict[str, Any] | None:
    """The privacy unit as the API answers it."""
    if unit is None:
        return None
    rows = unit.facts.known / max(unit.facts.distinct, 1)
    reason = f"{unit.reason}; a value stands in {rows:.1f} rows on average, so k must count people and not rows"
    return {"column": unit.facts.name, "reason": reason}


def _privacy_unit(advised: list[Advised]) -> Advised | None:
    """The column that says whose several rows are: an identifier whose values repeat, though not too often."""
    repeated = [each for each in advised if each.role is Role.IDENTIFIER and _repeats(each)]
    if any(_is_one_persons(each) for each in advised):
        # Whoever has a number of a state in each row is in one row.
        repeated = [each for each in repeated if each.concept == "national_id"]
    finest = max((each.facts.distinct for each in repeated), default=0)
    # A column with far fewer values than another one names somebody else: who treats, not who is treated.
    fitting = [each for each in repeated if 2 * each.facts.distinct >= finest]
    return min(fitting, key=lambda each: _UNITS.index(str(each.concept)), default=None)


def _repeats(each: Advised) -> bool:
    """Whether values stand in several rows each, and name one person: half a name is that of many."""
    names = each.concept in _UNITS and (each.concept != "person_name" or each.facts.shape.words >= 1.8)
    return names and each.facts.distinct >= 2 and each.facts.known >= _REPEATS * each.facts.distinct


def _is_one_persons(each: Advised) -> bool:
    """Whether every value of a number by which people are known stands in one row; a number of rows says nothing."""
    known = each.concept in ("national_id", "mail", "record_number") and each.role is Role.IDENTIFIER
    return known and each.facts.is_unique and not each.facts.is_sequential


def _working_policy(
    dataset: Dataset, advised: list[Advised], unit: Advised | None
) -> tuple[Policy, CheckedTable | None, list[Advised]]:
    """A policy that the check accepts: a column that it refuses to release as it is becomes an identifier."""
    for _ in range(len(advised) + 1):
        policy = parse_policy(_document(advised, unit, 2))
        try:
            checked = check(dataset, policy)
        except InvalidDataset as error:
            if error.column is None:
                return policy, None, advised
            advised = first_quasi_identifier([_withheld(each, error.column) for each in advised])
        except Infeasible:
            return policy, None, advised
        else:
            return policy, checked if isinstance(checked, CheckedTable) else None, advised
    return policy, None, advised


def _withheld(each: Advised, column: str) -> Advised:
    if each.facts.name != column:
        return each
    return each.turned(Role.IDENTIFIER, f"{each.reason}, but it cannot be released as it is")


def _document(advised: list[Advised], unit: Advised | None, k: int) -> dict[str, Any]:
    """The policy as JSON."""
    document: dict[str, Any] = {
        "kind": "table",
        "attributes": {each.facts.name: settings_of(each) for each in advised},
    }
    if not any(each.role is Role.QUASI_IDENTIFIER for each in advised):
        waiver = {"rule": "no_guarantee", "reason": "No column is left that could single anybody out."}
        return document | {"method": {"name": "mondrian"}, "waivers": [waiver]}
    document["guarantees"] = [{"model": "k_anonymity", "k": k}, *_diversity(advised)]
    document["method"] = {"name": "mondrian"}
    if unit is not None:
        document["privacy_unit"] = unit.facts.name
    return document


def _diversity(advised: list[Advised]) -> list[dict[str, Any]]:
    """Two values of each sensitive column in every class, where no value is so frequent that this costs too much."""
    diverse = [
        each
        for each in advised
        if each.role is Role.SENSITIVE and _different(each) >= 2 and each.facts.largest_share <= SKEWED
    ]
    return [
        {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": each.facts.name}
        for each in diverse[:MOST_PROMISES]
    ]


def _different(each: Advised) -> int:
    """Known values that differ by more than their spelling."""
    folded = each.facts.column.folded
    return len(folded.values) - (folded.missing + 1)


def _warnings(advised: list[Advised], checked: CheckedTable | None, document: dict[str, Any]) -> list[str]:
    warnings = []
    if not any(each.role is Role.QUASI_IDENTIFIER for each in advised):
        warnings.append("Every column identifies people or has one value: there is nothing to protect by classes.")
    if checked is not None and checked.table.n > MOST_TRIED:
        warnings.append(f"What each k costs was tried on {MOST_TRIED:,} of the rows: all of them together lose less.")
    if checked is None:
        warnings.append("The table is too small for any promise: fewer than two people, or fewer than two values.")
    promised = {guarantee.get("attribute") for guarantee in document.get("guarantees", ())}
    bare = [each.facts.name for each in advised if each.role is Role.SENSITIVE and each.facts.name not in promised]
    if bare:
        named = ", ".join(f'"{name}"' for name in bare[:5])
        warnings.append(
            f"Nothing is promised of the sensitive column(s) {named}: one value is so frequent that every class "
            "having two would cost too much. A class whose members share a value reveals it."
        )
    return warnings
