"""Tables of a report: its nested figures side by side, with the catalogue's summary of each measure.

The report's JSON has every figure; these tables leave out what only programs need, such as series that are drawn as
charts and parameters of the policy.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antifaz import catalogue
from antifaz.part import Part
from service.report.numbers import is_number, percent, plain, show, words

Figures = Mapping[str, Any]
Line = tuple[str, str, str]

_FIGURES = {
    "max": "highest",
    "mean": "average",
    "value": "share",
    "k": "fewest alike",
    "unique_share": "people who are unique",
    "unique_nodes": "people who are unique",
    "sample_unique_share": "unique in the data",
    "share_over_threshold": "people above the threshold",
    "snapshots_with_unique_nodes": "snapshots with unique people",
}
_NOT_SHOWN = frozenset({"sampling_fraction", "bound", "snapshots", "private", "model", "threshold", "class_sizes"})
"""Parameters, and figures that are drawn as charts."""
_BINS = frozenset({"shares", "candidate_sets"})
_COUNTS = frozenset({"k", "snapshots_with_unique_nodes", "unique_nodes", "candidate_sets"})


@dataclass(frozen=True)
class Block:
    """One measure, before and after."""

    title: str
    summary: str
    lines: list[Line]


def risk_blocks(report: Figures) -> list[Block]:
    """Every risk with its figures side by side."""
    risk, kind = _part(report, "risk"), str(report.get("kind"))
    before, after = _part(risk, "before"), _part(risk, "after")
    blocks = []
    for name in dict.fromkeys((*before, *after)):
        sides = [dict(_lines(_part(side, name))) for side in (before, after)]
        names = dict.fromkeys((*sides[0], *sides[1]))
        lines = [(each, sides[0].get(each, "–"), sides[1].get(each, "–")) for each in names]
        blocks.append(Block(words(name), summary_of("risk", kind, name), lines))
    return blocks


def _lines(figures: Figures, prefix: str = "") -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for name, value in figures.items():
        label = prefix + _FIGURES.get(name, words(name))
        text = show if name in _COUNTS else percent
        if name in _NOT_SHOWN:
            continue
        if isinstance(value, Mapping) and name in _BINS:
            lines.append((f"{prefix}by how many are alike", bins_in_words(value, text)))
        elif isinstance(value, Mapping):
            lines += _lines(value, f"{prefix}{words(name)}: ")
        else:
            lines.append((label, text(value)))
    return lines


def bins_in_words(bins: Figures, text: Any) -> str:
    """A histogram as a line; bins are sorted by size, empty ones are left out."""
    ordered = sorted(bins.items(), key=lambda each: _begins(each[0]))
    return ", ".join(f"{name}: {text(count)}" for name, count in ordered if count) or "–"


def _begins(name: str) -> int:
    found = re.match(r"\d+", name)
    return int(found[0]) if found else 0


@dataclass(frozen=True)
class Properties:
    """The results of utility measures, in three tables."""

    compared: list[tuple[str, str, str, str]]
    """Property, original, release, change."""
    head: list[str]
    columns: list[list[str]]
    """Rows by column, with every measure that has figures for columns."""
    scores: list[tuple[str, str, str]]
    """Measure, figure, summary."""


def utility_tables(report: Figures) -> Properties:
    """The utility of a release."""
    utility, kind = _part(report, "utility"), str(report.get("kind"))
    compared, scores = [], []
    for name, figures in utility.items():
        if not isinstance(figures, Mapping):
            continue
        if is_number(figures.get("original")) and is_number(figures.get("released")):
            sides = (show(figures["original"]), show(figures["released"]))
            compared.append((words(name), *sides, percent(figures.get("loss"))))
        elif "value" in figures:
            scores.append((words(name), show(figures["value"]), summary_of("utility", kind, name)))
    head, columns = _by_column(utility)
    return Properties(compared, head, columns, scores)


_BY_COLUMN = (
    ("ncp", "attributes", None, "Detail lost"),
    ("precision", "attributes", None, "Precision"),
    ("distribution_distance", "columns", "emd", "Earth mover's distance"),
    ("distribution_distance", "columns", "total_variation", "Total variation"),
)


def _by_column(utility: Figures) -> tuple[list[str], list[list[str]]]:
    found: dict[str, dict[str, Any]] = {}
    for measure, part, figure, title in _BY_COLUMN:
        values = _part(_part(utility, measure), part)
        if values:
            found[title] = {name: _part(values, name).get(figure) if figure else values[name] for name in values}
    names = dict.fromkeys(name for values in found.values() for name in values)
    return list(found), [[name, *(_cell(title, values.get(name)) for title, values in found.items())] for name in names]


def _cell(title: str, value: Any) -> str:
    return percent(value) if title in ("Detail lost", "Precision") else show(value)


def summary_of(folder: str, kind: str, name: str) -> str:
    """The catalogue's summary of a part, without its period."""
    found: list[type[Part]] = [part for part in catalogue.parts(folder, kind) if part.wire_name() == name]
    return (found[0].__doc__ or "").partition("\n")[0].rstrip(".") if found else ""


def change_rows(report: Figures) -> list[tuple[str, str]]:
    """The transformations, as counted by the method and the file reader."""
    rows = [(words(name), value) for name, value in _part(report, "transformation").items()]
    rows += [(f"method: {words(name)}", value) for name, value in _part(report, "method").items()]
    return [(name, plain(value)) for name, value in rows if not _is_long(value) and not name.endswith("private")]


def _is_long(value: Any) -> bool:
    """Whether it is a series or nested, which is only for programs."""
    return isinstance(value, list | Mapping)


def as_json(value: Any, indent: int = 0, width: int = 92) -> str:
    """A document as text that fits on a page: short values are on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= width or not isinstance(value, list | dict) or not value:
        return line
    space, inner = " " * indent, " " * (indent + 2)
    if isinstance(value, dict):
        parts = [
            f"{inner}{json.dumps(name, ensure_ascii=False)}: {as_json(member, indent + 2, width)}"
            for name, member in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{space}}}"
    parts = [inner + as_json(member, indent + 2, width) for member in value]
    return "[\n" + ",\n".join(parts) + f"\n{space}]"


def _part(section: Figures, name: str) -> Figures:
    found = section.get(name)
    return found if isinstance(found, Mapping) else {}
