"""Columns together: the roles of all columns, by how much each one adds to singling people out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.advice.facts import Facts, facts_of
from antifaz.advice.linkage import chosen_rows, classes_of, combined, share_unique
from antifaz.advice.roles import LIKELY, UNSURE, Advised, judge
from antifaz.arrays import distinct
from antifaz.columns.codes import FEWEST
from antifaz.columns.pairs import pairs_among
from antifaz.hierarchies.ages import OLDEST
from antifaz.kinds.kind import Dataset
from antifaz.tables.table import Column, Role

_UNEXPLAINED = frozenset({None, "record_number", "person_name", "online_id", "free_text", "measurement"})
"""Concepts of columns that may hold the two people of a row, whatever their names suggest."""
ADDS_MUCH = 0.02
"""Share of rows that a column must make unique, together with the quasi-identifiers, to become one of them."""


def advise_columns(dataset: Dataset) -> list[Advised]:
    """The role of every column."""
    return weigh(join_names(join_pairs([judge(facts) for facts in facts_of(dataset)])), dataset.n)


def join_names(advised: list[Advised]) -> list[Advised]:
    """Make a column that nothing explains an identifier if each of its values belongs to one value of an identifier,
    and the other way round: it is another name of the same people."""
    identifiers = [each.facts for each in _having(advised, Role.IDENTIFIER) if each.facts.distinct >= FEWEST]
    return [_with_other_name(each, identifiers) if each.concept is None else each for each in advised]


def _with_other_name(each: Advised, identifiers: list[Facts]) -> Advised:
    if each.role is Role.IDENTIFIER or each.facts.distinct < FEWEST:
        return each
    for other in identifiers:
        if other.distinct == each.facts.distinct and _is_one_to_one(each.facts.column, other.column):
            reason = f'each value belongs to one value of the column "{other.name}", which identifies people'
            return replace(each, role=Role.IDENTIFIER, reason=reason, confidence=LIKELY, concept="record_number")
    return each


def _is_one_to_one(first: Column, second: Column) -> bool:
    known = (first.codes != first.missing) & (second.codes != second.missing)
    pairs = first.codes[known].astype(np.int64) * len(second.values) + second.codes[known]
    return len(distinct(pairs)) <= max(len(first.values), len(second.values))


def join_pairs(advised: list[Advised]) -> list[Advised]:
    """Make two columns that hold the same codes identifiers: each row joins two people."""
    unexplained = {each.facts.name: each for each in advised if each.concept in _UNEXPLAINED}
    joined = {}
    for pair in pairs_among([each.facts.column for each in unexplained.values()]):
        for column, other in (pair, pair[::-1]):
            reason = f'its values also stand in the column "{other.name}", so that each row joins two people'
            joined[column.name] = replace(
                unexplained[column.name],
                role=Role.IDENTIFIER, reason=reason, confidence=LIKELY, concept="record_number", joins=True,
            )  # fmt: skip
    return [joined.get(each.facts.name, each) for each in advised]


def weigh(advised: list[Advised], n: int) -> list[Advised]:
    """Make a column a quasi-identifier if it singles out many people together with the other quasi-identifiers."""
    rows = chosen_rows(n)
    keys = classes_of([each.facts.column for each in _having(advised, Role.QUASI_IDENTIFIER)], rows)
    weighed = list(advised)
    for place in _order(advised):
        each = weighed[place]
        finer = combined(keys, each.facts.column, rows)
        added = share_unique(finer) - share_unique(keys)
        if added >= ADDS_MUCH and each.facts.distinct > 2:
            reason = f"together with the others it makes {_percent(added)} more of the rows unique"
            weighed[place] = each.turned(Role.QUASI_IDENTIFIER, reason)
            keys = finer
    return _with_shares(weighed, rows)


def _order(advised: Sequence[Advised]) -> list[int]:
    """The positions of columns without a known meaning, those with the fewest values first: they cost the least."""
    open_ones = [place for place, each in enumerate(advised) if each.role is Role.INSENSITIVE and each.concept is None]
    return sorted(open_ones, key=lambda place: advised[place].facts.distinct)


def _with_shares(advised: list[Advised], rows: NDArray[np.int64]) -> list[Advised]:
    """Quasi-identifiers with the share of rows that they single out by themselves, if it is large."""
    return [_with_share(each, rows) if each.role is Role.QUASI_IDENTIFIER else each for each in advised]


def _with_share(each: Advised, rows: NDArray[np.int64]) -> Advised:
    alone = share_unique(each.facts.column.codes[rows].astype(np.int64))
    if alone < 0.05 or "unique" in each.reason:
        return each
    return replace(each, reason=f"{each.reason}; {_percent(alone)} of the rows are unique by it alone")


def _percent(share: float) -> str:
    return f"{max(1, round(share * 100))} %"


def _having(advised: Sequence[Advised], role: Role) -> list[Advised]:
    return [each for each in advised if each.role is role]


def first_quasi_identifier(advised: list[Advised]) -> list[Advised]:
    """Make the column that divides people most a quasi-identifier if there is none: guarantees on classes need one."""
    if _having(advised, Role.QUASI_IDENTIFIER):
        return advised
    kept = [each for each in advised if each.role is not Role.IDENTIFIER and each.facts.distinct > 1]
    if not kept:
        return advised
    most = max(kept, key=lambda each: _entropy(each.facts))
    reason = "no column was recognized as known to others; this one divides the rows most"
    return [each.turned(Role.QUASI_IDENTIFIER, reason) if each is most else each for each in advised]


def _entropy(facts: Facts) -> float:
    shares = facts.counts[facts.counts > 0] / max(facts.known, 1)
    return float(-(shares * np.log(shares)).sum())


def warnings_of(each: Advised) -> list[str]:
    """Warnings for a steward about one column."""
    warnings = list(each.warnings)
    if each.confidence <= UNSURE:
        warnings.append("This is a guess: check the column before you publish.")
    if each.role is Role.INSENSITIVE and each.facts.is_numeric and each.facts.distinct > 20:
        warnings.append("Numbers are released unchanged: give the role quasi_identifier if others may know them.")
    if each.concept == "age" and each.role is Role.QUASI_IDENTIFIER and each.facts.within(0, OLDEST):
        warnings.append('Ranges are cut to fit this file; {"hierarchy": {"kind": "ages"}} gives the usual age groups.')
    return warnings
