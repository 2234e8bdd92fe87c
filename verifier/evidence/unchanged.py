"""Findings about records that a release shows unchanged and alone.

An attacker who knows a person's quasi-identifiers finds the record that shows them, and is sure of it if nobody else
has the same. Who searches by the columns in which a record is unchanged is not misled by its others, so a record counts
if those columns single it out. The bytes show which records are alone; what they were before is sealed:
``{"original_records": {"follows": true, "columns": {name: {"codes": [...], "texts": [...], "type": ...}},
"paths": {name: [[value, label, ...], ...]}}}``, with a code for every released row, in the order of the files; for
synthetic records (``follows`` is false), for every row of the original. Columns that a mechanism draws are not sealed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.readers.cells import class_of_rows
from verifier.readers.columns import NODE, attributes_of, plain_texts, released_names, waives
from verifier.readers.forms import form_of
from verifier.readers.networks import node_numbers
from verifier.readers.sizes import SIZES
from verifier.verdict.arrays import distinct
from verifier.verdict.folding import folded
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import look

MODEL = "records_unchanged_and_alone"
MOST_RECORDS = 0.25
"""Largest share of records that may be unchanged and alone."""
_CLOSE = 0.01
"""Largest distance, in standard deviations of the column, at which a number counts as unchanged."""
_ASSUMES = "the attacker knows the original quasi-identifiers of a person (without any, all columns)"
_MOST_SETS = 32
"""Largest number of sets of unchanged columns that are searched by, the commonest first."""
_BLOCK = 1 << 16

Whole = NDArray[np.int64]
Marks = NDArray[np.bool_]


def find_unchanged_records(evidence: Evidence, rows: Whole | None = None) -> Finding | None:
    """The share of records that are unchanged and alone; None if it is not known what they were.

    ``rows`` gives the place of every row of the file in the sealed map, if it is another one.
    """
    known = (evidence.sealed_map or {}).get("original_records")
    if not known or evidence.flaw or not evidence.tables:
        return None
    judged = _Judged(evidence, known, rows)
    if flaw := judged.flaw():
        return Finding(MODEL, {"share": MOST_RECORDS}, {}, False, "bytes+sealed_map", _ASSUMES, flaw)
    shares = judged.shares()
    # What is alone in the columns that show every record unchanged is reported and decides nothing.
    share = max(value for name, value in shares.items() if name != "alone_in_unchanged_columns")
    holds = share <= MOST_RECORDS or waives(evidence.policy, "no_guarantee")
    detail = "" if holds else "too many records are as in the original and alone"
    return Finding(MODEL, {"share": MOST_RECORDS}, shares, holds, "bytes+sealed_map", _ASSUMES, detail)


def find_unchanged_attributes(evidence: Evidence) -> Finding | None:
    """The same for the attributes of nodes, whose originals are sealed in the order of the nodes' numbers."""
    if not evidence.tables or NODE not in evidence.tables[0].names or form_of(evidence.policy) == "generalized":
        return None
    return find_unchanged_records(evidence, node_numbers(evidence.tables[0].column(NODE)))


