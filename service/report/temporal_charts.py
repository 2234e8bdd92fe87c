"""Charts of a temporal graph's report, only from data that its reader may see.

A report reduced to a reader's view may lack figures computed from the original; then only the release is drawn.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from service.report.charts import Drawing, Series, heat_map, line_chart

SIMILARITIES = {
    "edge_jaccard": "edge Jaccard",
    "deltacon": "DeltaCon",
    "betweenness_centrality": "betweenness top",
    "closeness_centrality": "closeness top",
    "degree_centrality": "degree top",
}
"""Measures between 0 and 1 for every snapshot."""
SERIES = {"edges": "Edges", "density": "Density", "mean_degree": "Mean degree"}
"""Measures with a series before and one after."""


def temporal_drawings(report: Mapping[str, Any]) -> list[Drawing]:
    """The drawings of a report; none if it is about another kind of data."""
    utility = report.get("utility")
    utility = utility if isinstance(utility, Mapping) else {}
    found = [_similarity(utility), *_series(utility), _communities(utility)]
    return [drawing for drawing in [_released_edges(report, utility), *found] if drawing is not None]


def _released_edges(report: Mapping[str, Any], utility: Mapping[str, Any]) -> Drawing | None:
    """The edges of the release over time, unless they are drawn together with the original's."""
    shape = report.get("release")
    edges = shape.get("edges_by_snapshot") if isinstance(shape, Mapping) else None
    if not _is_series(edges) or "series" in _part(utility, "edges"):
        return None
    description = "The number of edges of every released snapshot."
    return line_chart("Edges over time", description, {"release": edges}, _labels(utility, len(edges)), public=True)


def _similarity(utility: Mapping[str, Any]) -> Drawing | None:
    lines = _aligned({title: _part(utility, name).get("by_snapshot") for name, title in SIMILARITIES.items()})
    if not lines:
        return None
    return heat_map(
        "Similarity of every snapshot",
        "How similar each released snapshot is to its original: the darker a cell, the closer to 1. An outlined cell "
        "was not measured.",
        lines,
        _labels(utility, _length(lines)),
    )


def _series(utility: Mapping[str, Any]) -> list[Drawing]:
    drawings = []
    for name, title in SERIES.items():
        both = _part(_part(utility, name), "series")
        lines = _aligned({"original": both.get("original"), "release": both.get("released")})
        if len(lines) == 2:
            description = f"{title} of every snapshot, of the original and of the release (the original is dashed)."
            labels = _labels(utility, _length(lines))
            drawings.append(line_chart(f"{title}, before and after", description, lines, labels))
    return drawings


def _communities(utility: Mapping[str, Any]) -> Drawing | None:
    times = _part(_part(utility, "tscan"), "over_time")
    sides = {"original": times.get("original"), "release": times.get("released")}
    lines = _aligned(
        {f"{side} {number}": shares for side, each in sides.items() for number, shares in enumerate(each or (), 1)}
    )
    if not lines:
        return None
    return heat_map(
        "Communities over time",
        "The largest lasting communities of the original and of the release: the darker a cell, the more members have "
        "an edge to another member in that snapshot. The communities of each side are ordered by size.",
        lines,
        _labels(utility, _length(lines)),
    )


def _labels(utility: Mapping[str, Any], count: int) -> Sequence[str]:
    """The start times of the snapshots, if the report has one for each point; else their numbers."""
    labels = _part(utility, "edges").get("labels")
    if isinstance(labels, list) and len(labels) == count:
        return shortened([str(label) for label in labels])
    return [str(number) for number in range(count)]


def shortened(times: list[str]) -> list[str]:
    """Times without the ending that all of them share: windows of a day begin at midnight."""
    for end in ("T00:00:00Z", ":00:00Z", ":00Z", "Z"):
        if all(time.endswith(end) and "T" in time for time in times):
            return [time.removesuffix(end).replace("T", " ") + (" h" if end == ":00:00Z" else "") for time in times]
    return times


def _aligned(lines: Mapping[str, Any]) -> dict[str, Series]:
    """The lines that are series and as long as the longest."""
    series = {name: values for name, values in lines.items() if _is_series(values)}
    return {name: values for name, values in series.items() if len(values) == _length(series)}


def _length(lines: Mapping[str, Series]) -> int:
    return max(map(len, lines.values()))


def _part(section: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = section.get(name)
    return found if isinstance(found, Mapping) else {}


def _is_series(values: Any) -> TypeGuard[list[Any]]:
    """Whether a value of a report is a series of numbers, with gaps allowed."""
    return bool(isinstance(values, list) and values) and all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values
    )