class _Judged:
    """One released table and the original values of its records."""

    def __init__(self, evidence: Evidence, known: Mapping[str, Any], rows: Whole | None) -> None:
        self.policy, self.cells = evidence.policy, evidence.tables[0]
        self.columns, self.paths = known["columns"], known.get("paths") or {}
        self.follows = bool(known.get("follows", True))
        self.rows = np.arange(self.cells.rows) if rows is None else rows
        # Synthetic rows are nobody's.
        self.persons = evidence.persons() if self.follows else None

    def flaw(self) -> str:
        """Why nothing can be counted: the sealed map is not that of these rows, or does not say whose they are."""
        if not self.follows:
            return ""
        if self.policy.get("privacy_unit") and self.persons is None:
            return Missing("there is no sealed map that says which rows belong to one person")
        lengths = [len(column["codes"]) for column in self.columns.values()]
        lengths += [] if self.persons is None else [len(self.persons)]
        fits = all(length == self.cells.rows for length in lengths)
        return "" if fits else "the sealed map and the release have different numbers of rows"

    def shares(self) -> dict[str, float]:
        """Shares by what the attacker knows: quasi-identifiers; insensitive columns, if no guarantee is promised; and
        the columns that show every record unchanged, which decides nothing."""
        shown = [name for name in self.columns if self.shown(name)]
        shares = {"share": self.share(self.having("quasi_identifier") or shown)}
        if not any(map(_can_fail, self.policy.get("guarantees") or ())):
            shares["insensitive"] = self.share(self.having("insensitive"))
        same = [name for name in shown if self.follows and self.unchanged(name).all()]
        alone = self.alone(same) if same else np.zeros(self.cells.rows, np.bool_)
        return shares | {"alone_in_unchanged_columns": float(alone.mean()) if len(alone) else 0.0}

    def having(self, role: str) -> list[str]:
        return [name for name, settings in attributes_of(self.policy).items() if settings.get("role") == role]

    def shown(self, name: str) -> list[str]:
        """The released columns of an attribute."""
        names = released_names(name, attributes_of(self.policy).get(name, {}))
        return list(names) if set(names) <= set(self.cells.names) else []

    def share(self, names: Sequence[str]) -> float:
        if not names or not self.cells.rows:
            return 0.0
        exposed = self.alone(names)
        if not self.follows:
            return float((exposed & self.copied(names)).mean())
        return float(self.singled_out(names, exposed).mean()) if exposed.any() else 0.0

    def singled_out(self, names: Sequence[str], alone: Marks) -> Marks:
        """For every row, whether no other has the same cells in those of the columns in which it is unchanged, given
        the rows that are alone in all of them."""
        same = {name: self.unchanged(name) for name in names}
        sets, count = class_of_rows(((marks.astype(np.int64), 2) for marks in same.values()), self.cells.rows)
        sizes = np.bincount(sets[alone], minlength=count)
        found = np.zeros(self.cells.rows, np.bool_)
        # Rows with the same unchanged columns are searched together: the work is by set, not by row.
        for number in np.argsort(-sizes, kind="stable")[: min(_MOST_SETS, int(np.count_nonzero(sizes)))].tolist():
            look()
            row = int(np.argmax(sets == number))
            known = [name for name in names if same[name][row]]
            if known:
                found |= self.alone(known) & np.logical_and.reduce([same[name] for name in known])
        return found

    def alone(self, names: Iterable[str]) -> Marks:
        """For every row, whether no other person has the same cells in these columns."""
        columns = [self.cells.column(each) for name in names for each in self.shown(name)]
        of_row, count = class_of_rows(((column.codes, len(column.texts)) for column in columns), self.cells.rows)
        if self.persons is None:
            return np.asarray(np.bincount(of_row, minlength=count)[of_row] == 1)
        # A class and a person as one number: a class with a single different pair is one person's, with however many
        # rows.
        bound = np.int64(self.persons.max() + 1)
        pairs = distinct(of_row * bound + self.persons)
        return np.asarray(np.bincount(pairs // bound, minlength=count)[of_row] == 1)

    def unchanged(self, name: str) -> Marks:
        """For every row, whether the cell means the original value and no other."""
        columns, original = self.shown(name), self.columns.get(name)
        if original is None or not columns:
            return np.zeros(self.cells.rows, np.bool_)
        texts, codes = original["texts"], np.asarray(original["codes"])[self.rows]
        labels = [plain_texts(self.cells, each) for each in columns]
        places = [self.cells.column(each).codes for each in columns]
        same = np.zeros(self.cells.rows, np.bool_)
        if len(columns) == 1:
            same = _exactly(labels[0], texts)[places[0]] == codes
            # Letter by letter is fast and settles most columns; only what differs is read for its meaning.
            if not same.all():
                same = self._meant_same(name, labels[0], places[0], codes)
        if not same.all() and original.get("type") in SIZES:
            values = _numbers(texts)[codes]
            low, high = _ends(labels[0])[places[0], 0], _ends(labels[-1])[places[-1], 1]
            same = same | _close(values, low, high)
        return np.asarray(same)

    def _meant_same(self, name: str, labels: Sequence[str], places: Whole, codes: Whole) -> Marks:
        """The same by folded values, with groups of hierarchies and lists that have only one."""
        texts = self.columns[name]["texts"]
        values = [folded(str(text)) for text in _watched(texts)]
        numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
        under: dict[str, set[str]] = {}
        for value, *groups in _watched(self.paths.get(name, ())):
            for group in groups:
                under.setdefault(group, set()).add(folded(value))
        single = {label: next(iter(found)) for label, found in under.items() if len(found) == 1}
        mixed = {label for label, found in under.items() if len(found) > 1}
        read = [_single(label, numbers, single, mixed) for label in _watched(labels)]
        of_text = np.array([numbers[value] for value in values], np.int64)
        return np.asarray(
            np.array([-1 if each is None else numbers.get(each, -1) for each in read], np.int64)[places]
            == of_text[codes]
        )

    def copied(self, names: Sequence[str]) -> Marks:
        """For every synthetic row, whether its values are those of exactly one row of the original."""
        size = len(np.asarray(self.columns[names[0]]["codes"]))
        joint = (self._joint(name) for name in names)
        of_row, count = class_of_rows(joint, size + self.cells.rows)
        people = np.bincount(of_row[:size], minlength=count)
        return np.asarray(people[of_row[size:]] == 1)

    def _joint(self, name: str) -> tuple[Whole, int]:
        column = self.cells.column(self.shown(name)[0])
        found: dict[str, int] = {}
        before = [found.setdefault(folded(str(text)), len(found)) for text in _watched(self.columns[name]["texts"])]
        labels = plain_texts(self.cells, self.shown(name)[0])
        after = [found.setdefault(folded(label), len(found)) for label in _watched(labels)]
        codes = np.asarray(self.columns[name]["codes"])
        parts = np.array(before, np.int64)[codes], np.array(after, np.int64)[column.codes]
        return np.concatenate(parts), len(found)


def _can_fail(guarantee: Mapping[str, Any]) -> bool:
    """Whether a release could break it: a distance is never above 1, and noise in sensitive values protects no other
    column."""
    if guarantee.get("model") == "local_differential_privacy":
        return False
    return not (guarantee.get("model") == "t_closeness" and float(guarantee.get("t", 1)) >= 1)


def _exactly(labels: Sequence[str], texts: Sequence[str]) -> Whole:
    """The code of the original text that each label is, letter by letter; -1 if there is none."""
    places = {str(text): code for code, text in enumerate(texts)}
    return np.array([places.get(label, -1) for label in labels], np.int64)


def _single(label: str, values: Mapping[str, int], single: Mapping[str, str], mixed: set[str]) -> str | None:
    """The one folded value that a label means."""
    plain = folded(label)
    if plain in values:
        return plain
    if label in single or label in mixed:
        return single.get(label)
    members = {folded(str(member)) for member in _listed(label)}
    return members.pop() if len(members) == 1 else None


def _listed(label: str) -> list[Any]:
    """The members of a label that is a JSON list, with numbers as written."""
    if not label.startswith("["):
        return []
    try:
        members = json.loads(label, parse_float=str, parse_int=str)
    except ValueError:
        return []
    return members if isinstance(members, list) else []


def _numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([_number(str(text)) for text in _watched(texts)], np.float64)


def _number(text: str) -> float:
    """A number, or a date or time in seconds; NaN for anything else."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return np.nan
    return (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()


def _ends(labels: Sequence[str]) -> NDArray[np.float64]:
    """Low and high end of every label: a point, a range, nothing (NaN), or unknown (infinite)."""
    return np.array([_span(label) for label in _watched(labels)], np.float64).reshape(-1, 2)


def _span(label: str) -> tuple[float, float]:
    if not label:
        return np.nan, np.nan
    point = _number(label)
    if np.isfinite(point):
        return point, point
    members = _listed(label)
    ends = [_number(str(member)) for member in members]
    # Two quoted numbers are a set of texts, two quoted dates a range: dates have a hyphen inside.
    quoted = label.startswith('["') and not any("-" in str(member)[1:] for member in members)
    return (ends[0], ends[1]) if len(ends) == 2 and np.isfinite(ends).all() and not quoted else (-np.inf, np.inf)


def _close(values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> Marks:
    allowed = 0.0 if np.isnan(values).all() else _CLOSE * float(np.nanstd(values))
    with np.errstate(invalid="ignore"):
        # A range is unchanged only if both its ends are the value, up to the tolerance.
        off = np.maximum(np.abs(low - values), np.abs(high - values))
    return np.asarray((off <= allowed) | (np.isnan(values) & np.isnan(low) & np.isnan(high)))


def _watched(items: Iterable[Any]) -> Iterator[Any]:
    """The items, with a look at the watch now and then."""
    for place, item in enumerate(items):
        if place % _BLOCK == 0:
            look()
        yield item
